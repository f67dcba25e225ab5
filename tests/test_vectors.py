"""The published vectors: the single-report path and the naive twins agree with them."""

import hashlib
import hmac
import json
from itertools import accumulate
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import naive
import naive_others
import naive_sets
from privet import Questionnaire, Survey
from privet.device.canonical import decode, encode
from privet.device.mechanisms.subsets.start import usual_start
from privet.entropy import Stream
from privet.errors import InvalidReport
from privet.mechanisms import KSubset, by_name, for_one, for_several

FOLDER = Path(__file__).parent / "vectors"
ALGORITHM, OTHERS, CONTRACTS, DESIGNS, SETS, ANSWERS = (
    json.loads((FOLDER / f"{name}.json").read_text())
    for name in ("algorithm", "others", "contracts", "designs", "sets", "answers")
)


def mechanism_of(entry):
    parameters = dict(entry["mechanism"])
    kind = by_name[parameters.pop("name")]
    return kind.from_parameters(entry["d"], entry["epsilon"], parameters)


def twin(mechanism, stream, value):
    """The report by the naive twin."""
    d = mechanism.d
    if mechanism.name in naive_sets.SAMPLERS:
        return naive_sets.SAMPLERS[mechanism.name](stream, value, d, mechanism.parameters)
    if mechanism.name in naive_others.SAMPLERS:
        return naive_others.SAMPLERS[mechanism.name](stream, value, d, mechanism.parameters)
    if mechanism.name == "binary-rr":
        return naive.pack(naive.binary_rr(stream, value, d, mechanism.flip), d)
    integers = mechanism.k, mechanism.odds, mechanism.scale, mechanism.start
    return naive.pack(naive.k_subset(stream, value, d, *integers), d, mechanism.k)


@pytest.mark.parametrize(
    "entry",
    ALGORITHM["surveys"] + OTHERS["surveys"] + SETS["mechanisms"],
    ids=lambda e: f"{e['mechanism']['name']}-{e['d']}",
)
def test_bytes_in_report_out(entry):
    mechanism = mechanism_of(entry)
    for case in entry["cases"]:
        data, report = bytes.fromhex(case["bytes"]), bytes.fromhex(case["report"])
        pieces = [data]
        stream = Stream(lambda size, pieces=pieces: pieces.pop(), len(data))
        assert mechanism.sample(case["value"], stream) == report
        assert stream._at == len(data)
        assert twin(mechanism, naive.Bytes(data), case["value"]) == report
        assert mechanism.problem(report) is None


def keyed_bytes(version, key):
    """The stream of section 7 of docs/algorithm.md, from its primitives."""
    if version == 1:
        cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        return cipher.update(bytes(20_000))
    counters = (i.to_bytes(8, "big") for i in range(600))
    return b"".join(hmac.digest(key, counter, hashlib.sha256) for counter in counters)


@pytest.mark.parametrize("entry", CONTRACTS["surveys"], ids=lambda e: e["fingerprint"][:8])
def test_survey_in_fingerprint_and_keyed_report_out(entry):
    survey = Survey.from_json(entry["survey"])
    assert survey.to_json() == entry["survey"]
    assert survey.fingerprint == entry["fingerprint"]
    assert survey.fingerprint == hashlib.sha256(entry["survey"].encode()).hexdigest()
    answer, secret = survey.categories[entry["value"]], bytes.fromhex(entry["secret"])
    message = b"privet answer " + bytes.fromhex(entry["fingerprint"])
    message += entry["value"].to_bytes(8, "big")
    key = hmac.digest(secret, message, hashlib.sha256)
    if survey.mechanism.needs_secret:
        assert renewed(survey, entry, key) == entry["report"]
        return
    assert survey.randomize(answer, secret=secret).hex() == entry["report"]
    if survey.mechanism.name not in ("cyclotomic", "projective", "hadamard"):
        stream = naive.Bytes(keyed_bytes(survey.version, key))
        assert twin(survey.mechanism, stream, entry["value"]).hex() == entry["report"]


def renewed(survey, entry, key):
    """The report from the keyed bytes of the permanent response and the fresh ones of the entry."""
    permanent, fresh = keyed_bytes(survey.version, key), bytes.fromhex(entry["fresh"])
    twins = naive.Bytes(permanent), naive.Bytes(fresh)
    mechanism, value = survey.mechanism, entry["value"]
    twin = naive_others.two_level_unary(
        twins[0], value, mechanism.d, mechanism.parameters, fresh=twins[1]
    )
    assert twins[1].used == len(fresh)
    first, second = (Stream(lambda size, data=data: data, 0) for data in (permanent, fresh))
    report = mechanism.renewed(mechanism.permanent(value, first), second)
    assert report == twin
    return report.hex()


