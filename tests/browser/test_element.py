"""The element in a real Chromium, before a real service: one report per survey and device."""

import json
from itertools import combinations

import pytest

from asked import DRINK, PARTY, kept, opened, reports, send, until, visited
from browser import problem, wording
from privet import Survey
from serving import JSON


def test_an_answer_is_sent_and_shown(context, site, service):
    before = reports(service)
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text(wording("sent")).wait_for()
    (path, headers, body), (one,) = site.posts[0], kept(page)
    assert path == "/surveys/drink/reports"
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Idempotency-Key"] == one["key"]
    assert len(one["key"]) == 22
    assert body.hex() == one["report"]
    assert reports(service) == sorted([*before, body])
    members = [DRINK.categories[i] for i in DRINK.mechanism.members(body)]
    assert page.locator("privet-survey li").all_text_contents() == members
    text = page.locator("privet-survey section").text_content()
    assert body.hex() in text
    g, h = (f"{100 * rate:.1f} %" for rate in (DRINK.mechanism.g, DRINK.mechanism.h))
    assert g in text
    assert h in text
    assert page.evaluate("told") == [["privet-sent", None]]

    assert context.said == []


def test_a_second_visit_meets_a_confirmation_and_no_form(context, site):
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text(wording("sent")).wait_for()
    (before,), shown = kept(page), page.locator("privet-survey section").text_content()
    page.reload()
    page.get_by_text(wording("sent")).wait_for()
    assert page.locator("privet-survey section").text_content() == shown
    assert page.locator("privet-survey :is(form, input, button)").count() == 0
    assert page.locator("privet-survey h2").first.text_content() == DRINK.question
    assert page.get_attribute("privet-survey", "state") == "sent"
    assert kept(page) == [before]
    assert len(site.posts) == 1
    assert page.evaluate("told") == []
    assert context.said == []


@pytest.mark.parametrize("answer", ["tea", "coffee"], ids=["the same", "another"])
def test_a_further_answer_is_refused_before_anything_is_drawn(context, site, answer):
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text(wording("sent")).wait_for()
    (before,) = kept(page)
    page.evaluate("() => { crypto.getRandomValues = () => { throw new Error('drawn') } }")
    page.evaluate("(answer) => document.querySelector('privet-survey').answer(answer)", answer)
    page.get_by_text(wording("answered")).wait_for()
    assert kept(page) == [before]
    assert len(site.posts) == 1
    assert page.evaluate("told") == [["privet-sent", None], ["privet-refused", "answered"]]
    assert context.said == []


def test_what_is_answered_offline_is_sent_later(context, site, service):
    before = reports(service)
    page = opened(context, site)
    context.set_offline(True)
    send(page, "water")
    page.get_by_text(wording("waiting")).wait_for()
    (one,) = kept(page)
    assert one["state"] == "waiting"
    assert site.posts == []
    context.set_offline(False)
    page.get_by_text(wording("sent")).wait_for()
    assert reports(service) == sorted([*before, bytes.fromhex(one["report"])])
    assert page.evaluate("told") == [["privet-sent", None]]


def test_what_waited_is_sent_by_the_next_visit(context, site, service):
    before = reports(service)
    page = opened(context, site)
    context.set_offline(True)
    send(page, "water")
    page.get_by_text(wording("waiting")).wait_for()
    (one,) = kept(page)
    page.close()
    context.set_offline(False)
    page = visited(context, site)
    page.get_by_text(wording("sent")).wait_for()
    assert reports(service) == sorted([*before, bytes.fromhex(one["report"])])


def test_a_busy_service_is_asked_again_when_it_says(context, site):
    site.replies = [problem("drink", 503, "busy", "1")]
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text(wording("waiting")).wait_for()
    page.get_by_text(wording("sent")).wait_for()
    first, second = site.posts
    assert first[2] == second[2]
    assert first[1]["Idempotency-Key"] == second[1]["Idempotency-Key"]


def said(**other):
    """What the service says of a report that it has counted, with something else."""
    found = {"outcome": "counted", "survey": "drink", "fingerprint": DRINK.fingerprint}
    return json.dumps(found | other).encode()


