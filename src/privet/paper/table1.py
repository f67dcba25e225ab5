"""The paper's Table 1, every cell with its reproduction."""

from __future__ import annotations

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from importlib.resources import files
from math import sqrt
from secrets import randbits
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..analysis.progress import Progress, no_progress
from ..analysis.threads import cores
from ..errors import InvalidArgument
from ..errors.arguments import whole
from .protocol import MECHANISMS, NORMS, simulate

Law: TypeAlias = Literal["marginal", "joint"]

PRINTED_REPEATS = 100
MOST_REPEATS = 100_000
# The repeats that a thread does in one go: this bounds the memory and the wait after an interrupt.
_BLOCK = 50


@dataclass(frozen=True)
class Cell:
    """One number of Table 1 as printed, by the paper's protocol, and with real reports.

    `digit` is the unit of the last printed digit. `marginal` is the mean error if each count is
    drawn independently from its own law, as in the paper; `joint` is that of real reports.
    """

    d: int
    epsilon: float
    mechanism: str
    norm: str
    printed: float
    digit: float
    repeats: int
    marginal: float
    marginal_se: float
    joint: float
    joint_se: float

    def mean(self, law: Law) -> float:
        """Return the mean error under one of the laws."""
        return self.marginal if law == "marginal" else self.joint

    def standard_error(self, law: Law) -> float:
        """Return the standard error of the difference between print and reproduction.

        It combines our own noise, that of the paper's 100 repeats (the same experiment, so ours
        times √(repeats/100)), and the rounding, uniform over the last printed digit.
        """
        own = self.marginal_se if law == "marginal" else self.joint_se
        return sqrt(own**2 * (1 + self.repeats / PRINTED_REPEATS) + self.digit**2 / 12)

    def z(self, law: Law = "marginal") -> float:
        """Return how many standard errors the printed value lies above the reproduced one."""
        return (self.printed - self.mean(law)) / self.standard_error(law)

    def to_dict(self) -> dict[str, int | float | str]:
        """Return what `privet paper table1 --json` prints."""
        names = ("d", "epsilon", "mechanism", "norm", "printed")
        means = ("marginal", "marginal_se", "joint", "joint_se")
        return {name: getattr(self, name) for name in names + means} | {"z": self.z()}


@dataclass(frozen=True)
class Table1:
    """The 328 cells in printed order: row by row, mechanism by mechanism, norm by norm."""

    cells: tuple[Cell, ...]
    repeats: int
    seed: int

    def rms_z(self, law: Law = "marginal") -> float:
        """Return the root mean square of the z-scores: 1 or less for a faithful reproduction."""
        return sqrt(sum(cell.z(law) ** 2 for cell in self.cells) / len(self.cells))

    def worst(self, law: Law = "marginal") -> Cell:
        """Return the cell with the largest |z|."""
        return max(self.cells, key=lambda cell: abs(cell.z(law)))

    def beyond(self, limit: float, law: Law = "marginal") -> list[Cell]:
        """Return the cells whose |z| exceeds the limit."""
        return [cell for cell in self.cells if abs(cell.z(law)) > limit]

    def cell(self, d: int, epsilon: float, mechanism: str, norm: str) -> Cell:
        """Return one cell by its row, mechanism and norm."""
        key = d, epsilon, mechanism, norm
        if key not in self._index:
            rule = f"those of a cell, such as {next(iter(self._index))}"
            raise InvalidArgument("Table1.cell", "d, epsilon, mechanism, norm", rule, key)
        return self._index[key]

    @property
    def rows(self) -> list[tuple[int, float]]:
        """The (d, ε) of each row, in order."""
        return list(dict.fromkeys((cell.d, cell.epsilon) for cell in self.cells))

    @cached_property
    def _index(self) -> dict[tuple[int, float, str, str], Cell]:
        return {(c.d, c.epsilon, c.mechanism, c.norm): c for c in self.cells}


def table1(
    repeats: int = 1000,
    seed: int | None = None,
    *,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Table1:
    """Reproduce Table 1 (paper, section 5) by its own protocol and with real reports.

    Parameters
    ----------
    repeats : int in [2, 100,000]
        The number of simulations of each row; 1,000 take well under a minute on two cores.
    seed : int or None
        The same seed gives the same table, whatever the number of workers; by default a fresh one,
        kept in the table.
    workers : int or None
        The number of threads, by default one per core.
    progress : Progress
        Shows how many repeats of rows are done (privet.analysis.progress).

    >>> table = table1(repeats=2, seed=1)
    >>> len(table.cells)
    328
    >>> table.cell(2, 1.0, "mrr", "l2").printed
    9.75e-05

    """
    whole("table1", "repeats", repeats, 2, MOST_REPEATS)
    seed = randbits(32) if seed is None else seed
    whole("table1", "seed", seed, 0)
    if workers is not None:
        whole("table1", "workers", workers, 1)
    rows = read_printed()
    sizes = [min(_BLOCK, repeats - at) for at in range(0, repeats, _BLOCK)]
    blocks = [
        (int(row["d"]), float(row["epsilon"]), size, source)
        for row, seeds in zip(rows, np.random.SeedSequence(seed).spawn(len(rows)), strict=True)
        for size, source in zip(sizes, seeds.spawn(len(sizes)), strict=True)
    ]

    def work(block: tuple[int, float, int, np.random.SeedSequence]) -> NDArray[np.float64]:
        d, epsilon, size, source = block
        sums = _sums(d, epsilon, size, np.random.default_rng(source))
        advance(size)
        return sums

    pool = ThreadPoolExecutor(workers or cores())
    try:
        with progress("Simulating", total=repeats * len(rows)) as advance:
            done = np.stack(list(pool.map(work, blocks)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    sums = done.reshape(len(rows), len(sizes), *done.shape[1:]).sum(axis=1)
    cells = [
        _cell(row, name, norm, repeats, sums[i, j, :, :, at])
        for i, row in enumerate(rows)
        for j, name in enumerate(MECHANISMS)
        for at, norm in enumerate(NORMS)
    ]
    return Table1(tuple(cells), int(repeats), int(seed))


def read_printed() -> list[dict[str, str]]:
    """Return the rows of Table 1 as printed, digit for digit."""
    text = files("privet.paper").joinpath("table1.csv").read_text(encoding="ascii")
    return list(csv.DictReader(text.splitlines()))


def _sums(d: int, epsilon: float, repeats: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return sums over the repeats, (mechanism, law, first or second power, norm)."""
    errors = np.stack([np.stack(laws) for laws in simulate(d, epsilon, repeats, rng).values()])
    return np.stack([errors.sum(axis=-1), np.square(errors).sum(axis=-1)], axis=2)


def _cell(
    row: dict[str, str], name: str, norm: str, repeats: int, sums: NDArray[np.float64]
) -> Cell:
    printed = row[f"{norm}_{name}"]
    means = sums[:, 0] / repeats
    variances = np.maximum(sums[:, 1] / repeats - means**2, 0) / (repeats - 1)
    (marginal, joint), (marginal_se, joint_se) = means.tolist(), np.sqrt(variances).tolist()
    exponent = Decimal(printed).as_tuple().exponent
    return Cell(
        d=int(row["d"]), epsilon=float(row["epsilon"]), mechanism=name, norm=norm,
        printed=float(printed), digit=float(f"1e{exponent}"), repeats=repeats,
        marginal=marginal, marginal_se=marginal_se, joint=joint, joint_se=joint_se,
    )  # fmt: skip
