"""Estimates of groups, or one of all people: as tables, as JSON, as files and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from .. import figures
from ..analysis.refine.groups import shrink_groups
from ..analysis.shown import Shown, Sort
from ..bulk.groups import Group
from ..device.mechanisms.forwards import Target
from ..figures.canvas import save
from .guards import LEAST_GROUP
from .output import plural
from .show import (
    ROWS,
    ROWS_OF_A_GROUP,
    describe_estimate,
    describe_survey,
    plain_columns,
    print_estimate,
    print_figures,
)
from .weights import in_words, value_in_words


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

    @property
    def picture(self) -> dict[str, Any]:
        """How a picture is drawn: as many bars as it has room for, unless one says otherwise."""
        some = {"sort": self.sort} | ({"top": self.top} if self.top else {})
        return self.intervals | {"simultaneous": self.simultaneous is not False} | some

    def show(self, one: Any, title: str | None, rows: int, shrunk: Any = None) -> None:
        """Print the table of an estimate, of so many rows unless one says otherwise."""
        if one.survey.answers.kind == "scale":
            print_figures(one, level=self.level, quantiles=self.quantiles, title=title)
            return
        some = {"top": self.top or rows, "sort": self.sort, "ranks": self.ranks}
        options: Any = self.intervals | {"simultaneous": self.simultaneous} | some
        print_estimate(one, title=title, shrunk=shrunk, **options)


@dataclass(frozen=True)
class Estimates:
    """One estimate for each group by the values of some columns; one in all if there are none."""

    groups: Mapping[Group, Shown]
    by: Sequence[str]
    looks: Looks
    # What is said of weights, in JSON and in a sentence.
    weights: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""

    @cached_property
    def _shrunk(self) -> Mapping[Group, NDArray[np.float64]]:
        """The shrunk shares of groups, which help each other; a single one is shrunk by itself."""
        every = [*self.groups.values()]
        if not self.by or self._numbers or not every[0].can_shrink:
            return {}
        counts, n = zip(*((one.counts, one.n) for one in every), strict=True)
        shrunk = shrink_groups(every[0].survey.mechanism, counts, n)  # type: ignore[arg-type]
        return dict(zip(self.groups, shrunk, strict=True))

    def _options(self, group: Group) -> dict[str, Any]:
        """Return what the columns of a group are made with."""
        if self._numbers:
            return {"level": self.looks.level, "quantiles": self.looks.quantiles}
        also = {"ranks": self.looks.ranks, "shrunk": self._shrunk.get(group)}
        return self.looks.intervals | also

    @property
    def _numbers(self) -> bool:
        """Whether the answers are numbers on a scale."""
        return next(iter(self.groups.values())).survey.answers.kind == "scale"

    def columns(self) -> dict[str, list[Any]]:
        """Return one table of all groups, with the group's values in every row.

        A column of groups that is called like one of the table's own is called by_n, by_category, …
        """
        whole: dict[str, list[Any]] = {}
        for group, one in self.groups.items():
            columns = plain_columns(one, **self._options(group))
            rows, own = len(next(iter(columns.values()))), {"n", *columns}
            named = {apart(name, own): v for name, v in zip(self.by, group, strict=True)}
            for name, value in (named | {"n": one.n}).items():
                whole.setdefault(name, []).extend([value] * rows)
            for name, values in columns.items():
                whole.setdefault(name, []).extend(values)
        return whole

    def document(self) -> dict[str, Any]:
        """Return what JSON output says."""
        some = next(iter(self.groups.values()))
        document = describe_survey(some.survey) | self.looks.intervals
        described = [
            {"group": dict(zip(self.by, group, strict=True))}
            | describe_estimate(one, **self._options(group))
            for group, one in self.groups.items()
        ]
        document |= self.weights
        return document | ({"groups": described} if self.by else described[0])

    def draw(self, path: Path) -> None:
        """Draw one picture, with a panel for each group."""
        options: Any = {"level": self.looks.level} if self._numbers else self.looks.picture
        if not self.by:
            figures.save(self.groups[()], path, **options)
            return
        shown: Any = self._shown or self.groups
        names = {group: ", ".join(map(value_in_words, group)) for group in shown}
        named = {name: shown[group] for group, name in names.items()}
        if self._numbers:
            figure = figures.plot_scale_groups(named, **options)
        else:
            shrunk = {name: self._shrunk.get(group) for group, name in names.items()}
            figure = figures.plot_groups(named, shrunk=shrunk, **options)
        save(figure, path)

    @property
    def _shown(self) -> Mapping[Group, Shown]:
        """The groups that are large enough to be looked at; the only one, however small."""
        if not self.by:
            return self.groups
        return {group: one for group, one in self.groups.items() if one.n >= LEAST_GROUP}

    def show(self) -> None:
        """Print a table for each group, and what they have in common."""
        one = next(iter(self.groups.values()))
        for group, one in self._shown.items():
            title = None
            if self.by:
                title = f"{in_words(self.by, group)} · {plural(one.n, 'report')}"
            rows = ROWS_OF_A_GROUP if self.by else ROWS
            self.looks.show(one, title, rows, self._shrunk.get(group))
        if hidden := len(self.groups) - len(self._shown):
            groups = plural(hidden, "group")
            click.echo(f"{groups} of fewer than {LEAST_GROUP} reports: too few for a table.")
        if self.remark:
            click.echo(self.remark)
        if self._shown and one.can_shrink and not self._numbers:
            less = "groups together, less noise" if self.by else "less noise in all"
            click.echo(f"share: unbiased, for sums and tests. shrunk: {less}, for display.")
        n = plural(sum(one.n for one in self.groups.values()), "report")
        groups = f" in {plural(len(self.groups), 'group')}" if self.by else ""
        groups += (
            "" if isinstance(self.looks.target, str) else f" from {self.looks.target:,} people"
        )
        click.echo(f"{n}{groups}, epsilon = {one.survey.epsilon:g}, {one.survey.mechanism!r}")


def apart(name: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it.

    >>> apart("country", {"n"}), apart("n", {"n"}), apart("n", {"n", "by_n"})
    ('country', 'by_n', 'by_by_n')
    """
    while name in taken:
        name = f"by_{name}"
    taken.add(name)
    return name
