"""The pages in a real Chromium: a survey's whole life, by mouse and by keyboard."""

import json
import re
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from browser import without_comments, wording
from privet import Questionnaire, Scale, Several, Survey
from privet.device.contract import Contract
from privet.service.languages import languages
from serving import Serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "questionnaire.toml"
FRUIT = Survey("Which fruit?", ["apple", "pear", "plum", "fig"], 1.0, id="fruit")
AGE = Survey("How old are you?", Scale(0, 100, 21, "years"), 1.0, id="age")
READS = Survey("What do you read?", Several(["books", "blogs"], most=1), 1.0, id="reads")
LONG = ["Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung", "x" * 200, "no"]
WORDS = Survey("W" * 100 + " or not?", LONG, 1.0, id="words")
TOWN = Survey("Where?", ["north", "south"], 1.0, id="town")
LIFE = Questionnaire("Life", [FRUIT, AGE, READS, TOWN], 1.0, tables=[("fruit", "town")], id="life")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as found:
        client = found.client()
        client.create(LIFE)
        client.create(WORDS)
        client.send("words", WORDS.randomize_batch(LONG * 100).tobytes())
        crowd = {"fruit": ["apple", "pear"] * 400, "age": [30, 50] * 400, "town": ["north"] * 800}
        crowd["reads"] = [["books"], []] * 400
        client.send("life", LIFE.randomize_batch(crowd).tobytes())
        yield found


@pytest.fixture
def device(browser, service):
    """Make new devices; afterwards, none may have shown a message or asked another host."""
    made, said, hosts = [], [], set()

    def new(**options):
        context = browser.new_context(**options)
        context.set_default_timeout(10_000)
        context.on("console", lambda message: said.append(message.text))
        context.on("weberror", lambda error: said.append(str(error.error)))
        context.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
        made.append(context)
        return context.new_page()

    new.said = said
    yield new
    for context in made:
        context.close()
    assert said == []
    assert hosts <= {urlsplit(service.url).netloc, ""}


@pytest.fixture
def admin(device, service):
    page = device()
    page.goto(service.url)
    page.get_by_label("token").fill(service.token)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{service.url}/")
    return page


def answer(page, link, choice):
    page.goto(link)
    page.get_by_label(choice, exact=True).check()
    page.get_by_role("button", name="Send").click()
    page.get_by_text(wording("sent")).wait_for()


def violations(page):
    """What axe finds wrong with a page."""
    found = Axe().run(page).response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def make_survey(admin, service, question="Tea or coffee?", answers="tea\ncoffee\nneither"):
    admin.goto(f"{service.url}/new")
    admin.get_by_label("Question", exact=True).fill(question)
    admin.get_by_label("Answers, one a line").fill(answers)
    create = admin.get_by_role("button", name="Create the survey")
    admin.locator("#plan .big").wait_for()
    return create


def test_from_an_empty_editor_to_results_that_come_in(admin, device, service):
    create = make_survey(admin, service)
    assert re.fullmatch(r"± \d\.\d %", admin.locator("#plan .big").text_content())
    before = admin.locator("#words").text_content()
    assert "ε = 1" in before
    admin.get_by_label("Privacy level, from").fill("6")
    admin.get_by_text("ε = 2").first.wait_for()
    assert admin.locator("#plan .bars").count() == 3
    create.click()
    admin.wait_for_url("**/surveys/tea-or-coffee/settings")
    link = admin.get_by_label("Anyone with this link").input_value()
    assert link == f"{service.url}/surveys/tea-or-coffee/answer"
    found = Contract.from_json(service.client().get("/surveys/tea-or-coffee").body)
    assert found == Survey("Tea or coffee?", ["tea", "coffee", "neither"], 2.0)

    admin.get_by_role("link", name="Results").click()
    admin.get_by_text("Nobody").first.wait_for()
    first = device()
    answer(first, link, "tea")
    assert first.context.cookies() == []
    admin.get_by_text("1 person").first.wait_for()  # by itself
    results = first.get_by_role("link", name=languages()["en"]["results"])
    results.wait_for()
    first.reload()
    first.get_by_text(wording("sent")).wait_for()  # a confirmation in the form's place
    results.wait_for()
    assert first.locator("privet-survey :is(form, button)").count() == 0
    answer(device(), link, "coffee")
    admin.get_by_text("2 people").first.wait_for()
    assert admin.locator(".shares tbody tr").count() == 3
    first.get_by_text(wording("report")).wait_for()
    assert violations(first) == []
    admin.get_by_role("link", name="Surveys").click()
    row = admin.locator("[data-id=tea-or-coffee]")
    assert row.locator("[data-reports]").text_content() == "2"
    answer(device(), link, "neither")
    row.get_by_text("3", exact=True).wait_for()
    admin.on("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button", name="Close").click()
    admin.get_by_text("“Tea or coffee?”").wait_for()
    last = device()
    last.goto(link)
    last.get_by_text(languages()["en"]["closed_title"]).wait_for()


