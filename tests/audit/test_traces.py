"""What depends on an answer besides its report is found, and nothing else is."""

import base64
import json
from itertools import product
from math import prod

import numpy as np
import pytest
from scipy.stats import binom

from privet import Questionnaire, Scale, Survey
from privet.audit import Page, audit
from privet.audit.browsing import KeptOnDevice, Visit
from privet.audit.recorder import Sent
from privet.audit.subjects import probes
from privet.audit.traces import given_reports, search
from privet.errors import InvalidArgument
from refusing import refused

NAMES = ["tea", "coffee", "water"]
SITE = "http://site.test"


def survey(epsilon=1.0):
    return Survey("What?", NAMES, epsilon, id="what", mechanism="k-subset")


def get(path, **headers):
    return Sent("GET", SITE + path, tuple(headers.items()), b"", "send")


def visits_of(contract, rng, n, *parts):
    """Visits whose parts are functions of a random generator, the report and the answer."""
    asked = probes(contract, 3, rng)
    labels = rng.integers(3, size=n)
    visits = []
    for label in labels:
        report = contract.randomize(asked[label].answer)
        found = [part(rng, report, asked[label].answer) for part in parts]
        sent = tuple(one for one in found if isinstance(one, Sent))
        kept = tuple(one for one in found if isinstance(one, KeptOnDevice))
        visits.append(Visit(report, sent, kept, {}))
    return visits, labels, asked


def traces(contract, rng, n, *parts, alpha=1e-6):
    visits, labels, asked = visits_of(contract, rng, n, *parts)
    return search(visits, labels, asked, contract, alpha).traces


# --- honest parts: random, or functions of the report -------------------------------------------


def key(rng, report, answer):
    return get("/a", Key=base64.urlsafe_b64encode(rng.bytes(16)).decode())


def sometimes(rng, report, answer):
    return get("/sometimes") if rng.random() < 0.3 else None


def stored(rng, report, answer):
    return KeptOnDevice("localStorage", f"{SITE} report", report.hex())


def if_it_supports_tea(rng, report, answer):
    return get("/supports") if report[0] & 1 else None


def under_any_key(rng, report, answer):
    return KeptOnDevice("localStorage", f"{SITE} {rng.bytes(8).hex()}", rng.bytes(4).hex())


HONEST = key, sometimes, stored, if_it_supports_tea, under_any_key


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_false_alarms_are_as_rare_as_they_are_said_to_be(epsilon):
    contract = survey(epsilon)
    alarms = sum(
        bool(traces(contract, np.random.default_rng(i), 60, *HONEST, alpha=0.1)) for i in range(50)
    )
    assert alarms <= binom.isf(1e-6, 50, 0.1)


# --- leaks --------------------------------------------------------------------------------------


def rarely(rng, report, answer):
    return get("/rarely") if answer == "tea" and rng.random() < 0.3 else None


def as_a_bit(rng, report, answer):
    raw = bytearray(rng.bytes(16))
    raw[3] = raw[3] & 0xBF | (answer == "coffee") << 6
    return get("/a", Key=base64.urlsafe_b64encode(raw).decode().rstrip("="))


def as_a_remainder(rng, report, answer):
    raw = bytearray(rng.bytes(8))
    raw[2] = raw[2] % 85 * 3 + NAMES.index(answer)
    return get(f"/a?id={raw.hex()}")


def in_base64(rng, report, answer):
    """The answer somewhere in a longer text that is never the same."""
    text = rng.bytes(3 * int(rng.integers(1, 9)) + 1).hex() + answer + rng.bytes(5).hex()
    return get("/a", Blob=base64.b64encode(text.encode()).decode())


def by_length(rng, report, answer):
    return get("/a", Padding="".join(rng.choice(list("abcd"), 9 + len(answer))))


def in_a_path(rng, report, answer):
    return get(f"/{rng.bytes(8).hex()}/{NAMES.index(answer)}")


def as_a_cookie(rng, report, answer):
    return get("/a", Cookie=f"session=1; drink={answer}")


def in_a_form(rng, report, answer):
    body = f"x=1&drink={NAMES.index(answer)}".encode()
    return Sent("POST", f"{SITE}/log", (), body, "later")


def two_requests(rng, report, answer):
    return get("/a", X="y" if answer != "tea" else "")


# Under names that no two visits have.


def at_a_host(rng, report, answer):
    host = f"{rng.bytes(8).hex()}-{NAMES.index(answer)}.elsewhere.test"
    return Sent("GET", f"http://{host}/a", (), b"", "send")


def in_a_tunnel(rng, report, answer):
    return Sent("CONNECT", f"//{answer}-{rng.bytes(8).hex()}.test:443", (), b"", "send")


def under_a_random_key(rng, report, answer):
    return KeptOnDevice("localStorage", f"{SITE} {rng.bytes(8).hex()}", str(NAMES.index(answer)))


def in_a_random_key(rng, report, answer):
    return KeptOnDevice("sessionStorage", f"{SITE} {NAMES.index(answer)}{rng.bytes(8).hex()}", "")


def in_a_random_cookie(rng, report, answer):
    return get("/a", Cookie=f"c{rng.bytes(8).hex()}={answer}")


def in_a_random_header(rng, report, answer):
    return get("/a", **{f"X-{rng.bytes(8).hex()}": answer})


