"""What a browser keeps after an answer: the report, a random key, and nothing of the answer."""

import json

import pytest

from asked import AGE, CAKES, DRINK, MANY, until
from browser import wording
from privet.audit.asking import asking_of

# From now on, randomness is a function of the seed, and keys are all the same.
SEED = """(seed) => {
  crypto.getRandomValues = (array) => {
    if (array.length === 16) return array.fill(7);
    return array.forEach((_, i) => {
      seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
      array[i] = seed >>> 11;
    });
  };
}"""
# For each answer, a seed by which it gives the report of the first answer by the first seed.
FOUND = f"""async ([text, answers]) => {{
  const {{ Survey }} = await import("/static/privet.js");
  const survey = await Survey.from(text), seeded = {SEED};
  const made = (answer, seed) => (seeded(seed), survey.randomize(answer).join());
  const target = made(answers[0], 1);
  return answers.map((answer) => {{
    for (let seed = 1; seed < 1e5; seed++) if (made(answer, seed) === target) return seed;
  }});
}}"""
TRACES = """async () => ({
  local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie,
  databases: await indexedDB.databases(), caches: await caches.keys(),
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  history: [history.length, history.state], address: location.href, name: window.name,
  shown: document.querySelector("privet-survey").shadowRoot.innerHTML,
})"""


AWAY = [(503, {}, b"")] * 20  # for as long as the traces are looked at


def traces(context, site, survey, answer, seed, replies=()):
    """Answer as a new device does, with the randomness of a seed; return all that is left."""
    page = context.new_page()
    page.goto(site.page(survey.id))
    page.evaluate("localStorage.clear()")
    page.reload()
    group = page.get_by_role("group", name=survey.question, exact=True)
    group.wait_for()
    asking_of(survey.answers).fill(group, answer)
    page.evaluate(SEED, seed)
    site.posts, site.replies = [], [*replies]
    page.get_by_role("button", name="Send").click()
    state = "waiting" if replies else "sent"
    page.locator(f"privet-survey[state={state}] section").wait_for()
    until(page, lambda: site.posts)
    found = page.evaluate(TRACES)
    context.set_offline(True)  # so that nothing more is sent as the page goes away
    page.close()
    context.set_offline(False)
    path, headers, body = site.posts[0]
    return found | {"sent": [path, headers["Idempotency-Key"], body.hex()]}


@pytest.mark.parametrize("replies", [[], AWAY], ids=["sent", "waiting"])
@pytest.mark.parametrize(
    ("survey", "answers"),
    [
        (DRINK, ["tea", "coffee", "<b>milk</b>", "water"]),
        (CAKES, [["a"], ["b", "d"], []]),
        (AGE, [0, 35.5, 120]),
        (MANY, ["town 7", "town 299"]),
    ],
    ids=lambda one: getattr(one, "id", ""),
)
def test_answers_that_give_the_same_report_leave_the_same_traces(
    context, site, survey, answers, replies
):
    page = context.new_page()
    page.goto(site.page(survey.id))
    seeds = page.evaluate(FOUND, [survey.to_json(), answers])
    page.close()
    assert None not in seeds
    first, *others = (
        traces(context, site, survey, answer, seed, replies)
        for answer, seed in zip(answers, seeds, strict=True)
    )
    assert all(other == first for other in others)
    (record,) = map(json.loads, first["local"].values())
    assert record.keys() == {"report", "key", "state"}
    assert first["session"] == {}
    assert first["databases"] == first["caches"] == []


def test_another_report_leaves_other_traces(context, site):
    """So the comparison above sees what is there."""
    found = {json.dumps(traces(context, site, DRINK, "tea", seed, AWAY)) for seed in (1, 2, 3)}
    assert len(found) > 1


def record(site, survey, **more):
    """Return what version 0.2 stored: a name, and a text in which the answer stands."""
    fingerprint = survey.fingerprint
    report = survey.randomize(["a"] if survey is CAKES else 30 if survey is AGE else "tea")
    kept = {"answer": "1", "report": report.hex(), "key": survey.id.ljust(22, "k")} | more
    return f"privet {site.url} {survey.id} {fingerprint}", json.dumps(kept)


def test_what_version_0_2_kept_of_answers_is_removed_at_first_contact(context, site):
    before = dict([
        record(site, DRINK, state="sent"),
        record(site, AGE, state="waiting"),
        record(site, CAKES, state="refused", reason="403"),
    ]) | {"privet damaged": "{", "privet null": "null", "of others": '{"answer":"1"}'}  # fmt: skip
    page = context.new_page()
    page.goto(site.page("nothing"))
    page.evaluate("(all) => Object.assign(localStorage, all)", before)
    page.goto(site.page("drink"))
    page.get_by_text(wording("sent")).wait_for()
    after = page.evaluate("({ ...localStorage })")
    assert site.posts == []
    assert after.keys() == before.keys()
    for name in [*before][3:]:
        assert after[name] == before[name]
    for name in [*before][:3]:
        old, new = json.loads(before[name]), json.loads(after[name])
        assert "answer" not in new
        assert (new["report"], new["key"]) == (old["report"], old["key"])

    page.goto(site.page("cakes"))  # which had been refused by somebody's page
    page.get_by_text(wording("sent")).wait_for()
    (_, headers, body), old = site.posts[0], json.loads(before[[*before][2]])
    assert (body.hex(), headers["Idempotency-Key"]) == (old["report"], old["key"])
