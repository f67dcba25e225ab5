"""The browser's client in a real Chromium: vectors, the law of reports, and the element."""

import json
from itertools import combinations

import pytest
from scipy.stats import chisquare

from browser import Site, all_vectors, chromium
from privet import Questionnaire, Scale, Several, Survey
from privet.mechanisms import KSubset
from serving import Serving

DRINK = Survey("What do you drink?", ["tea", "coffee", "<b>milk</b>", "water"], 1.0, id="drink")
AGE = Survey("How old are you?", Scale(0, 120, cells=5, unit="years"), 1.0, id="age")
CAKES = Survey("Which cakes?", Several(["a", "b", "c", "d"], most=2), 1.0, id="cakes")
MANY = Survey("Where?", [f"town {i}" for i in range(300)], 1.0, id="town")
PARTY = Questionnaire("A party", [DRINK, AGE, CAKES], 1.0, tables=[("age", "drink")], id="party")


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as found:
        for contract in (DRINK, AGE, CAKES, MANY, PARTY):
            found.client().create(contract)
        yield found


@pytest.fixture
def site(service):
    found = Site(service)
    yield found
    found.end()


@pytest.fixture
def context(browser):
    """A new device: nothing is remembered. Any message on a console, or a refusal by policy, fails."""
    found = browser.new_context()
    said = []
    found.on("console", lambda message: said.append(message.text))
    found.on("weberror", lambda error: said.append(str(error.error)))
    found.said = said
    yield found
    found.close()


def opened(context, site, id="drink", **attributes):
    """Open a page with the element, wait for its form, and return the page."""
    page = context.new_page()
    page.add_init_script("window.told = []; for (const name of ['privet-sent', 'privet-refused'])"
        " addEventListener(name, (event) => told.push([name, event.detail.reason ?? null]));")  # fmt: skip
    page.goto(site.page(id, **attributes))
    page.locator("privet-survey button").wait_for()
    return page


def state(page):
    return page.get_by_role("status").text_content()


def send(page, answer):
    page.get_by_label(answer, exact=True).check()
    page.get_by_role("button").click()


def kept(page):
    return [json.loads(one) for one in page.evaluate("Object.values({...localStorage})")]


def reports(service, id="drink"):
    found = service.client().ask("GET", f"/surveys/{id}/reports", admin=True)
    assert found.status == 200
    return found.body


# --- reports ------------------------------------------------------------------------------------


def test_every_vector_gives_the_published_report(context, site):
    page = context.new_page()
    page.goto(site.page("drink"))
    found = page.evaluate(
        """async (vectors) => {
          const [privet, { mechanismOf }, { Stream }] = await Promise.all([
            import("/static/privet.js"), import("/static/privet-mechanisms.js"), import("/static/privet-draws.js"),
          ]);
          const { runVectors } = await import("/tests/vectors.js");
          return runVectors(privet, { mechanismOf, Stream }, vectors);
        }""",
        all_vectors(),
    )
    assert sum(found.values()) == 1108


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
          const survey = Survey.from(text);
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


# --- the element --------------------------------------------------------------------------------


def test_an_answer_is_sent_shown_and_sent_again_as_it_was(context, site, service):
    before = reports(service)
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text("Sent. Thank you!").wait_for()
    (path, headers, body), (one,) = site.posts[0], kept(page)
    assert path == "/surveys/drink/reports"
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Idempotency-Key"] == one["key"]
    assert len(one["key"]) == 22
    assert body.hex() == one["report"]
    assert reports(service) == before + body
    members = [DRINK.categories[i] for i in DRINK.mechanism.members(body)]
    assert page.locator("privet-survey li").all_text_contents() == members
    text = page.locator("privet-survey section").text_content()
    assert body.hex() in text
    g, h = (f"{100 * rate:.1f} %" for rate in (DRINK.mechanism.g, DRINK.mechanism.h))
    assert g in text
    assert h in text
    assert page.evaluate("told") == [["privet-sent", None]]

    page.reload()  # asked again
    page.get_by_text("Sent. Thank you!").wait_for()
    send(page, "tea")
    page.wait_for_function("told.length")
    assert [one[2] for one in site.posts] == [body, body]
    assert len({one[1]["Idempotency-Key"] for one in site.posts}) == 1
    assert reports(service) == before + body  # counted once
    assert context.said == []