def test_an_invitation_comes_in_the_fragment_and_counts_once(admin, device, service):
    create = make_survey(admin, service, "By invitation?", "yes\nno")
    admin.get_by_label("Only by invitation").check()
    admin.locator("#create:enabled").wait_for()
    create.click()
    admin.wait_for_url("**/settings")
    admin.get_by_label("How many", exact=True).fill("2")
    admin.get_by_role("button", name="Make invitations").click()
    admin.locator("#invited").wait_for()
    links = admin.get_by_label("Links, one a line").input_value().split()
    assert len(set(links)) == 2
    with admin.expect_download() as download:
        admin.get_by_role("link", name="Download as text").click()
    assert Path(download.value.path()).read_text().split() == links
    page = device()
    addresses = []
    page.on("request", lambda request: addresses.append(request.url))
    answer(page, links[0], "yes")
    token = links[0].partition("=")[2]
    assert not any(token in one.partition("#")[0] for one in addresses)
    page = device()
    page.goto(links[0])
    page.get_by_label("yes", exact=True).check()
    page.get_by_role("button", name="Send").click()
    page.get_by_text(wording("uninvited")).wait_for()
    assert re.search("status of 403", device.said.pop())
    answer(device(), links[1], "no")
    assert service.client().get("/surveys/by-invitation/estimate").json["n"] == 2


def test_the_respondents_page_needs_no_mouse(device, service):
    service.client().create(TOWN)
    page = device(locale="de-DE")
    page.goto(f"{service.url}/surveys/town/answer")
    page.get_by_role("button", name="Senden").wait_for()
    page.keyboard.press("Tab")
    assert page.locator(":focus").text_content() == languages()["de"]["skip"]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.get_by_label("south").is_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text(wording("sent", "de")).wait_for()
    page.get_by_role("link", name=languages()["de"]["results"]).wait_for()


def tab_to(page, name):
    """Press Tab until what has the focus is called so."""
    named = "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(named) == name:
            return
    raise AssertionError(name)


def test_a_survey_is_made_and_read_without_a_mouse(admin, service):
    tab_to(admin, "New survey")
    admin.keyboard.press("Enter")
    admin.wait_for_url("**/new")
    tab_to(admin, "Question")
    admin.keyboard.type("Without a mouse?")
    tab_to(admin, "Answers, one a line")
    admin.keyboard.type("yes\nno")
    admin.locator("#create:enabled").wait_for()
    tab_to(admin, "Create the survey")
    admin.keyboard.press("Enter")
    admin.wait_for_url("**/surveys/without-a-mouse/settings")
    tab_to(admin, "Results")
    admin.keyboard.press("Enter")
    admin.get_by_text("Nobody").first.wait_for()


def test_what_is_answered_offline_reaches_the_results(device, service):
    service.client().create(Survey("Offline?", ["yes", "no"], 1.0, id="offline"))
    page = device()
    page.goto(f"{service.url}/surveys/offline/answer")
    page.get_by_label("yes", exact=True).check()
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    page.get_by_text(wording("waiting")).wait_for()
    page.context.set_offline(False)
    page.get_by_text(wording("sent")).wait_for()
    assert service.client().get("/surveys/offline/estimate").json["n"] == 1
    device.said.clear()  # that there was no network


