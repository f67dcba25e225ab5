"""Writes vectors/designs.json from the naive twin: python tests/support/make_design_vectors.py."""

from __future__ import annotations

import json
from pathlib import Path

import naive
import naive_designs
from make_vectors import random_bytes
from privet.device.mechanisms.subsets.cyclotomic import Cyclotomic
from privet.device.mechanisms.subsets.hadamard import Hadamard
from privet.device.mechanisms.subsets.projective import Projective

PATH = Path(__file__).parents[1] / "vectors" / "designs.json"

# A small design in full: the class of each residue but 0, reports (c, b), and what they count.
WORKED = {
    "mechanism": {"name": "cyclotomic", "p": 13, "m": 4, "u": 1, "root": 2},
    "classes": [None, 0, 1, 0, 2, 1, 1, 3, 3, 0, 2, 3, 2],
    "base_blocks": [[1, 3, 9], [2, 5, 6], [4, 10, 12], [7, 8, 11]],
    "reports": [
        [3, 6], [0, 11], [0, 8], [0, 11], [0, 6], [1, 2], [0, 2], [2, 11], [1, 2], [0, 9],
        [1, 6], [0, 3], [0, 5], [1, 10], [0, 5], [2, 11], [1, 12], [3, 3], [0, 6], [2, 6],
    ],
    "counts": [5, 5, 1, 7, 6, 6, 6, 3, 5, 4, 2, 6, 4],
    "n_mse_epsilon_1": 40.29561492775688,
}  # fmt: skip

REFUSED = [
    (Cyclotomic(13, 1.0, p=13, m=4, u=1), "34", "block 52 of 52"),
    (Cyclotomic(13, 1.0, p=13, m=4, u=1), "ff", "block 255 of 52"),
    (Cyclotomic(13, 1.0, p=13, m=4, u=1), "0000", "too long"),
    (Projective(13, 1.0, q=3), "0d", "block 13 of 13"),
    (Projective(300, 1.0, q=4), "5501", "block 341 of 341"),
    (Projective(300, 1.0, q=4), "55", "too short"),
    (Hadamard(255, 1.0), "ff", "block 255 of 255"),
    (Hadamard(256, 1.0), "", "empty"),
]


def designs():
    for d in (2, 5, 16, 100, 1000):
        for epsilon in (0.1, 1.0, 3.0):
            yield from (make(d, epsilon) for make in (Cyclotomic, Projective, Hadamard))
    yield from (Projective(20, 1.0, q=q) for q in (2, 3, 4, 5, 7, 8, 9))
    yield from (Cyclotomic(10, 1.0, p=13, m=m, u=u) for m, u in [(2, 1), (3, 2), (6, 5), (12, 7)])


def described(mechanism):
    parameters = {"name": mechanism.name, **mechanism.parameters}
    return {"d": mechanism.d, "epsilon": mechanism.epsilon, "mechanism": parameters}


def entry(mechanism, label):
    shape = mechanism.parameters
    cases = []
    for value in sorted({0, mechanism.d // 2, mechanism.d - 1}):
        for i in range(3):
            stream = naive.Bytes(random_bytes(f"{label}/{value}/{i}", 400))
            integers = shape, mechanism.odds, mechanism.scale
            report = naive_designs.sample(stream, value, mechanism.name, *integers)
            used = bytes(stream.data[: stream.used])
            cases.append({"value": value, "bytes": used.hex(), "report": report.hex()})
    reports = [bytes.fromhex(case["report"]) for case in cases]
    counts = naive_designs.tally(reports, mechanism.d, mechanism.name, shape)
    return {**described(mechanism), "cases": cases, "counts": counts}


def main():
    entries = [entry(design, f"design/{number}") for number, design in enumerate(designs())]
    refused = [{**described(design), "report": bad, "why": why} for design, bad, why in REFUSED]
    lists = {
        name: "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]"
        for name, rows in {"designs": entries, "refused": refused}.items()
    }
    fields = {"version": "1", "worked": json.dumps(WORKED), **lists}
    text = ",\n".join(f'"{name}": {value}' for name, value in fields.items())
    PATH.write_text(f"{{\n{text}\n}}\n")


if __name__ == "__main__":
    main()
