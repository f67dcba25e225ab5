"""Writes vectors/algorithm.json from the naive twin: python tests/make_vectors.py."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import naive

from privet import Survey
from privet.mechanisms import KSubset

PATH = Path(__file__).parents[1] / "vectors" / "algorithm.json"


def random_bytes(label, size):
    """Pinned pseudo-random bytes: SHA-256 in counter mode."""
    blocks = (sha256(f"{label}/{i}".encode()).digest() for i in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def surveys():
    for d in (2, 3, 5, 16, 100, 1000):
        categories = [f"c{i}" for i in range(d)]
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


def main():
    document = {"version": 1, "surveys": [], "keyed": [], "refused": []}
    for number, survey in enumerate(surveys()):
        d = len(survey.categories)
        cases = [
            case(survey, value, f"{number}/{value}/{i}")
            for value in sorted({0, d // 2, d - 1})
            for i in range(2)
        ]
        mechanism = {"name": survey.mechanism.name, **survey.mechanism.parameters}
        entry = {"d": d, "epsilon": survey.epsilon, "mechanism": mechanism, "cases": cases}
        document["surveys"].append(entry)
    for d in (3, 100):
        survey = Survey("Vector", [f"c{i}" for i in range(d)], 1.0)
        secret = bytes(range(32))
        report = survey.randomize("c2", secret=secret).hex()
        entry = {"survey": survey.to_json(), "fingerprint": survey.fingerprint, "value": 2}
        document["keyed"].append({**entry, "secret": secret.hex(), "report": report})
    for d, k, report, why in REFUSED:
        document["refused"].append({"d": d, "k": k, "report": report, "why": why})
    PATH.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
