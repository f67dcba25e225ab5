"""python -m benchmarks.questionnaires: how often the intervals of tables cover.

Crowds of two questions answer three pages: both questions together, and each by itself. The crowds
differ in size, in ε, and in how closely their answers go together (Cramér's V).
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privet.analysis.laws import draw_counts
from privet.mechanisms import KSubset, choose
from privet.tables import Combined, PageCounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privet.mechanisms import Symmetric
    from privet.tables import Table

    Floats = NDArray[np.float64]

KINDS = "cells", "questions", "row shares", "Cramér's V"


class Crowd(NamedTuple):
    """Two questions' answers, their association, ε, the people of each page, the mechanisms."""

    sizes: tuple[int, int]
    association: float
    epsilon: float
    people: tuple[int, int, int]
    chosen: bool = False

    def joint(self) -> Floats:
        """Return the shares of all pairs of answers."""
        rng = np.random.default_rng(4)
        row, column = (rng.dirichlet(np.full(d, 5.0)) for d in self.sizes)
        flat = np.multiply.outer(row, column)
        apart = rng.normal(size=self.sizes) * flat
        apart -= np.multiply.outer(apart.sum(axis=1), column)
        apart -= np.multiply.outer(row, apart.sum(axis=0))
        joint = np.clip(flat + apart * self.association / cramers_v(flat, apart), 0, None)
        return joint / joint.sum()

    def pages(self) -> list[tuple[tuple[int, ...], Symmetric, int]]:
        """Return the questions, the mechanism and the people of each page."""
        (rows, columns), make = self.sizes, choose if self.chosen else KSubset
        cells = {(0, 1): rows * columns, (0,): rows, (1,): columns}
        asked = zip(cells.items(), self.people, strict=True)
        return [(page, make(d, self.epsilon), n) for (page, d), n in asked if n]


CROWDS = [
    Crowd((2, 2), 0.0, 1.0, (1000, 400, 400)),
    Crowd((2, 2), 0.5, 1.0, (1000, 0, 0)),
    Crowd((2, 2), 0.8, 3.0, (2000, 1500, 1500)),
    Crowd((3, 4), 0.0, 1.0, (2000, 500, 500)),
    Crowd((3, 4), 0.3, 1.0, (10_000, 0, 0)),
    Crowd((3, 4), 0.3, 4.0, (4000, 3000, 4000)),
    Crowd((5, 6), 0.0, 2.0, (5000, 1000, 2000)),
    Crowd((5, 6), 0.2, 1.0, (10_000, 1000, 2000)),
    Crowd((5, 6), 0.4, 2.0, (20_000, 1000, 2000), chosen=True),
    Crowd((10, 10), 0.2, 2.0, (50_000, 5000, 5000)),
    Crowd((2, 2), 0.3, 1.0, (60, 30, 0)),
    Crowd((3, 4), 0.3, 4.0, (300, 100, 100)),
    Crowd((5, 6), 0.3, 1.0, (120, 30, 30)),
]


def cramers_v(expected: Floats, apart: Floats) -> float:
    """Return Cramér's V of how far shares are from those of independent answers."""
    return float(np.sqrt((apart**2 / expected).sum() / (min(apart.shape) - 1)))


def margin(joint: Floats, page: tuple[int, ...]) -> Floats:
    """Return the shares of a page's questions."""
    shares: Floats = joint.sum(axis=tuple({0, 1} - {*page}))
    return shares


def drawn(crowd: Crowd, repeats: int, seed: int = 1) -> Iterator[Table]:
    """Yield the table of the crowd, from people and reports drawn anew each time."""
    joint, pages, rng = crowd.joint(), crowd.pages(), np.random.default_rng(seed)
    for _ in range(repeats):
        counted = []
        for page, mechanism, n in pages:
            shares = margin(joint, page)
            counts = draw_counts(mechanism, rng.multinomial(n, shares.ravel()), rng)
            counted.append(PageCounts(page, shares.shape, mechanism, n, counts))
        yield Combined(counted, crowd.sizes).table(0, 1)


def covered(crowd: Crowd, repeats: int, seed: int = 1) -> tuple[list[Floats], float]:
    """Return how often intervals of each kind cover, and how often independence is rejected."""
    joint = crowd.joint()
    row, column = margin(joint, (0,)), margin(joint, (1,))
    flat = np.multiply.outer(row, column)
    truths = joint, row, joint / row[:, None], np.array(cramers_v(flat, joint - flat))
    hits, rejected = [np.zeros(truth.shape) for truth in truths], 0
    for table in drawn(crowd, repeats, seed):
        rejected += table.independence().p_value <= 0.05
        measured = table, table.margin(0), table.row_shares(), table.association()
        for hit, truth, one in zip(hits, truths, measured, strict=True):
            low, high = one.interval()
            hit += (low <= truth) & (truth <= high)
    return [hit / repeats for hit in hits], rejected / repeats


def main(repeats: int) -> None:
    """Print a row for each crowd, and the averages over all."""
    print(f"| crowd | ε | people | {' | '.join(KINDS)} | V | p <= .05 |")
    print("|---" * 9 + "|")
    pooled: list[list[Floats]] = []
    for crowd in CROWDS:
        rates, rejected = covered(crowd, repeats)
        pooled.append(rates)
        shown = " | ".join(f"{rate.mean():.3f} ({rate.min():.3f})" for rate in rates)
        people = " + ".join(f"{n:,}" for n in crowd.people if n)
        name = " × ".join(map(str, crowd.sizes)) + (", chosen" if crowd.chosen else "")
        joint = crowd.joint()
        flat = np.multiply.outer(margin(joint, (0,)), margin(joint, (1,)))
        before = f"| {name} | {crowd.epsilon:g} | {people} | {shown}"
        print(f"{before} | {cramers_v(flat, joint - flat):.2f} | {rejected:.3f} |", flush=True)
    for kind, rates in zip(KINDS, zip(*pooled, strict=True), strict=True):
        every = np.concatenate([rate.ravel() for rate in rates])
        print(f"{kind}: {every.mean():.4f}, least {every.min():.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.questionnaires", description=__doc__
    )
    parser.add_argument("--repeats", type=int, default=2000, help="crowds for each row")
    main(parser.parse_args().repeats)