LEAKY = [
    (rarely, "request", "/rarely"),
    (as_a_bit, "header", "Key of GET http://site.test/a"),
    (as_a_remainder, "query parameter", "id of GET http://site.test/a"),
    (in_base64, "header", "Blob of GET http://site.test/a"),
    (by_length, "header", "Padding of GET http://site.test/a"),
    (in_a_path, "request", "GET http://site.test/…"),
    (as_a_cookie, "cookie", "drink of GET http://site.test/a"),
    (in_a_form, "body of a request", "drink of POST http://site.test/log"),
    (two_requests, "header", "X of GET http://site.test/a"),
    (at_a_host, "request", "GET http://…"),
    (in_a_tunnel, "connection", "CONNECT …"),
    (under_a_random_key, "localStorage", f"{SITE} …"),
    (in_a_random_key, "sessionStorage", f"{SITE} …"),
    (in_a_random_cookie, "cookie", "… of GET http://site.test/a"),
    (in_a_random_header, "header", "… of GET http://site.test/a"),
]


@pytest.mark.parametrize(("leak", "kind", "where"), LEAKY, ids=lambda one: str(one)[:24])
def test_a_leak_is_found_among_honest_parts(leak, kind, where):
    contract = survey()
    rng = np.random.default_rng(7)
    honest = [part for part in HONEST if part not in (key, under_any_key)]
    found = traces(contract, rng, 300, leak, *honest)
    hits = [one for one in found if one.kind == kind and where in one.where]
    assert hits, found
    assert hits[0].value != hits[0].other_value
    assert hits[0].of != hits[0].other
    assert not any("/sometimes" in one.where or "report" in one.where for one in found)
    assert traces(contract, rng, 300, *honest) == []


def test_a_leak_is_found_beside_a_report_that_says_nearly_all():
    """At ε = 4, 95 % of reports are the answer; the others say which parts are more than that."""
    contract = survey(4.0)
    rng = np.random.default_rng(1)
    assert traces(contract, rng, 600, stored, as_a_cookie)[0].kind == "cookie"
    assert traces(contract, rng, 600, stored, if_it_supports_tea) == []


def test_p_values_are_those_of_the_definition():
    contract = survey()
    rng = np.random.default_rng(5)
    visits, labels, asked = visits_of(contract, rng, 9, as_a_cookie)
    odds = given_reports(contract.mechanism, [one.report for one in visits], asked)
    law = contract.mechanism.probability
    for visit, row in zip(visits, odds, strict=True):
        chances = [law(visit.report, one.value) for one in asked]
        assert row == pytest.approx([float(one / sum(chances)) for one in chances])
    found = search(visits, labels, asked, contract, 0.9).traces
    assert found
    for one in found:
        place = [probe.answer for probe in asked].index(one.of)
        held = [i for i in range(9) if asked[labels[i]].answer == one.of]
        assert (one.seen, one.seen_else) == (len(held), 0)
        ways = [
            prod(
                odds[i, place] if tea else 1 - odds[i, place]
                for i, tea in zip(held, way, strict=True)
            )
            for way in product([0, 1], repeat=len(held))
            if sum(way) >= one.seen
        ]
        assert one.p == pytest.approx(sum(ways))


def test_an_answer_that_the_element_keeps_is_found_like_any_other():
    contract = survey()

    def kept(with_answer):
        def item(rng, report, answer):
            said = {"report": report.hex(), "key": rng.bytes(16).hex(), "state": "sent"}
            more = {"answer": str(NAMES.index(answer))} if with_answer else {}
            name = f"{SITE} privet {SITE} what {contract.fingerprint}"
            return KeptOnDevice("localStorage", name, json.dumps({**more, **said}))

        return item

    rng = np.random.default_rng(1)
    assert traces(contract, rng, 200, kept(False)) == []
    (found, *_) = traces(contract, rng, 200, kept(True))
    assert found.kind == "localStorage"
    assert found.of != found.other


AGE = Survey("How old?", Scale(0, 100, cells=8), 1.0, id="age")
BOTH = Questionnaire("Both", [survey(), AGE], 1.0)


@pytest.mark.parametrize("contract", [AGE, BOTH], ids=["scale", "questionnaire"])
def test_numbers_and_questionnaires(contract):
    rng = np.random.default_rng(2)

    def told(rng, report, answer):
        return get("/a", Told=json.dumps(answer))

    assert traces(contract, rng, 200, stored) == []
    assert any(one.kind == "header" for one in traces(contract, rng, 200, stored, told))


# --- in an audit --------------------------------------------------------------------------------


class Replayed(Page):
    """A page whose visits leave what the tests say, without a browser."""

    parts = HONEST

    def visits(self, answers):
        rng = np.random.default_rng(1)
        for answer in answers:
            report = self.survey.randomize(answer)
            found = [part(rng, report, answer) for part in self.parts]
            sent = tuple(one for one in found if isinstance(one, Sent))
            yield Visit(
                report, sent, tuple(one for one in found if isinstance(one, KeptOnDevice)), {}
            )

    def repeats(self, answer, times):
        return [self.survey.randomize(answer, secret=b"0" * 32)] * times


class Telling(Replayed):
    parts = (*HONEST, as_a_cookie)


def test_an_audit_of_a_page_has_a_verdict_on_what_else_it_leaves():
    contract = survey()
    sure = 1 - 1e-6
    passed = audit(contract, 100, sure, client=Replayed(SITE, contract), seed=1)
    assert passed.passed, passed
    assert passed["page"].figures["visits"] == 300
    assert 70 < passed.trials <= 100  # of the answer that was drawn least often
    failed = audit(contract, 100, sure, client=Telling(SITE, contract), seed=1)
    assert [one.name for one in failed.verdicts if one.passed is False] == ["page"]
    (trace, *_) = json.loads(json.dumps(failed.to_dict()))["verdicts"][4]["traces"]
    assert (trace["kind"], trace["value"], trace["of"]) == ("cookie", trace["of"], trace["of"])
    assert trace["other_value"] == trace["other"]


def test_pages_are_not_timed():
    client = Replayed(SITE, survey())
    with refused(InvalidArgument, parameter="timing", value=["python"]):
        audit(survey(), 100, client=client, timing=["python"])
