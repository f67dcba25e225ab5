"""The browser's client in a real Chromium: vectors, the law of reports, and long contracts."""

import json

import pytest
from scipy.stats import chisquare

from asked import PARTY, until
from browser import all_vectors, wording
from privet import Several, Survey
from privet.mechanisms import KSubset


def test_every_vector_gives_the_published_report(context, site):
    page = context.new_page()
    page.goto(site.page("drink"))
    found = page.evaluate(
        """async (vectors) => {
          const privet = await import("/static/privet.js");
          const { mechanismOf } = await import("/static/privet-mechanisms.js");
          const { Stream } = await import("/static/privet-draws.js");
          const { keyed } = await import("/static/privet-keyed.js");
          const { runVectors } = await import("/tests/vectors.js");
          return runVectors(privet, { mechanismOf, Stream, keyed }, vectors);
        }""",
        all_vectors(),
    )
    assert sum(found.values()) == 1120


LAWS = [
    Survey("?", list("abcde"), 1.0, mechanism=KSubset(5, 1.0, 2)),
    Survey("?", list("abcde"), 1.0, mechanism="cyclotomic"),
    Survey("?", list("abc"), 1.0, mechanism="binary-rr"),
    Survey("?", Several(list("abc"), most=2), 2.0, mechanism="set-subset"),
    Survey("?", list("abcde"), 1.0, mechanism="local-hash"),
]


@pytest.mark.parametrize("survey", LAWS, ids=lambda survey: survey.mechanism.name)
def test_two_thousand_reports_follow_the_law(context, site, survey):
    page = context.new_page()
    page.goto(site.page("drink"))
    answer = ["a", "c"] if survey.mechanism.name == "set-subset" else "a"
    made = page.evaluate(
        """async ([text, answer]) => {
          const { Survey } = await import("/static/privet.js");
          const survey = await Survey.from(text);
          return Array.from({ length: 2000 }, () => Array.from(survey.randomize(answer)));
        }""",
        [survey.to_json(), answer],
    )
    found = {}
    for report in map(bytes, made):
        found[report] = found.get(report, 0) + 1
    mechanism = survey.mechanism
    every = [
        report
        for number in range(256**mechanism.report_bytes)
        if mechanism.problem(report := number.to_bytes(mechanism.report_bytes, "little")) is None
    ]
    observed = [found.get(report, 0) for report in every]
    assert sum(observed) == 2000

    def p_value(value):
        expected = [2000 * float(mechanism.probability(report, value)) for report in every]
        return chisquare(observed, expected).pvalue

    own, other = survey.answers.value(answer), [1] if isinstance(answer, list) else 1
    assert p_value(own) > 1e-6
    assert p_value(other) < 1e-6  # another answer's law is told apart


def test_pages_are_drawn_by_their_weights(context, site):
    page = context.new_page()
    page.goto(site.page("drink"))
    drawn = page.evaluate(
        """async (text) => {
          const { Survey } = await import("/static/privet.js");
          const survey = await Survey.from(text);
          return Array.from({ length: 2000 }, () => survey.draw().number);
        }""",
        PARTY.to_json(),
    )
    observed = [drawn.count(i) for i in range(len(PARTY.pages))]
    assert chisquare(observed, [2000 * page.share for page in PARTY.pages]).pvalue > 1e-6
    even = [2000 / len(PARTY.pages)] * len(PARTY.pages)
    assert chisquare(observed, even).pvalue < 1e-6


def longest_task(trace):
    """Milliseconds of a processor that the page's own thread took without a pause, at most."""
    events = json.loads(trace)["traceEvents"]
    named = [one for one in events if one["name"] == "thread_name"]
    pages = {one["tid"] for one in named if one["args"]["name"] == "CrRendererMain"}
    tasks = [one for one in events if one["name"].endswith("::RunTask") and one["tid"] in pages]
    assert len(tasks) > 100
    return max(one.get("tdur", 0) for one in tasks) / 1000


def test_a_million_answers_do_not_hold_up_the_page(browser, context, site):
    names = [f"n{i}" for i in range(1_000_000)]
    many = Survey("Which?", names, 1.0, mechanism="k-subset", id="million")
    site.contracts["/surveys/million"] = many.to_json().encode()
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    browser.start_tracing(page=page, categories=["toplevel"])
    page.goto(site.page("million"))
    page.get_by_role("combobox").fill("n777777")
    page.get_by_role("button").click()
    page.get_by_text(wording("sent")).wait_for()
    assert longest_task(browser.stop_tracing()) < 50
    assert asked.count(f"{site.url}/surveys/million") == 1
    shown = page.locator("privet-survey section").text_content()
    assert f"{many.mechanism.k:,}" in shown
    assert len(page.workers) == 1
    page.evaluate("document.querySelector('privet-survey').remove()")
    until(page, lambda: not page.workers)
    assert context.said == []
