"""Estimates of groups, or one of all people: as tables, as JSON, as files and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from ..analysis.arrays import Floats
from ..analysis.shown import Shown
from ..bulk.groups import Group
from ..figures.canvas import save
from .guards import LEAST_GROUP
from .output import plural
from .renderings import Looks, Rendering, rendering_of
from .renderings.base import ROWS, ROWS_OF_A_GROUP
from .show import describe_survey
from .weights import in_words, value_in_words


@dataclass(frozen=True)
class GroupedEstimates:
    """One estimate for each group by the values of some columns; one in all if there are none."""

    groups: Mapping[Group, Shown]
    by: Sequence[str]
    looks: Looks
    # What is said of weights, in JSON and in a sentence.
    weights: Mapping[str, Any] = field(default_factory=dict)
    remark: str = ""

    @cached_property
    def _rendering(self) -> Rendering[Shown]:
        return rendering_of(next(iter(self.groups.values())).survey)

    @cached_property
    def _shrunk(self) -> Mapping[Group, Floats]:
        """The shrunk shares of groups, which help each other; a single one is shrunk by itself."""
        return self._rendering.shrunk(self.groups) if self.by else {}

    def columns(self) -> dict[str, list[Any]]:
        """Return one table of all groups, with the group's values in every row.

        A column of groups that is called like one of the table's own is called by_n, by_category, …
        """
        whole: dict[str, list[Any]] = {}
        for group, one in self.groups.items():
            columns = self._rendering.table(one, self.looks, self._shrunk.get(group))
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
            | self._rendering.document(one, self.looks, self._shrunk.get(group))
            for group, one in self.groups.items()
        ]
        document |= self.weights
        return document | ({"groups": described} if self.by else described[0])

    def draw(self, path: Path) -> None:
        """Draw one picture, with a panel for each group."""
        if not self.by:
            self._rendering.save(self.groups[()], path, self.looks)
            return
        shown = self._shown or self.groups
        names = {group: ", ".join(map(value_in_words, group)) for group in shown}
        named = {name: shown[group] for group, name in names.items()}
        shrunk = {name: self._shrunk[group] for group, name in names.items() if self._shrunk}
        save(self._rendering.draw(named, self.looks, shrunk), path)

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
            self._rendering.show(one, self.looks, title, rows, self._shrunk.get(group))
        if hidden := len(self.groups) - len(self._shown):
            groups = plural(hidden, "group")
            click.echo(f"{groups} of fewer than {LEAST_GROUP} reports: too few for a table.")
        if self.remark:
            click.echo(self.remark)
        remark = self._rendering.remark(one, grouped=bool(self.by))
        if self._shown and remark:
            click.echo(remark)
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