# --- kinds of answer and questionnaires, by section 8 of docs/algorithm.md ----------------------


def place(kind, number):
    """P, of a number on a scale."""
    low, high, cells = float(kind["low"]), float(kind["high"]), kind["cells"]
    inside = min(max(float(number), low), high)
    return int(min((inside - low) * (cells - 1) / (high - low), cells - 1.0) * 2**52)


def value_of(question, answer):
    """What a report depends on, of one question's answer."""
    if "categories" in question:
        return question["categories"].index(answer)
    kind = question["answers"]
    if kind["kind"] == "several":
        return sorted(kind["options"].index(option) for option in answer)
    return place(kind, answer)


def joint_value(questions, answers):
    """What a page's report depends on: the first question's answers vary slowest."""
    if len(questions) == 1:
        return value_of(questions[0], answers[questions[0]["id"]])
    value = 0
    for question in questions:
        answer = answers[question["id"]]
        if "categories" in question:
            value = value * len(question["categories"]) + question["categories"].index(answer)
        else:
            kind = question["answers"]
            borders = [place(kind, border) for border in kind["bands"]]
            band = sum(border <= place(kind, answer) for border in borders)
            value = value * (len(borders) + 1) + band
    return value


def naive_report(scale, mechanism, value, key):
    """The page's report, or None where there is no twin."""
    stream = naive.Bytes(keyed_bytes(2, key))
    if scale:
        value = value // 2**52 + naive_others.coin(stream, value % 2**52 * 2**12, 2**64)
    if mechanism.name in ("cyclotomic", "projective", "hadamard"):
        return None
    return twin(mechanism, stream, value)


def key_of(entry, case, context):
    message = b"privet answer " + bytes.fromhex(entry["fingerprint"]) + context
    return hmac.digest(bytes.fromhex(case["secret"]), message, hashlib.sha256)


def in_bytes(value):
    values = value if isinstance(value, list) else [value]
    return b"".join(one.to_bytes(8, "big") for one in values)


def given(case):
    value = case["value"]
    return int(value) if isinstance(value, str) else value


@pytest.mark.filterwarnings("ignore::privet.errors.Clamped")
@pytest.mark.parametrize("entry", ANSWERS["surveys"], ids=lambda e: e["fingerprint"][:8])
def test_answers_of_other_kinds_in_keyed_reports_out(entry):
    survey, fields = Survey.from_json(entry["contract"]), json.loads(entry["contract"])
    assert survey.to_json() == entry["contract"]
    assert hashlib.sha256(entry["contract"].encode()).hexdigest() == entry["fingerprint"]
    for case in entry["cases"]:
        secret = bytes.fromhex(case["secret"])
        assert survey.randomize(case["answer"], secret=secret).hex() == case["report"]
        value = value_of(fields, case["answer"])
        assert value == given(case)
        assert in_bytes(value).hex() == case["context"]
        key, scale = key_of(entry, case, in_bytes(value)), survey.answers.kind == "scale"
        assert naive_report(scale, survey.mechanism, value, key).hex() == case["report"]


@pytest.mark.filterwarnings("ignore::privet.errors.Clamped")
@pytest.mark.parametrize("entry", ANSWERS["questionnaires"], ids=lambda e: e["fingerprint"][:8])
def test_answers_to_questionnaires_in_pages_and_keyed_reports_out(entry):
    questionnaire, fields = (
        Questionnaire.from_json(entry["contract"]),
        json.loads(entry["contract"]),
    )
    assert questionnaire.to_json() == entry["contract"]
    assert hashlib.sha256(entry["contract"].encode()).hexdigest() == entry["fingerprint"]
    questions = {one["id"]: one for one in fields["questions"]}
    ends = [*accumulate(page["weight"] for page in fields["pages"])]
    for case in entry["cases"]:
        secret = bytes.fromhex(case["secret"])
        assert questionnaire.randomize(case["answers"], secret=secret).hex() == case["report"]
        stream = naive.Bytes(keyed_bytes(2, key_of(entry, case, b"page")))
        drawn = naive_others.below(stream, ends[-1])
        number = sum(end <= drawn for end in ends)
        assert number == case["page"]
        asked = [questions[name] for name in fields["pages"][number]["asks"]]
        value = joint_value(asked, case["answers"])
        assert value == given(case)
        context = number.to_bytes(8, "big") + in_bytes(value)
        assert context.hex() == case["context"]
        mechanism = questionnaire.pages[number].mechanism
        scale = len(asked) == 1 and asked[0].get("answers", {}).get("kind") == "scale"
        report = naive_report(scale, mechanism, value, key_of(entry, case, context))
        sent, size = bytes.fromhex(case["report"]), 1 if len(ends) <= 256 else 2
        assert int.from_bytes(sent[:size], "little") == number
        longest = max(page.mechanism.report_bytes for page in questionnaire.pages)
        assert len(sent) == size + longest
        if report is not None:
            assert sent[size:] == report.ljust(longest, b"\0")


