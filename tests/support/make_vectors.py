"""Writes vectors/algorithm.json, others.json, sets.json, contracts.json and answers.json.

All but the last two are from the naive twins, and those two are compared with them by tests.

Called as python tests/support/make_vectors.py.
"""

from __future__ import annotations

import json
import warnings
from hashlib import sha256
from pathlib import Path

import naive
import naive_others
import naive_sets
from privet import Questionnaire, Scale, Several, Survey, entropy
from privet.errors import Clamped
from privet.mechanisms import (
    GeometricNoise,
    KSubset,
    ListedSets,
    OneOption,
    Rappor,
    SetSubset,
    for_one,
)

FOLDER = Path(__file__).parents[1] / "vectors"
SECRET = bytes(range(32))


def random_bytes(label, size):
    """Pinned pseudo-random bytes: SHA-256 in counter mode."""
    blocks = (sha256(f"{label}/{i}".encode()).digest() for i in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def surveys():
    for d in (2, 3, 5, 16, 100, 1000):
        categories = names(d)
        for epsilon in (0.1, 1.0, 3.0):
            for name in ("k-subset", "multivariate-rr", "binary-rr"):
                yield Survey("Vector", categories, epsilon, mechanism=name)
        # Sets of more than half the domain, and starts that must mend in both directions.
        yield Survey("Vector", categories, 1.0, mechanism=KSubset(d, 1.0, d - 1))
        if d >= 16:
            yield Survey("Vector", categories, 1.0, mechanism=KSubset(d, 1.0, 3 * d // 4))
            for start in ([1, 1], [5, 4]):
                parameters = {**KSubset(d, 1.0).parameters, "start": start}
                mechanism = KSubset.from_parameters(d, 1.0, parameters)
                yield Survey("Vector", categories, 1.0, mechanism=mechanism)


def case(survey, value, label):
    d, m = len(survey.categories), survey.mechanism
    stream = naive.Bytes(random_bytes(label, 64 * d + 4000))
    if m.name == "binary-rr":
        members, k = naive.binary_rr(stream, value, d, m.flip), None
    else:
        members, k = naive.k_subset(stream, value, d, m.k, m.odds, m.scale, m.start), m.k
    used = bytes(stream.data[: stream.used])
    return {"value": value, "bytes": used.hex(), "report": naive.pack(members, d, k).hex()}


OTHER_SIZES = [(2, 1.0), (5, 0.5), (16, 2.0), (37, 1.0)]

REFUSED = [
    (10, 3, "0704", "a bit beyond the first 10"),
    (10, 3, "0300", "two members"),
    (10, 3, "0f00", "four members"),
    (10, 3, "07", "too short"),
    (10, 3, "070000", "too long"),
    (100, 2, "e401", "an index of 100"),
    (100, 2, "8701", "indices that decrease"),
    (100, 2, "8703", "indices that repeat"),
    (100, 2, "8343", "a bit beyond the first 14"),
]


def entry(survey, cases):
    mechanism = {"name": survey.mechanism.name, **survey.mechanism.parameters}
    return {
        "d": len(survey.categories),
        "epsilon": survey.epsilon,
        "mechanism": mechanism,
        "cases": cases,
    }


def algorithm():
    """The k-subset mechanism and binary randomized response."""
    entries = []
    for number, survey in enumerate(surveys()):
        d = len(survey.categories)
        labels = [(x, f"{number}/{x}/{i}") for x in sorted({0, d // 2, d - 1}) for i in range(2)]
        entries.append(entry(survey, [case(survey, x, label) for x, label in labels]))
    refused = [{"d": d, "k": k, "report": report, "why": why} for d, k, report, why in REFUSED]
    return {"version": 1, "surveys": entries, "refused": refused}


def others():
    """The mechanisms that these are compared with."""
    entries = []
    special = [Rappor(5, 1.0, cohorts=300, bits=9, hashes=3), GeometricNoise(4, 0.05)]
    for name in naive_others.SAMPLERS:
        special += [for_one[name](d, e) for d, e in OTHER_SIZES]
    for mechanism in special:
        d, sample = mechanism.d, naive_others.SAMPLERS[mechanism.name]
        survey = Survey("Vector", names(d), mechanism.epsilon, mechanism=mechanism)
        cases = []
        for x in sorted({0, d // 2, d - 1}):
            label = f"{mechanism!r}/{x}"
            stream = naive.Bytes(random_bytes(label, 400 * d + 4000))
            report = sample(stream, x, d, mechanism.parameters)
            used = bytes(stream.data[: stream.used])
            cases.append({"value": x, "bytes": used.hex(), "report": report.hex()})
        entries.append(entry(survey, cases))
    return {"version": 1, "surveys": entries}


SET_SHAPES = [
    (2, 1.0, 1, 1), (2, 1.0, 2, 2), (5, 0.5, 2, 1), (10, 1.0, 3, 1), (10, 0.1, 3, 2),
    (37, 1.0, 4, 9), (100, 1.0, 5, 5), (300, 2.0, 10, 3), (300, 0.5, 300, 40), (1000, 0.1, 3, 157),
]  # fmt: skip


OTHER_SHAPES = [
    OneOption(2, 1.0, 1), OneOption(10, 0.5, 5), OneOption(128, 1.0, 3), OneOption(129, 2.0, 100),
    ListedSets(2, 1.0, 1), ListedSets(4, 0.5, 4), ListedSets(5, 3.0, 2), ListedSets(12, 1.0, 3),
    ListedSets(12, 6.0, 12), ListedSets(90, 4.0, 2),
]  # fmt: skip


def sets():
    """Several choices of one question."""
    entries = []
    for mechanism in [SetSubset(*shape) for shape in SET_SHAPES] + OTHER_SHAPES:
        d, epsilon, most = mechanism.d, mechanism.epsilon, mechanism.most
        sample = naive_sets.SAMPLERS[mechanism.name]
        cases = []
        for value in ([], [d - 1], [*range(most)], [*range(d - most, d)][:2]):
            stream = naive.Bytes(random_bytes(f"{mechanism!r}/{value}", 40_000))
            if (
                len(cases) == 3 and getattr(mechanism, "overlaps", [[]])[0]
            ):  # a second word, as good as never needed
                lead = mechanism.overlaps[0][0].to_bytes(8, "little")
                stream.data[:24] = bytes(8) + lead + b"\xff" * 8
            report = sample(stream, value, d, mechanism.parameters)
            used = bytes(stream.data[: stream.used])
            cases.append({"value": value, "bytes": used.hex(), "report": report.hex()})
        parameters = {"name": mechanism.name, **mechanism.parameters}
        entries.append({"d": d, "epsilon": epsilon, "mechanism": parameters, "cases": cases})
    return {"version": 1, "mechanisms": entries}


def contracts(kept):
    """Canonical texts, fingerprints, keyed reports, and the start of every new survey.

    Surveys of version 1 are no longer made: theirs are kept as they are.
    """
    keyed = [old for old in kept if json.loads(old["survey"])["privet"] == 1]
    made = [Survey("Vector", names(37), 1e-05 if name == "one-bit" else 1.0, mechanism=name)
            for name in for_one]  # fmt: skip
    made.append(Survey('¿Café "crème"?', ["sí / oui", "tab\\slash", "日本", "🙂"], 0.25))
    for survey in made:
        value = len(survey.categories) - 2
        said = {"survey": survey.to_json(), "fingerprint": survey.fingerprint, "value": value}
        keyed.append({**said, "secret": SECRET.hex(), **keyed_report(survey, value)})
    starts = [
        [d, k, *KSubset(d, 1.0, k).start]
        for d in (2, 3, 9, 16, 40, 64, 65, 100, 129, 255, 256, 257, 300, 511, 512, 1000, 4096)
        for k in sorted({1, 2, d // 9, d // 5, d // 4, d // 3, d // 2, 2 * d // 3, d - 1})
        if 0 < k < d
    ]
    return {"version": 2, "surveys": keyed, "starts": starts}


def keyed_report(survey, value):
    """A keyed report; over a permanent response, one from pinned fresh bytes."""
    if not survey.mechanism.needs_secret:
        return {"report": survey.randomize(survey.categories[value], secret=SECRET).hex()}
    context = bytes.fromhex(survey.fingerprint) + value.to_bytes(8, "big")
    permanent = naive.Bytes(entropy.keyed(SECRET, context)(10_000))
    fresh = naive.Bytes(random_bytes("fresh", 10_000))
    d, parameters = len(survey.categories), survey.mechanism.parameters
    report = naive_others.two_level_unary(permanent, value, d, parameters, fresh)
    return {"fresh": bytes(fresh.data[: fresh.used]).hex(), "report": report.hex()}


KINDS = {
    Several(["tea", "coffee", "milk"], most=2): [[], ["milk"], ["coffee", "tea"]],
    Several([f"c{i}" for i in range(40)], most=40): [[], ["c39", "c0", "c7"]],
    Scale(0, 120, cells=61, unit="years"): [0, 35, 34, 119.999, 120, -3, 1e9, 0.1],
    Scale(-40.5, 60, cells=2048, bands=[0.0, 15.5, 30.0]): [-40.5, 0.1, 36.6, -1e-300, 60],
    Scale(1, 5, whole=True): [1, 4, 5, 6],
}


def answers():
    """Kinds of answer and questionnaires: contracts, pages, the bytes of values, keyed reports."""
    surveys = [
        {**said(survey), "cases": [one_case(survey, answer) for answer in given]}
        for kind, given in KINDS.items()
        for survey in [Survey("Vector", kind, 1.0)]
    ]
    questionnaires = [
        {**said(one), "cases": [page_case(one, *given) for given in people(one)]}
        for one in (party(None), party({"drink": 0.5, ("age", "drink"): 0.5}), long())
    ]
    return {"version": 1, "surveys": surveys, "questionnaires": questionnaires}


def said(contract):
    return {"contract": contract.to_json(), "fingerprint": contract.fingerprint}


def one_case(survey, answer):
    value = survey.answers.value(answer)
    context, report = survey.answers.context(value), survey.randomize(answer, secret=SECRET)
    found = {"value": safe(value), "context": context.hex(), "report": report.hex()}
    return {"secret": SECRET.hex(), "answer": answer, **found}


def page_case(questionnaire, secret, given):
    page = questionnaire.draw(secret=secret)
    value = page.value(given)
    report = questionnaire.randomize(given, secret=secret)
    context = page.number.to_bytes(8, "big") + page.answers.context(value)
    found = {"value": safe(value), "context": context.hex(), "report": report.hex()}
    return {"secret": secret.hex(), "answers": given, "page": page.number, **found}


def safe(value):
    """Integers that JavaScript would round are text."""
    return str(value) if isinstance(value, int) and value > 2**53 else value


def party(shares):
    questions = [
        Survey("¿Qué bebes?", ["té", "café", "leche"], 0.5, id="drink"),
        Survey("Age?", Scale(0, 120, unit="years", whole=True, bands=[18, 65]), 0.5, id="age"),
        Survey("Cakes?", Several([f"cake {i}" for i in range(12)], most=3), 0.5, id="cakes"),
    ]
    tables = [("age", "drink")]
    return Questionnaire("Party", questions, 0.5, tables=tables, shares=shares)


def long():
    """More pages than a byte can number."""
    return Questionnaire(
        "Long", [Survey("?", ["a", "b"], 1.0, id=f"q{i}") for i in range(300)], 1.0
    )


def people(questionnaire):
    given: dict[str, object]
    for i in range(12):
        if len(questionnaire.surveys) > 3:
            given = {one.id: "ab"[i % 2] for one in questionnaire.surveys}
        else:
            cakes = [f"cake {j}" for j in range(i % 4)]
            given = {"drink": ["té", "café", "leche"][i % 3], "age": 11 * i + 7, "cakes": cakes}
        secret = random_bytes(f"person {i}", 16 + i)
        asks = questionnaire.draw(secret=secret).asks
        yield secret, {name: given[name] for name in asks}


def names(d):
    return [f"c{i}" for i in range(d)]


def main():
    path = FOLDER / "contracts.json"
    kept = json.loads(path.read_text())["surveys"] if path.exists() else []
    made = {"algorithm": algorithm(), "others": others(), "sets": sets()}
    made["contracts"] = contracts(kept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Clamped)  # numbers beyond the ends are among them
        made["answers"] = answers()
    for name, document in made.items():
        lists = {
            key: "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
            for key, rows in document.items()
            if isinstance(rows, list)
        }
        fields = {"version": document["version"], **lists}
        text = ",\n".join(f'"{key}": {value}' for key, value in fields.items())
        (FOLDER / f"{name}.json").write_text(f"{{\n{text}\n}}\n")


if __name__ == "__main__":
    main()