def test_a_file_fills_the_editor_in_and_a_contract_stays_as_it_is(admin, service, tmp_path):
    admin.goto(f"{service.url}/new")
    admin.locator("#file").set_input_files(EXAMPLE)
    admin.locator("#plan .big").first.wait_for()
    texts = admin.get_by_label("Question", exact=True)
    assert texts.first.input_value() == "Do you smoke?"
    admin.get_by_role("button", name="Create the survey").click()
    admin.wait_for_url("**/settings")
    made = Contract.from_json(service.client().get(urlsplit(admin.url).path[:-9]).body)
    from privet.plan.drafts import read_draft

    assert made.fields() | {"id": 0} == read_draft(EXAMPLE).fields() | {"id": 0}

    whole = Survey("As it is?", ["yes", "no"], 0.5, mechanism="optimized-unary", id="as-it-is")
    whole.write(tmp_path / "survey.json")
    admin.goto(f"{service.url}/new")
    admin.locator("#file").set_input_files(tmp_path / "survey.json")
    admin.get_by_text("ε = 0.5").first.wait_for()
    admin.locator("#create:enabled").click()
    admin.wait_for_url("**/surveys/as-it-is/settings")
    assert Contract.from_json(service.client().get("/surveys/as-it-is").body) == whole


def test_another_kind_of_answer_keeps_what_was_written(admin, service):
    make_survey(admin, service, "Which change?", "a\nb\nc")
    lines = admin.get_by_label("Answers, one a line")
    admin.get_by_label("Several choices").check()
    admin.get_by_label("How many may one choose?").fill("1")
    admin.get_by_label("A number").check()
    assert not lines.is_visible()
    admin.get_by_label("From", exact=True).fill("200")
    admin.locator("#create:disabled").wait_for()  # from 200 to 100
    admin.get_by_label("Several choices").check()
    assert lines.input_value() == "a\nb\nc"
    admin.locator("#create:enabled").click()
    admin.wait_for_url("**/surveys/which-change/settings")
    made = Contract.from_json(service.client().get("/surveys/which-change").body)
    assert made == Survey("Which change?", Several(["a", "b", "c"], most=1), 1.0)


def test_results_name_the_largest_share_of_several_choices(device, service):
    pets = Survey("Which pets?", Several(["cat", "dog", "fish"], most=2), 4.0, id="pets")
    service.client().create(pets)
    reports = pets.randomize_batch([["dog"]] * 500 + [["cat", "dog"]] * 100)
    service.client().send("pets", reports.tobytes())
    page = device()
    page.goto(f"{service.url}/surveys/pets/results")
    lead = page.get_by_text("600 people").first
    lead.wait_for()
    assert "dog" in lead.text_content()


def test_settings_are_saved_and_results_are_kept_private(admin, device, service):
    hidden = Survey("Hidden?", ["yes", "no"], 1.0, id="hidden")
    client = service.client()
    client.create(hidden)
    client.send("hidden", hidden.randomize("yes"))
    admin.goto(f"{service.url}/surveys/hidden/settings")
    admin.get_by_label("How many reports").fill("50")
    admin.get_by_label("Other sites").fill("https://a.example")
    admin.get_by_role("button", name="Save").click()
    admin.get_by_text("Saved.").wait_for()
    page = device()
    page.goto(f"{service.url}/surveys/hidden/results")
    page.get_by_text("50 reports").first.wait_for()
    admin.goto(f"{service.url}/surveys/hidden/results")
    admin.get_by_text("1 person").first.wait_for()
    with admin.expect_download() as download:
        admin.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "hidden.csv"
    admin.on("dialog", lambda dialog: dialog.accept("hidden"))
    admin.goto(f"{service.url}/surveys/hidden/settings")
    admin.get_by_role("button", name="Delete the survey").click()
    admin.wait_for_url(f"{service.url}/")
    assert service.client().get("/surveys/hidden").status == 410


