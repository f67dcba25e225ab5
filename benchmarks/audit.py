"""python -m benchmarks.audit: what audits find, how surely, and how often they cry wolf.

The bounds are of right mechanisms. The mistakes are those that tests know, each with the verdict
that must name it. False alarms are of right mechanisms of every kind, at a level of 1 %.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import Scale, Survey
from privet.audit import audit
from privet.audit.bounds import expected_bound
from privet.audit.subjects import Direct
from privet.device.mechanisms.paged import Paged
from privet.entropy import seeded
from privet.mechanisms import (
    BinaryRR,
    Interval,
    KSubset,
    MultivariateRR,
    SetSubset,
    for_one,
    for_several,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.device.mechanisms.base import Mechanism

_SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"
_AGE = Survey("How old?", Scale(0, 120), 1.0, id="age")
_SETS, _PAGES = KSubset(100, 1.0), Paged([KSubset(4, 1.0), Interval(32, 1.0)], [1, 1])
MISTAKES: tuple[tuple[str, Mechanism | Survey, str], ...] = (
    ("MissOfAll", _SETS, "epsilon"),
    ("OrderKept", KSubset(100, 4.0), "epsilon"),
    ("OrderKept", KSubset(100, 4.0), "leaks"),
    ("IndependentBits", _SETS, "law"),
    ("BiasedGenerator", _SETS, "law"),
    ("LikelierHit", _SETS, "epsilon"),
    ("LikelierHit", _SETS, "law"),
    ("NeverCleared", BinaryRR(100, 1.0), "epsilon"),
    ("NoBlanks", SetSubset(20, 1.0, most=5), "epsilon"),
    ("PageByAnswer", _PAGES, "epsilon"),
    ("PageByAnswer", _PAGES, "law"),
    ("LastBlanks", SetSubset(5, 1.0, most=3, k=2), "law"),
    ("AnyBlanks", SetSubset(5, 1.0, most=3, k=2), "law"),
    ("Floored", _AGE, "law"),
    ("Nearest", _AGE, "law"),
    ("EvenCoin", _AGE, "law"),
)


def bounds(trials: int, seed: int) -> None:
    """Print the bound of two values, and what is expected of it."""
    for mechanism in (_SETS, MultivariateRR(100, 1.0)):
        begin = perf_counter()
        client = Direct(mechanism, seeded(seed))
        found = audit(mechanism, trials, answers=2, client=client, seed=seed)
        rate = mechanism.g * (mechanism.d - mechanism.k) / (mechanism.d - 1)
        false_rate = rate / float(mechanism.likelihood_ratio)
        level = found["epsilon"].figures["level"]
        expected = [expected_bound(rate, false_rate, trials, alpha) for alpha in (0.01, level)]
        print(
            f"{mechanism}: at least {found.lower_bound:.4f}, expected {expected[1]:.4f} at its own "
            f"level ({expected[0]:.4f} at 1 %), {perf_counter() - begin:.1f} s",
            flush=True,
        )


def mistakes(trials: int, runs: int, seed: int, only: str | None) -> None:
    """Print how often each mistake is named by its verdict, and by how much."""
    sys.path.insert(0, str(_SUPPORT))
    defects = import_module("defects")
    print("\n| mistake | verdict | named | by how much |\n|---|---|---|---|")
    for name, subject, verdict in MISTAKES:
        if only not in (None, name):
            continue
        found = [
            audit(subject, trials, client=getattr(defects, name)(subject, seed + i), seed=i)
            for i in range(runs)
        ]
        said = [one[verdict] for one in found]
        caught = sum(one.passed is False for one in said)
        print(f"| {name} | {said[0].title} | {caught} of {runs} | {_margin(said)} |", flush=True)


def _margin(verdicts: list[Any]) -> str:
    """Return how far from passing audits were."""
    figures = [one.figures for one in verdicts]
    if "invalid" in figures[0]:
        return f"at least {min(one['invalid'] for one in figures):,} reports are none"
    if "p" in figures[0]:
        return f"p <= {max(one['p'] for one in figures):.1g}, level {figures[0]['level']:.1g}"
    seen = np.array([one["lower_bound"] for one in figures])
    return f"ε at least {seen.mean():.3f}, standard deviation {seen.std(ddof=1):.4f}"


def right_ones() -> Iterator[Mechanism]:
    """Yield mechanisms of every kind, again and again."""
    while True:
        for d, epsilon in ((5, 1.0), (40, 0.5), (100, 2.0)):
            yield from (kind(d, epsilon) for kind in for_one.values())
            yield from (kind(min(d, 20), epsilon, 3) for kind in for_several.values())  # type: ignore[call-arg]
            yield _PAGES


def false_alarms(trials: int, runs: int, seed: int) -> None:
    """Print how many audits of right mechanisms fail."""
    alarms, looked = [], 0
    for i, mechanism in zip(range(seed, seed + runs), right_ones(), strict=False):
        found = audit(mechanism, trials, client=Direct(mechanism, seeded(i)), seed=i)
        looked += 1
        if not found.passed:
            alarms.append(found)
            print(found, flush=True)
    print(f"\nFalse alarms: {len(alarms)} in {looked} audits at a level of 1 %.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit", description=__doc__)
    parser.add_argument("what", nargs="*", default=["bounds", "mistakes", "alarms"])
    parser.add_argument("--trials", type=int, default=10**6, help="for bounds and mistakes")
    parser.add_argument("--runs", type=int, default=20, help="audits of each mistake")
    parser.add_argument("--only", help="one mistake, by its name")
    parser.add_argument("--few", type=int, default=2000, help="trials where alarms are counted")
    parser.add_argument("--right", type=int, default=500, help="audits that should pass")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if "bounds" in given.what:
        bounds(given.trials, given.seed)
    if "mistakes" in given.what:
        mistakes(given.trials, given.runs, given.seed, given.only)
    if "alarms" in given.what:
        false_alarms(given.few, given.right, given.seed)