AS_JSON, AS_PROBLEM = ({"Content-Type": f"application/{one}json"} for one in ("", "problem+"))
STRANGERS = {
    "login page": (200, {}, b"<title>Welcome to our hotel</title>"),
    "no content": (204, {}, b""),
    "created": (201, AS_JSON, said()),
    "page that copies the reply": (200, {}, said()),
    "other JSON": (200, AS_JSON, b'{"outcome":"counted"}'),
    "null": (200, AS_JSON, b"null"),
    "not JSON": (200, AS_JSON, b"{"),
    "other survey": (200, AS_JSON, said(survey="age")),
    "other contract": (200, AS_JSON, said(fingerprint="0" * 64)),
    "other outcome": (200, AS_JSON, said(outcome="constructor")),
    "long reply": (200, AS_JSON, said(more="x" * 70_000)),
    "redirect": (307, {"Location": "/surveys/drink/reports"}, b""),
    "page that forbids": (403, {}, b"<h1>Forbidden</h1>"),
    "proxy's problem": (403, AS_PROBLEM, b'{"status":403,"reason":"not-invited"}'),
    "problem of another survey": problem("age", 409, "closed"),
    "problem with another status": (400, AS_PROBLEM, problem("drink", 409, "closed")[2]),
    "unknown reason": problem("drink", 400, "constructor"),
    "reason that is not a text": problem("drink", 400, ["closed"]),
    "page that puts off for ever": (503, {"Retry-After": "999999999"}, b"<h1>Busy</h1>"),
}


@pytest.mark.parametrize("reply", STRANGERS.values(), ids=[*STRANGERS])
def test_a_strangers_reply_decides_nothing(context, site, service, reply):
    before, later = reports(service), 10_000
    page = context.new_page()
    page.clock.install()
    page.goto(site.page("drink"))
    site.replies = [reply]
    send(page, "tea")
    page.get_by_text(wording("waiting")).wait_for()
    until(page, lambda: len(site.posts) == 1)
    page.wait_for_timeout(200)
    assert kept(page)[0]["state"] == "waiting"
    page.clock.fast_forward(later)
    page.get_by_text(wording("sent")).wait_for()
    assert len({(body, headers["Idempotency-Key"]) for _, headers, body in site.posts}) == 1
    assert len(site.posts) == 2
    assert reports(service) == sorted([*before, site.posts[0][2]])


def test_the_service_can_put_off_for_a_day_at_most(context, site):
    page = context.new_page()
    page.clock.install()
    page.goto(site.page("drink"))
    site.replies = [problem("drink", 503, "busy", "999999999")]
    send(page, "tea")
    until(page, lambda: len(site.posts) == 1)
    page.wait_for_timeout(200)
    page.clock.fast_forward(23 * 3_600_000)
    page.wait_for_timeout(300)
    assert len(site.posts) == 1
    page.clock.fast_forward(2 * 3_600_000)
    page.get_by_text(wording("sent")).wait_for()


def test_a_page_that_goes_away_sends_what_waits(context, site, service):
    before = reports(service)
    site.replies = [problem("drink", 503, "busy", "1")]
    page = opened(context, site, invitation="abcdefghijklmnopqrstuv")
    send(page, "tea")
    page.get_by_text(wording("waiting")).wait_for()
    (one,) = kept(page)
    page.goto("about:blank")
    until(page, lambda: len(site.posts) == 2)
    path, headers, body = site.posts[1]
    assert path == f"/surveys/drink/reports?key={one['key']}&invitation=abcdefghijklmnopqrstuv"
    assert headers["Content-Type"] == "application/octet-stream"
    assert site.posts[0][1]["Invitation"] == "abcdefghijklmnopqrstuv"
    until(page, lambda: reports(service) == sorted([*before, body]))


def test_plain_http_is_enough(context, site):
    page = opened(context, site, host="plain.test")
    assert page.evaluate("[isSecureContext, crypto.subtle ?? null]") == [False, None]
    send(page, "tea")
    page.get_by_text(wording("sent")).wait_for()
    assert site.posts[0][2].hex() == kept(page)[0]["report"]
    assert context.said == []