def test_these_vectors_cover_every_kind_clamped_numbers_and_two_bytes_of_page():
    kinds = [json.loads(entry["contract"])["answers"]["kind"] for entry in ANSWERS["surveys"]]
    assert set(kinds) == {"several", "scale"}
    fractions = [given(case) % 2**52 for entry in ANSWERS["surveys"][2:] for case in entry["cases"]]
    assert 0 < sum(fraction > 0 for fraction in fractions) < len(fractions)
    for entry in ANSWERS["questionnaires"][:2]:
        pages = {case["page"] for case in entry["cases"]}
        assert pages == {*range(len(json.loads(entry["contract"])["pages"]))}
    assert any(case["page"] > 255 for case in ANSWERS["questionnaires"][2]["cases"])


def test_a_survey_keeps_its_version():
    """Another version is another stream and another fingerprint, never a silent change."""
    old = next(e for e in CONTRACTS["surveys"] if '"privet":1' in e["survey"])
    survey = Survey.from_json(old["survey"])
    fields = decode(old["survey"])
    newer = encode({**fields, "privet": 2, "stream": "hmac-sha256"})
    again = Survey.from_json(newer)
    assert (survey.version, again.version) == (1, 2)
    assert survey != again
    secret = bytes(16)
    reports = [
        [s.randomize(answer, secret=secret) for answer in s.categories] for s in (survey, again)
    ]
    assert reports[0] != reports[1]


@pytest.mark.parametrize("entry", CONTRACTS["starts"], ids=str)
def test_the_start_of_a_new_survey_is_frozen(entry):
    """A retuning would make the same survey another one."""
    d, k, c, b = entry
    assert KSubset(d, 1.0, k).start == (c, b)
    if not KSubset(d, 1.0, k).index_bits:
        assert usual_start(d - 1, min(k, d - k) - 1) == (c, b)


@pytest.mark.parametrize("entry", ALGORITHM["refused"], ids=lambda e: e["why"].replace(" ", "-"))
def test_refused_reports(entry):
    with pytest.raises(InvalidReport):
        KSubset(entry["d"], 1.0, entry["k"]).check(bytes.fromhex(entry["report"]))


def test_the_vectors_cover_what_they_should():
    entries = ALGORITHM["surveys"]
    assert {entry["d"] for entry in entries} == {2, 3, 5, 16, 100, 1000}
    assert len({entry["epsilon"] for entry in entries}) >= 3
    subsets = [e for e in entries if e["mechanism"]["name"] == "k-subset"]
    assert any(2 * e["mechanism"]["k"] > e["d"] for e in subsets)
    assert {0, 1, 2} <= {e["mechanism"]["start"][1] for e in subsets}
    widths = {len(e["cases"][0]["report"]) // 2 for e in subsets}
    assert len(widths) > 4
    every = entries + OTHERS["surveys"] + DESIGNS["designs"]
    assert {entry["mechanism"]["name"] for entry in every} == set(for_one)
    kept = {decode(entry["survey"])["privet"] for entry in CONTRACTS["surveys"]}
    assert kept == {1, 2}
    assert len({bits for *_, bits in CONTRACTS["starts"]}) >= 5
    every = [mechanism_of(entry) for entry in SETS["mechanisms"]]
    assert {mechanism.name for mechanism in every} == set(for_several)
    lists = [mechanism for mechanism in every if mechanism.name == "listed-sets"]
    assert {bool(mechanism.index_bits) for mechanism in lists} == {True, False}
    sets = [mechanism for mechanism in every if mechanism.name == "set-subset"]
    assert {bool(mechanism.index_bits) for mechanism in sets} == {True, False}
    assert any(mechanism.d > 256 >= mechanism.most for mechanism in sets)
    # Some report took a second word for the number of points in which it meets the set.
    longer = [m.overlaps[0][0].to_bytes(8, "little").hex() for m in sets if m.overlaps[0]]
    cases = [case["bytes"] for entry in SETS["mechanisms"] for case in entry["cases"]]
    assert sum(case[16:32] in longer for case in cases) >= 5
