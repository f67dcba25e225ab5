"""The campaign: every cell of every study, in processes, resumed where it stopped."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from .study import Record, Score

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from pathlib import Path

    from .study import Study

__all__ = ["BAR", "REPEATS", "Cell", "Finding", "Judged", "cells_of", "judge", "run", "simulate"]

REPEATS, MORE = 1000, 10_000
# What calls for a closer look, and the coverage that this must show. Tests must show the former:
# they are to reject a true null hypothesis at .05 in at most 6 %.
DOUBTFUL, BAR = 0.94, 0.93
# A standard error must be at least this share of the real one.
LEAST_ERROR = 0.9
# With fewer answers than this, a label is not judged.
FEWEST_ASKED = 100


@dataclass(frozen=True)
class Cell:
    """One truth of one study at one ε and one n."""

    study: str
    truth: str
    epsilon: float
    n: int

    @property
    def key(self) -> str:
        """The name of the cell in files."""
        return f"{self.study} | {self.truth} | {self.epsilon:g} | {self.n}"


@dataclass(frozen=True)
class Finding:
    """What a cell showed: a record for each label, and the seconds that it took."""

    cell: Cell
    records: Mapping[str, Record]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        records = {label: record.to_json() for label, record in self.records.items()}
        return {"cell": vars(self.cell), "records": records, "seconds": round(self.seconds, 3)}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Finding:
        """Read what `to_json` wrote."""
        records = {label: Record.from_json(one) for label, one in fields["records"].items()}
        return cls(Cell(**fields["cell"]), records, fields["seconds"])


@dataclass(frozen=True)
class Judged:
    """The verdict on one label of one cell."""

    cell: Cell
    label: str
    kind: str
    lowest: float
    mean: float
    asked: int
    withheld: int
    holds: bool


def cells_of(studies: Sequence[Study]) -> Iterator[Cell]:
    """Yield all cells in an order in which a campaign may stop at any time.

    The smallest surveys come first. Studies take turns, in proportion to their cells, so that each
    has the same part of its cells behind it. Within a study, every truth comes at one ε before any
    comes at a second, and neighbours have different ε.
    """
    waiting = [
        (rank, (place + 0.5) / (len(study.truths) * len(study.epsilons)), number, cell)
        for number, study in enumerate(studies)
        for rank, n in enumerate(sorted(study.sizes))
        for place, cell in enumerate(_turns(study, n))
    ]
    waiting.sort(key=lambda turn: turn[:3])
    yield from (cell for *_, cell in waiting)


def _turns(study: Study, n: int) -> Iterator[Cell]:
    """Yield a study's cells with n respondents, one for each truth per round."""
    for turn in range(len(study.epsilons)):
        for place, truth in enumerate(study.truths):
            epsilon = study.epsilons[(place + turn) % len(study.epsilons)]
            yield Cell(study.name, truth, epsilon, n)


def simulate(
    study: Study, cell: Cell, first: int, repeats: int, only: Container[str] | None = None
) -> dict[str, Record]:
    """Return the records of some repeats, perhaps of some labels only."""
    once = study.trial(study.truths[cell.truth], cell.epsilon, cell.n)
    score = Score(only)
    seed = int.from_bytes(hashlib.sha256(cell.key.encode()).digest()[:8], "big")
    random = np.random.default_rng([seed, first])
    for _ in range(repeats):
        once(random, score)
    return score.records


def judge(finding: Finding) -> list[Judged]:
    """Return a verdict on each label.

    Coverage that has the full number of repeats fails below the bar; with fewer, it fails where it
    is doubtful, so that it is repeated. Tests fail where they are doubtful.
    """
    verdicts = []
    for label, record in finding.records.items():
        rates = record.rates if record.asked else np.ones(1)
        repeated = record.asked + record.withheld >= MORE
        least = BAR if repeated and record.kind == "interval" else DOUBTFUL
        least = LEAST_ERROR if record.kind == "error" else least
        holds = bool(rates.min() >= least) or record.asked < FEWEST_ASKED
        verdicts.append(
            Judged(
                finding.cell,
                label,
                record.kind,
                float(rates.min()),
                float(rates.mean()),
                record.asked,
                record.withheld,
                holds,
            )
        )
    return verdicts


def examine(study: Study, cell: Cell) -> Finding:
    """Run a cell, and repeat it more often for the labels that are doubtful."""
    start = perf_counter()
    records = simulate(study, cell, 0, REPEATS)
    doubtful = {one.label for one in judge(Finding(cell, records, 0)) if not one.holds}
    if doubtful:
        for label, more in simulate(study, cell, REPEATS, MORE - REPEATS, doubtful).items():
            records[label].add(more)
    return Finding(cell, records, perf_counter() - start)


_running: dict[str, Study] = {}


def _examine(cell: Cell) -> Finding:
    return examine(_running[cell.study], cell)


def run(
    studies: Sequence[Study], kept: Path, *, workers: int, fresh: bool = False
) -> Iterator[Finding]:
    """Yield what each cell shows, those of an earlier run first.

    Findings are appended to a file as they come, so that a campaign that was stopped goes on where
    it was.
    """
    if fresh:
        kept.unlink(missing_ok=True)
    known = read(kept)
    kept.parent.mkdir(parents=True, exist_ok=True)
    _running.update({study.name: study for study in studies})
    asked = list(cells_of(studies))
    yield from (known[cell.key] for cell in asked if cell.key in known)
    left = [cell for cell in asked if cell.key not in known]
    pool = ProcessPoolExecutor(workers, get_context("fork"))  # which has the studies at hand
    with pool, kept.open("a", encoding="utf-8") as file:
        started = [pool.submit(_examine, cell) for cell in left]
        try:
            for one in as_completed(started):
                finding = one.result()
                file.write(json.dumps(finding.to_json()) + "\n")
                file.flush()
                yield finding
        finally:  # or a campaign that is interrupted would first simulate all cells that wait
            pool.shutdown(wait=False, cancel_futures=True)


def read(kept: Path) -> dict[str, Finding]:
    """Return the findings of a file by their cells' keys, without a line that was cut off."""
    findings = {}
    lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
    for line in lines:
        try:
            finding = Finding.from_json(json.loads(line))
        except ValueError:
            continue
        findings[finding.cell.key] = finding
    return findings