def test_results_of_150_000_categories_show_the_largest(device, service):
    """A function takes fewer arguments than that: `Math.max(...shares)` would throw."""
    names = [f"town {i}" for i in range(150_000)]
    towns = Survey("Which town?", names, 8.0, mechanism="local-hash", id="towns")
    service.client().create(towns)
    service.client().send("towns", towns.randomize_batch(["town 7"] * 600 + names[:400]).tobytes())
    page = device()
    page.goto(f"{service.url}/surveys/towns/results")
    lead = page.get_by_text("1,000 people").first
    lead.wait_for()
    assert "town 7" in lead.text_content()
    rows = page.locator(".shares tbody tr")
    assert rows.count() == 20
    assert rows.first.locator("th").text_content() == "town 7"
    page.get_by_role("button", name="Show the 500 largest").click()
    assert rows.count() == 500
    page.get_by_role("button", name="Show the 20 largest").click()
    assert rows.count() == 20


def fulfilled(route, body):
    route.fulfill(status=403, content_type="application/problem+json", body=body)


def test_what_a_service_says_is_shown_as_a_short_text(device, service):
    long = json.dumps({"detail": "<b>No</b>\u202e\x07\n" + "x" * 100_000})
    shown = "<b>No</b>\ufffd\ufffd\ufffd" + "x" * 288
    other = "The service says 403."
    page = device()
    for body, wanted in {long: shown, '{"detail":["x"]}': other, "null": other, "": other}.items():
        page.unroute_all()
        page.route("**/progress", partial(fulfilled, body=body))
        page.goto(f"{service.url}/surveys/life/results")
        page.get_by_text(wanted, exact=True).wait_for()
    device.said.clear()  # that there was a status of 403


PLACES = {
    "/login": "Log in",
    "/": "Surveys",
    "/new": "What to expect",
    "/surveys/life/settings": "Invitations",
    "/surveys/life/results": "Which fruit? × Where?",
    "/surveys/life/answer": "Send",
    "/surveys/words/results": "300 people",
    "/surveys/words/answer": "Send",
    "/surveys/nope/answer": languages()["en"]["missing_title"],
}


def for_everyone(page, width):
    """Whether a page has nothing that axe finds wrong, by day and by night, and fits."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], scheme
    return page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [375, 1280])
def test_every_page_is_for_everyone_and_fits(device, service, width):
    page = device(viewport={"width": width, "height": 800})
    ours = {"Sec-Fetch-Site": "same-origin"}
    page.request.post(f"{service.url}/login", form={"token": service.token}, headers=ours)
    for path, said in PLACES.items():
        page.goto(service.url + path)
        page.get_by_text(said).first.wait_for()
        assert for_everyone(page, width), path
    one = Survey("Yes?", ["yes", "no"], 1.0, id=f"yes-{width}")
    service.client().create(one)
    answer(page, f"{service.url}/surveys/{one.id}/answer", "yes")
    page.get_by_text(wording("bytes")).click()
    assert for_everyone(page, width)
    assert "status of 404" in device.said.pop()


@pytest.mark.parametrize("path", PLACES)
def test_every_page_is_light(device, service, path):
    """As the browser's own network log has it: packed, and unpacked without scripts' comments."""
    page, came = device(), []
    page.on("response", lambda response: came.append(response))
    ours = {"Sec-Fetch-Site": "same-origin"}
    page.request.post(f"{service.url}/login", form={"token": service.token}, headers=ours)
    page.goto(service.url + path)
    page.get_by_text(PLACES[path]).first.wait_for()
    page.wait_for_timeout(200)
    bodies = [(one.url, one.body(), one.request.sizes()["responseBodySize"]) for one in came]
    assert sum(sent for *_, sent in bodies) < 40_000
    bare = [without_comments(body.decode()) for url, body, _ in bodies if url.endswith(".js")]
    others = [body for url, body, _ in bodies if not url.endswith(".js")]
    assert sum(len(one) for one in [*bare, *others]) < 62_000
    device.said.clear()  # that one page is not there


def test_a_long_contract_is_checked_in_a_worker_under_the_pages_own_policy(device, service):
    towns = Survey("Which town?", [f"a town with the number {i}" for i in range(5000)], 1.0)
    service.client().create(towns)
    page = device()
    page.goto(f"{service.url}/surveys/{towns.id}/answer")
    page.get_by_role("combobox").fill("a town with the number 4711")
    page.get_by_role("button", name="Send").click()
    page.get_by_text(wording("sent")).wait_for()
    assert len(page.workers) == 1
