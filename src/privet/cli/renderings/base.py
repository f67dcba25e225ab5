"""How the command line shows one kind of answer: tables, pictures and comparisons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from ...analysis.arrays import Floats
from ...analysis.shown import Shown, Sort
from ...analysis.sums.changes import Changes
from ...bulk.groups import Group
from ...device.mechanisms.forwards import Target
from ...device.survey import Survey

if TYPE_CHECKING:  # which takes long to import
    from matplotlib.figure import Figure

T = TypeVar("T", bound=Shown)

# How many rows a table has, and each of several.
ROWS, ROWS_OF_A_GROUP = 40, 10
# The options of `privet estimate` that are of single categories alone.
OF_CATEGORIES = "--people", "--weights", "--ranks", "--simultaneous", "--target"
# What people are compared with, if those are not people.
KNOWN = "known"


@dataclass(frozen=True)
class Looks:
    """What of an estimate is shown, and how."""

    level: float
    target: Target
    simultaneous: bool | None
    ranks: bool
    top: int | None
    sort: Sort
    quantiles: Sequence[float]

    @property
    def intervals(self) -> dict[str, Any]:
        """How the intervals of a whole table are made."""
        return {
            "level": self.level,
            "target": self.target,
            "simultaneous": bool(self.simultaneous),
        }


class TestOfAll(NamedTuple):
    """A test of everything that is compared.

    It is of all "shares" together, of the "mean" of a scale, or whether "any" row differs.
    """

    what: str
    p_value: float
    statistic: float | None
    degrees_of_freedom: int | None
    method: str


@dataclass(frozen=True)
class Pair:
    """One group compared with another, or with known numbers, row by row."""

    first: str
    second: str
    changes: Changes

    def p_values_of(self, what: str) -> list[float]:
        """Return the p-value of a row, or of "any"."""
        one = self.changes
        pairs = zip(one.names, one.p_values.tolist(), strict=True)
        return [p for name, p in pairs if what in (name, "any")]


@dataclass(frozen=True)
class Compared(Generic[T]):
    """Groups, each pair that is compared, the test of all together, and what was asked."""

    estimates: Mapping[str, T]
    pairs: Sequence[Pair]
    test: TestOfAll
    asked: str


class Rendering(ABC, Generic[T]):
    """How estimates of one kind of answer are shown."""

    # The columns of an estimate's table that name a row and give its number; those of a table of
    # differences; and what JSON calls the rows.
    names: ClassVar[tuple[str, str]]
    differing: ClassVar[tuple[str, str]]
    rows: ClassVar[str]
    # What the numbers are of, and the options of `privet estimate` that do not go with them.
    of: ClassVar[str]
    unfit: ClassVar[Sequence[str]]
    # Whether there may be more rows than are shown.
    has_top: ClassVar[bool] = True

    def __init__(self, survey: Survey[Any]) -> None:
        self.survey = survey

    # --- estimates --------------------------------------------------------------------------------

    @abstractmethod
    def table(self, one: T, looks: Looks, shrunk: Floats | None = None) -> dict[str, list[Any]]:
        """Return a table of everything, as lists of Python's own numbers."""

    @abstractmethod
    def document(self, one: T, looks: Looks, shrunk: Floats | None = None) -> dict[str, Any]:
        """Return what JSON output says."""

    @abstractmethod
    def show(self, one: T, looks: Looks, title: str | None, rows: int, shrunk: Any = None) -> None:
        """Print a table of at most `rows` rows, unless the options say otherwise."""

    @abstractmethod
    def save(self, one: T, path: Path, looks: Looks) -> None:
        """Write a picture."""

    @abstractmethod
    def draw(self, groups: Mapping[str, T], looks: Looks, shrunk: Mapping[str, Floats]) -> Figure:
        """Return a picture with a panel for each group."""

    def shrunk(self, groups: Mapping[Group, T]) -> Mapping[Group, Floats]:
        """Return the shrunk shares of groups, which help each other, if there are such."""
        return {}

    def remark(self, one: T, *, grouped: bool) -> str | None:
        """Return what is to be said below tables."""
        return None

    # --- comparisons ------------------------------------------------------------------------------

    @abstractmethod
    def changes(self, first: T, second: T, level: float, times: int) -> Changes:
        """Return how much one estimate is above another."""

    @abstractmethod
    def since(self, known: Path, estimate: T, level: float) -> Changes:
        """Return how much an estimate is above the numbers of a file."""

    @abstractmethod
    def test(self, estimates: Sequence[T], pairs: Sequence[Pair], known: Any) -> TestOfAll:
        """Return one test of all."""

    @abstractmethod
    def show_pair(self, pair: Pair, title: str, top: int) -> None:
        """Print the differences, with intervals, and which of them are found."""

    @abstractmethod
    def draw_pairs(self, titled: Mapping[str, Changes]) -> Figure:
        """Return a picture with a panel for each pair."""

    @abstractmethod
    def notes(self, pairs: Sequence[Pair]) -> Iterator[str]:
        """Yield what is to be said below tables of differences."""

    @abstractmethod
    def verdict(self, found: Compared[T], *, differs: bool) -> Iterator[str]:
        """Yield what the test of all says, in sentences."""
