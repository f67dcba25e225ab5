"""Pages over HTTP: who sees which, what they say before any script, and how small they are."""

import re
from html import unescape

import pytest

from privet import Questionnaire, Scale, Several, Survey
from privet.service.languages import languages
from refusing import assert_names
from serving import JSON, Serving

ENGLISH = languages()["en"]
EVIL = "<script>alert('&\"')</script>"
DRINK = Survey(f"Tea? {EVIL}", ["yes", f"no {EVIL}", "$root"], 1.0, id="drink")
AGE = Survey("How old?", Scale(0, 120, 61, "years"), 1.0, id="age")
READS = Survey("Which?", Several(["books", "papers", "blogs"], most=2), 1.0, id="reads")
PARTY = Questionnaire("Party", [DRINK, AGE, READS], 1.0, id="party")
LONG = Survey("Where?", [f"town {i}" for i in range(60)], 2.0, id="long")
OURS = {"Sec_Fetch_Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        for contract in (DRINK, AGE, PARTY, LONG):
            server.client().create(contract)
        yield server


@pytest.fixture
def client(server):
    return server.client()


@pytest.fixture
def cookie(server, client):
    answer = client.ask("POST", "/login", f"token={server.token}".encode(), **OURS)
    return answer.headers["set-cookie"].partition(";")[0]


OWN = ["/", "/new", "/surveys/drink/settings"]
EVERYONES = ["/login", "/surveys/drink/results", "/surveys/drink/answer", "/surveys/party/answer"]


@pytest.mark.parametrize("path", OWN)
def test_the_administrators_pages_lead_others_to_the_login(client, cookie, path):
    answer = client.get(path)
    assert (answer.status, answer.headers["location"]) == (303, "/login")
    assert client.get(path, Cookie=cookie).status == 200
    assert client.get(path, admin=True).status == 200


@pytest.mark.parametrize("path", EVERYONES)
def test_everyone_sees_the_others_and_gets_no_cookie(client, path):
    answer = client.get(path)
    assert (answer.status, "set-cookie" in answer.headers) == (200, False)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", [*OWN, *EVERYONES, "/surveys/party/results"])
def test_what_people_wrote_is_text(client, path):
    text = client.get(path, admin=True).body.decode()
    assert "alert(" not in text.replace("alert(&#39;&amp;&#34;&#39;)", "")
    scripts = re.findall("<script[^>]*>", text)
    assert all(
        re.fullmatch(r'<script type="module" src="/static/[\w-]+.js">', one) for one in scripts
    )
    assert " style=" not in text
    assert not re.search(r" on\w+=", text)
    assert not re.search('(src|href)="(https?:)?//', text)


@pytest.mark.parametrize("path", [*OWN, *EVERYONES, "/surveys/age/results"])
def test_a_page_with_all_its_files_is_small(client, path):
    """The limit is of what is sent, packed; scripts bring the scripts that they import."""
    text = client.get(path, admin=True).body
    size, waiting, seen = len(text), re.findall('/static/([^"]+)"', text.decode()), set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        size += len(client.get(f"/static/{name}", Accept_Encoding="gzip").body)
        source = client.get(f"/static/{name}").body.decode()
        waiting += re.findall('from "./([a-z-]+.js)"', source)
    assert seen >= {"privet.css", "icon.svg"}
    assert size < 60_000


def test_the_dashboard_says_what_to_do_or_what_there_is(client, tmp_path):
    with Serving(tmp_path) as empty:
        text = empty.client().get("/", admin=True).body.decode()
        assert 'href="/new"' in text
        assert "data-id=" not in text
    client.send("age", AGE.randomize(30))
    client.ask("POST", "/surveys/long/close", admin=True)
    text = client.get("/", admin=True).body.decode()
    assert "4 surveys" in text
    rows = dict(re.findall(r'(?s)data-id="(\w+)"(.*?)</li>', text))
    assert "<b data-reports>1</b>" in rows["age"]
    assert "state open" in rows["age"]
    assert "state closed" in rows["long"]
    assert "data-close hidden" in rows["long"]


def test_the_respondents_page_says_all_without_a_script(client):
    text = client.get("/surveys/party/answer").body.decode()
    for said in (
        "Party", "How old?", "0 to 120 years", "books", "ε = 1", "73 %", PARTY.fingerprint,
        "<noscript>", ENGLISH["script_title"], ENGLISH["several"].format(most=2),
    ):  # fmt: skip
        assert said in text
    assert f'src="/surveys/party" fingerprint="{PARTY.fingerprint}"' in text
    single = client.get("/surveys/drink/answer").body.decode()
    assert "KSubset(d=3" in single
    assert ENGLISH["one_of"].format(count=3) in text
    assert ENGLISH["one_of"].partition("{")[0] not in single


def test_a_closed_survey_is_not_asked_and_many_answers_are_cut_short(client):
    client.ask("POST", "/surveys/long/close", admin=True)
    text = client.get("/surveys/long/answer").body.decode()
    assert ENGLISH["closed_title"] in text
    assert "<privet-survey" not in text
    assert "town 49<" in text
    assert "town 50<" not in text
    assert ENGLISH["more"].format(count=10) in text


def test_a_survey_that_is_not_there_has_a_page_that_says_so(client):
    gone = Survey("Gone?", ["yes", "no"], 1.0, id="gone")
    client.create(gone)
    client.ask("DELETE", "/surveys/gone", admin=True)
    for page in ("answer", "results", "settings"):
        for id, status in (("nope", 404), ("gone", 410)):
            answer = client.get(f"/surveys/{id}/{page}", admin=True)
            assert (answer.status, ENGLISH["missing_title"] in answer.body.decode()) == (
                status,
                True,
            )


@pytest.mark.parametrize(
    ("header", "query", "lang"),
    [
        ("de-CH,de;q=0.9,en;q=0.8", "", "de"),
        ("fr", "", "fr"),
        ("fr;q=0.2,de;q=0.7", "", "de"),
        ("it,ja;q=0.5", "", "en"),
        ("x;q=nonsense,,", "", "en"),
        ("de", "?lang=fr", "fr"),
        ("de", "?lang=xx", "de"),
    ],
    ids=str,
)
def test_respondents_read_their_own_language(client, header, query, lang):
    text = client.get(f"/surveys/party/answer{query}", Accept_Language=header).body.decode()
    assert f'<html lang="{lang}">' in text
    assert languages()[lang]["lead"] in unescape(text)
    others = set(re.findall(r'href="\?lang=(\w+)"', text))
    assert others == {"en", "de", "fr"} - {lang}


def test_settings_show_what_is(client):
    hidden = Survey("Hidden?", ["yes", "no"], 1.0, id="hidden")
    query = "?invited=true&public_from=null&origins=https://a.example&counts_only=true"
    body = hidden.to_json().encode()
    assert client.ask("POST", f"/surveys{query}", body, admin=True, **JSON).status == 201
    text = client.get("/surveys/hidden/settings", admin=True).body.decode()
    assert 'name="invited" checked' in text
    assert 'value="never" checked' in text
    assert 'value="some">' in text
    assert ">https://a.example</textarea>" in text
    assert "Counts alone" in text
    assert client.ask("DELETE", "/surveys/hidden", admin=True).status == 204


def test_progress_says_why_there_is_nothing_to_see(client):
    some = Survey("Some?", ["yes", "no"], 1.0, id="some")
    body = some.to_json().encode()
    client.ask("POST", "/surveys?public_from=2", body, admin=True, **JSON)
    said = client.get("/surveys/some/progress").json
    assert (said["open"], said["results"]) == (True, "private")
    assert_names(said["detail"], "2 reports")
    assert client.get("/surveys/some/progress", admin=True).json["results"] == "none"
    client.send("some", some.randomize("yes"))
    refused = client.get("/surveys/some/estimate")
    assert (refused.status, refused.json["reason"]) == (403, "private")
    assert refused.json["detail"] == said["detail"]
    assert client.get("/surveys/some/estimate", admin=True).status == 200
    client.send("some", some.randomize("yes"))
    assert client.get("/surveys/some/progress").json["results"] == "shown"
    assert client.get("/surveys/some/estimate").status == 200
    client.ask("PATCH", "/surveys/some", b'{"public_from": null}', admin=True, **JSON)
    never = client.get("/surveys/some/estimate").json
    assert (never["reason"], never["detail"] == said["detail"]) == ("private", False)
    client.ask("DELETE", "/surveys/some", admin=True)
    assert client.get("/surveys/some/progress").status == 410


def test_pages_below_a_path_stay_there(tmp_path):
    with Serving(tmp_path, more=["--prefix", "/ask"]) as server:
        client = server.client()
        answer = client.get("/ask/")
        assert (answer.status, answer.headers["location"]) == (303, "/ask/login")
        text = client.get("/ask/", admin=True).body.decode()
        links = re.findall('(?:src|href|action)="([^"#]+)"', text)
        assert all(link.startswith("/ask/") for link in links)
        assert client.get("/ask/static/privet.css").status == 200