def test_a_page_of_another_origin_sends_the_key_in_the_address(context, site, service):
    """As a header of its own would be no simple request."""
    page, sent = context.new_page(), []
    origin = site.url.replace("127.0.0.1", "other.test")
    address = f"/surveys?origins={origin}"
    survey = Survey("Elsewhere?", ["yes", "no"], 1.0, id="elsewhere")
    service.client().ask("POST", address, survey.to_json().encode(), admin=True, **JSON)
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    page.goto(site.page("", host="other.test", src=f"{service.url}/surveys/elsewhere"))
    send(page, "yes")
    page.get_by_text(wording("sent")).wait_for()
    (request,), (one,) = sent, kept(page)
    assert request.url == f"{service.url}/surveys/elsewhere/reports?key={one['key']}"
    assert not {"idempotency-key", "cookie"} & {*request.headers}
    assert request.post_data_buffer.hex() == one["report"]
    assert context.said == []


def test_an_invitation_is_sent_along_and_missed_aloud(context, browser, site, service):
    client = service.client()
    survey = Survey("Invited?", ["yes", "no"], 1.0, id="invited")
    client.ask("POST", "/surveys?invited=true", survey.to_json().encode(), admin=True, **JSON)
    made = client.ask("POST", "/surveys/invited/invitations", b'{"count": 1}', admin=True, **JSON)
    (word,) = made.json["invitations"]
    page = opened(context, site, "invited")
    send(page, "yes")
    page.get_by_text(wording("uninvited")).wait_for()
    assert page.evaluate("told") == [["privet-refused", "not-invited"]]
    page.goto(site.page("invited", invitation=word))
    page.get_by_role("button", name=wording("again")).click()
    page.get_by_text(wording("sent")).wait_for()
    first, second = site.posts
    assert "Invitation" not in first[1]
    assert second[1]["Invitation"] == word
    assert first[2] == second[2]  # the device drew once
    other = browser.new_context()
    page = opened(other, site, "invited", invitation=word)  # which has been used
    send(page, "no")
    page.get_by_text(wording("uninvited")).wait_for()
    other.close()
    assert client.get("/surveys/invited/estimate").json["n"] == 1


def test_a_contract_that_cannot_be_loaded_is_tried_again(context, site):
    page = context.new_page()
    context.route("**/surveys/drink", lambda route: route.abort(), times=1)
    page.goto(site.page("drink"))
    page.get_by_text(wording("loading")).wait_for()
    page.locator("privet-survey button").wait_for()
    assert len(context.said) == 1  # that the first try failed


def test_two_pages_at_once_draw_one_report(context, site):
    pages = [opened(context, site) for _ in range(3)]
    for page in pages:
        page.evaluate("() => { document.querySelector('privet-survey').answer('tea') }")
    for page in pages:
        page.locator("privet-survey[state=sent] section").wait_for()
        assert page.locator("privet-survey form").count() == 0
    assert len({body for *_, body in site.posts}) == 1
    assert len({headers["Idempotency-Key"] for _, headers, _ in site.posts}) == 1


def test_a_page_shows_what_another_page_sent(context, site, service):
    before = reports(service)
    site.replies = [problem("drink", 503, "busy", "3600")]
    first = opened(context, site)
    send(first, "tea")
    first.get_by_text(wording("waiting")).wait_for()
    second = context.new_page()
    second.goto(site.page("drink"))  # which tries again at once
    for page in (second, first):
        page.get_by_text(wording("sent")).wait_for()
    assert len(reports(service)) == len(before) + 1


def test_a_closed_survey_is_said_to_be(context, site, service):
    closed = Survey("Over?", ["yes", "no"], 1.0, id="over")
    service.client().create(closed)
    service.client().ask("POST", "/surveys/over/close", b"", admin=True)
    page = opened(context, site, "over")
    send(page, "yes")
    page.get_by_text(wording("closed")).wait_for()
    assert page.evaluate("told") == [["privet-refused", "closed"]]


def test_what_was_sent_stays_so_when_the_survey_is_closed(context, site, service):
    service.client().create(Survey("Soon over?", ["yes", "no"], 1.0, id="soon"))
    page = opened(context, site, "soon")
    send(page, "yes")
    page.get_by_text(wording("sent")).wait_for()
    service.client().ask("POST", "/surveys/soon/close", b"", admin=True)
    page.reload()
    page.get_by_text(wording("sent")).wait_for()
    assert page.get_attribute("privet-survey", "state") == "sent"
    assert len(site.posts) == 1


