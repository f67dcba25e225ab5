"""A study of promises about error, and the score that it keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from numpy.typing import ArrayLike, NDArray

    Once = Callable[[np.random.Generator, "Score"], None]

__all__ = ["EPSILONS", "LEVEL", "SIZES", "Record", "Score", "Study"]

LEVEL = 0.95
_ROUNDING = 1e-9
EPSILONS = 0.2, 1, 4, 8
SIZES = 300, 3000, 30_000


@dataclass(frozen=True)
class Study:
    """Simulated surveys, and what is promised about them.

    Attributes
    ----------
    name : str
        What the report calls the study.
    covers : tuple of str
        The public names whose promises it tests.
    truths : mapping
        Awkward truths by name.
    trial : callable
        `trial(truth, epsilon, n)` prepares what repeats share and returns `once(random, score)`,
        which simulates one survey and scores it.

    """

    name: str
    covers: tuple[str, ...]
    truths: Mapping[str, Any]
    trial: Callable[[Any, float, int], Once]
    epsilons: tuple[float, ...] = EPSILONS
    sizes: tuple[int, ...] = SIZES


@dataclass
class Record:
    """What a score knows of one label, for each of its elements.

    `kept` counts promises that were kept: an interval that holds the truth, or a true null
    hypothesis that was not rejected. Of standard errors, `squares` adds up (value − truth)² and
    `claimed` the squared standard errors.
    """

    kind: str
    asked: int = 0
    withheld: int = 0
    kept: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    squares: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    claimed: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))

    def add(self, other: Record) -> None:
        """Add what another process counted."""
        self.asked += other.asked
        self.withheld += other.withheld
        self.kept = self.kept + other.kept
        self.squares = self.squares + other.squares
        self.claimed = self.claimed + other.claimed

    @property
    def rates(self) -> NDArray[np.float64]:
        """Return, for each element, the share of promises kept.

        For standard errors, it is the claimed error over the real one (root mean squares).
        """
        if self.kind == "error":
            real = np.where(self.squares > 0, self.squares, 1)
            return np.where(self.squares > 0, np.sqrt(self.claimed / real), 1.0)
        return np.asarray(self.kept / max(self.asked, 1))

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        arrays = {name: getattr(self, name).tolist() for name in ("kept", "squares", "claimed")}
        return {"kind": self.kind, "asked": self.asked, "withheld": self.withheld, **arrays}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Record:
        """Read what `to_json` wrote."""
        arrays = {name: np.array(fields[name]) for name in ("kept", "squares", "claimed")}
        return cls(fields["kind"], fields["asked"], fields["withheld"], **arrays)


class Score:
    """Counts kept promises, by label.

    >>> score = Score()
    >>> score.interval("share", [0.1, 0.5], [0.3, 0.4], [0.2, 0.45])
    >>> score.records["share"].rates
    array([1., 0.])
    """

    def __init__(self, only: Container[str] | None = None) -> None:
        self.records: dict[str, Record] = {}
        self._only = only

    def wants(self, label: str, most: int | None = None) -> bool:
        """Return whether a label is still to be scored, at most `most` times if that is given.

        Asking saves a trial the work; what is scored of other labels is dropped.
        """
        if self._only is not None and label not in self._only:
            return False
        return most is None or label not in self.records or self.records[label].asked < most

    def _record(self, label: str, kind: str) -> Record:
        if not self.wants(label):
            return Record(kind)
        record = self.records.setdefault(label, Record(kind))
        if record.kind != kind:
            raise ValueError(f"{label} is the label of {record.kind} and of {kind}")
        return record

    def interval(self, label: str, low: ArrayLike, high: ArrayLike, truth: ArrayLike) -> None:
        """Count intervals that hold the truth; an empty or undefined one does not."""
        right = np.asarray(truth, dtype=np.float64)
        slack = _ROUNDING * (1 + np.abs(right))
        held = (np.asarray(low) <= right + slack) & (np.asarray(high) >= right - slack)
        held &= np.asarray(low) <= np.asarray(high)
        record = self._record(label, "interval")
        record.asked += 1
        record.kept = record.kept + np.atleast_1d(held)

    def test(self, label: str, p_value: ArrayLike) -> None:
        """Count p-values of a true null hypothesis that do not reject it at .05."""
        record = self._record(label, "test")
        record.asked += 1
        record.kept = record.kept + np.atleast_1d(np.asarray(p_value) > 1 - LEVEL)

    def error(
        self, label: str, value: ArrayLike, standard_error: ArrayLike, truth: ArrayLike
    ) -> None:
        """Compare a standard error with how far its value is from the truth."""
        record = self._record(label, "error")
        record.asked += 1
        record.squares = record.squares + np.atleast_1d((np.asarray(value) - truth) ** 2)
        record.claimed = record.claimed + np.atleast_1d(np.asarray(standard_error) ** 2)

    def withheld(self, label: str, kind: str = "interval") -> None:
        """Count an interval, or a test, that was withheld by a stated rule."""
        self._record(label, kind).withheld += 1