def test_another_answer_is_refused_before_anything_is_drawn(context, site):
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text("Sent. Thank you!").wait_for()
    (before,) = kept(page)
    page.evaluate("crypto.getRandomValues = () => { throw new Error('drawn') }")
    send(page, "coffee")
    page.get_by_text("You have already answered otherwise").wait_for()
    assert kept(page) == [before]
    assert len(site.posts) == 1
    assert page.evaluate("told") == [["privet-sent", None], ["privet-refused", "answered"]]
    page.reload()
    page.get_by_text("Sent. Thank you!").wait_for()
    send(page, "<b>milk</b>")
    page.get_by_text("You have already answered otherwise").wait_for()
    assert kept(page) == [before]
    assert len(site.posts) == 1
    assert context.said == []


def test_what_is_answered_offline_is_sent_later(context, site, service):
    before = reports(service)
    page = opened(context, site)
    context.set_offline(True)
    send(page, "water")
    page.get_by_text("Not sent yet.").wait_for()
    (one,) = kept(page)
    assert one["state"] == "waiting"
    assert site.posts == []
    context.set_offline(False)
    page.get_by_text("Sent. Thank you!").wait_for()
    assert reports(service) == before + bytes.fromhex(one["report"])
    assert page.evaluate("told") == [["privet-sent", None]]


def test_what_waited_is_sent_by_the_next_visit(context, site, service):
    before = reports(service)
    page = opened(context, site)
    context.set_offline(True)
    send(page, "water")
    page.get_by_text("Not sent yet.").wait_for()
    (one,) = kept(page)
    page.close()
    context.set_offline(False)
    page = opened(context, site)
    page.get_by_text("Sent. Thank you!").wait_for()
    assert reports(service) == before + bytes.fromhex(one["report"])


def test_a_busy_service_is_asked_again_when_it_says(context, site):
    site.busy = 1
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text("Not sent yet.").wait_for()
    page.get_by_text("Sent. Thank you!").wait_for()
    first, second = site.posts
    assert first[2] == second[2]
    assert first[1]["Idempotency-Key"] == second[1]["Idempotency-Key"]


def test_a_page_that_goes_away_sends_what_waits(context, site, service):
    before = reports(service)
    site.busy = 1
    page = opened(context, site, invitation="abcdefghijklmnopqrstuv")
    send(page, "tea")
    page.get_by_text("Not sent yet.").wait_for()
    (one,) = kept(page)
    page.goto("about:blank")
    page.wait_for_timeout(200)
    assert len(site.posts) == 2
    path, headers, body = site.posts[1]
    assert path == f"/surveys/drink/reports?key={one['key']}&invitation=abcdefghijklmnopqrstuv"
    assert headers["Content-Type"] == "application/octet-stream"
    assert site.posts[0][1]["Invitation"] == "abcdefghijklmnopqrstuv"
    assert reports(service) == before + body


def test_a_closed_survey_is_said_to_be(context, site, service):
    closed = Survey("Over?", ["yes", "no"], 1.0, id="over")
    service.client().create(closed)
    service.client().ask("POST", "/surveys/over/close", b"", admin=True)
    page = opened(context, site, "over")
    send(page, "yes")
    page.get_by_text("Refused: this survey is closed.").wait_for()
    assert page.evaluate("told") == [["privet-refused", "closed"]]


def test_a_page_of_a_questionnaire_is_drawn_once_and_asked_alone(context, site, service):
    page = opened(context, site, "party")
    drawn = kept(page)[0]["page"]
    asked = [one.question for one in PARTY.pages[drawn].questions]
    assert page.locator("privet-survey legend").all_text_contents() == asked
    for _ in range(3):
        page.reload()
        page.locator("privet-survey button").wait_for()
        assert page.locator("privet-survey legend").all_text_contents() == asked
    for one in PARTY.pages[drawn].questions:
        field = page.get_by_role("group", name=one.question)
        if one.id == "age":
            field.get_by_role("spinbutton").fill("35")
        else:
            field.get_by_label("b" if one.id == "cakes" else "tea", exact=True).check()
    page.get_by_role("button").click()
    page.get_by_text("Sent. Thank you!").wait_for()
    body = site.posts[0][2]
    assert body[0] == drawn
    assert PARTY.mechanism.problem(body) is None
    assert reports(service, "party").endswith(body)
    assert context.said == []