def test_another_survey_takes_its_place(context, site):
    page = opened(context, site)
    send(page, "tea")
    page.get_by_text(wording("sent")).wait_for()
    page.evaluate("document.querySelector('privet-survey').setAttribute('src', '/surveys/cakes')")
    page.get_by_text("Which cakes?").wait_for()
    assert page.get_by_text(wording("sent")).count() == 0
    page.get_by_role("button").click()  # none of them
    page.get_by_text(wording("sent")).wait_for()
    assert [path for path, *_ in site.posts] == ["/surveys/drink/reports", "/surveys/cakes/reports"]
    assert context.said == []


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
    page.get_by_text(wording("sent")).wait_for()
    body = site.posts[0][2]
    assert body[0] == drawn
    assert PARTY.mechanism.problem(body) is None
    assert reports(service, "party") == [body]
    assert context.said == []


def test_at_most_so_many_options_can_be_chosen(context, site):
    page = opened(context, site, "cakes")
    for option in "ab":
        page.get_by_label(option, exact=True).check()
    assert page.get_by_label("c", exact=True).is_disabled()
    page.get_by_label("a", exact=True).uncheck()
    assert page.get_by_label("c", exact=True).is_enabled()
    page.get_by_role("button").click()
    page.get_by_text(wording("sent")).wait_for()
    assert context.said == []


def test_the_keyboard_is_enough(context, site):
    page = opened(context, site, "town")
    page.keyboard.press("Tab")
    page.keyboard.type("town 271")
    option = "document.querySelector('privet-survey').shadowRoot.querySelector('option')"
    until(page, lambda: page.evaluate(f"{option}.value === 'town 271'"))
    page.keyboard.press("Enter")
    page.get_by_text(wording("sent")).wait_for()
    page = opened(context, site)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_text(wording("sent")).wait_for()
    assert [one["state"] for one in kept(page)] == ["sent", "sent"]
    assert context.said == []


def test_a_town_that_is_not_there_is_not_sent(context, site):
    page = opened(context, site, "town")
    page.get_by_role("combobox").fill("town 999")
    page.get_by_role("button").click()
    page.get_by_text(wording("invalid")).wait_for()
    assert kept(page) == []
    assert site.posts == []


def test_a_survey_that_needs_a_secret_is_not_asked(context, site):
    """A page keeps none: it would draw another permanent response each time."""
    daily = Survey("Plan?", ["free", "paid"], 1.0, mechanism="two-level-unary", id="daily")
    site.contracts["/surveys/daily"] = daily.to_json().encode()
    page = context.new_page()
    page.goto(site.page("daily"))
    page.get_by_text(wording("unsafe")).wait_for()
    assert page.get_by_role("button").count() == 0
    assert site.posts == []


@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        ({"max-epsilon": "0.5"}, ["epsilon", "0.5"]),
        ({"fingerprint": "0" * 64}, ["fingerprint", "0" * 64]),
    ],
    ids=["epsilon", "fingerprint"],
)
def test_a_survey_beyond_the_persons_limits_is_not_asked(context, site, attributes, names):
    page = context.new_page()
    page.goto(site.page("drink", **attributes))
    refusal = page.get_by_text(wording("unsafe"))
    refusal.wait_for()
    assert all(name in refusal.text_content() for name in names)
    assert page.get_by_role("button").count() == 0


def test_without_a_memory_nothing_is_sent(context, site):
    page = context.new_page()
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('blocked') }")
    page.goto(site.page("drink"))
    send(page, "tea")
    page.get_by_text(wording("forgetful")).wait_for()
    assert site.posts == []


@pytest.mark.parametrize(
    ("lang", "button"), [("de-AT", "Senden"), ("fr", "Envoyer"), ("xx", "Send")]
)
def test_it_speaks_several_languages(context, site, lang, button):
    page = opened(context, site, lang=lang)
    assert page.get_by_role("button").text_content() == button


def test_every_language_says_everything(context, site):
    page = context.new_page()
    page.goto(site.page("drink"))
    found = page.evaluate(
        """async () => {
          const { messages, spoken } = await import("/static/messages.js");
          for (const tag of ["de", "fr-CH"]) await spoken(tag);
          return messages;
        }"""
    )
    assert [*found] == ["en", "de", "fr"]
    for one, other in combinations(found.values(), 2):
        assert one.keys() == other.keys()