def test_pages_are_drawn_by_their_weights(context, site):
    page = context.new_page()
    page.goto(site.page("drink"))
    drawn = page.evaluate(
        """async (text) => {
          const { Survey } = await import("/static/privet.js");
          const survey = Survey.from(text);
          return Array.from({ length: 2000 }, () => survey.draw().number);
        }""",
        PARTY.to_json(),
    )
    observed = [drawn.count(i) for i in range(len(PARTY.pages))]
    assert chisquare(observed, [2000 * page.share for page in PARTY.pages]).pvalue > 1e-6
    even = [2000 / len(PARTY.pages)] * len(PARTY.pages)
    assert chisquare(observed, even).pvalue < 1e-6


def test_at_most_so_many_options_can_be_chosen(context, site):
    page = opened(context, site, "cakes")
    for option in "ab":
        page.get_by_label(option, exact=True).check()
    assert page.get_by_label("c", exact=True).is_disabled()
    page.get_by_label("a", exact=True).uncheck()
    assert page.get_by_label("c", exact=True).is_enabled()
    page.get_by_role("button").click()
    page.get_by_text("Sent. Thank you!").wait_for()
    assert context.said == []


def test_the_keyboard_is_enough(context, site):
    page = opened(context, site, "town")
    page.keyboard.press("Tab")
    page.keyboard.type("town 271")
    page.wait_for_function(
        "document.querySelector('privet-survey').shadowRoot.querySelector('option').value === 'town 271'"
    )
    page.keyboard.press("Enter")
    page.get_by_text("Sent. Thank you!").wait_for()
    assert kept(page)[0]["answer"] == "271"
    page = opened(context, site)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_text("Sent. Thank you!").wait_for()
    assert {one["answer"] for one in kept(page)} == {"271", "1"}
    assert context.said == []


def test_a_town_that_is_not_there_is_not_sent(context, site):
    page = opened(context, site, "town")
    page.get_by_role("combobox").fill("town 999")
    page.get_by_role("button").click()
    page.get_by_text("Please answer every question").wait_for()
    assert kept(page) == []
    assert site.posts == []


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"max-epsilon": "0.5"}, "The epsilon must be at most 0.5"),
        ({"fingerprint": "0" * 64}, "The fingerprint must be 000"),
    ],
    ids=["epsilon", "fingerprint"],
)
def test_a_survey_beyond_the_persons_limits_is_not_asked(context, site, attributes, said):
    page = context.new_page()
    page.goto(site.page("drink", **attributes))
    page.get_by_text(said).wait_for()
    assert page.get_by_role("button").count() == 0


def test_without_a_memory_nothing_is_sent(context, site):
    page = context.new_page()
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('blocked') }")
    page.goto(site.page("drink"))
    send(page, "tea")
    page.get_by_text("does not let the page remember").wait_for()
    assert site.posts == []


@pytest.mark.parametrize(("lang", "button"), [("de-AT", "Senden"), ("fr", "Envoyer"), ("xx", "Send")])
def test_it_speaks_several_languages(context, site, lang, button):
    page = opened(context, site, lang=lang)
    assert page.get_by_role("button").text_content() == button


def test_every_language_says_everything(context, site):
    page = context.new_page()
    page.goto(site.page("drink"))
    found = page.evaluate('async () => (await import("/static/messages.js")).messages')
    assert len(found) >= 3
    for one, other in combinations(found.values(), 2):
        assert one.keys() == other.keys()


def test_a_million_answers_do_not_hold_up_the_page(context, site, service):
    many = Survey("Which?", [f"n{i}" for i in range(1_000_000)], 1.0, mechanism="k-subset", id="many")
    page = context.new_page()
    page.route("**/surveys/million", lambda route: route.fulfill(body=many.to_json()))
    page.route("**/surveys/million/reports", lambda route: route.fulfill(status=200, body="{}"))
    page.add_init_script(
        "window.long = []; new PerformanceObserver((list) =>"
        " long.push(...list.getEntries().map((one) => one.duration))).observe({ type: 'longtask' });"
    )
    page.goto(site.page("million"))
    page.get_by_role("combobox").fill("n777777")
    page.get_by_role("button").click()
    page.get_by_text("Sent. Thank you!").wait_for()
    assert max(page.evaluate("long"), default=0) < 200
    assert context.said == []
