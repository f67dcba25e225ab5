"""What reports say of a questionnaire: tables, JSON, a file of every number, and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ..analysis.questionnaire_estimate import QuestionnaireEstimate
from ..analysis.shown import Shown
from ..analysis.tables.ratios import ConditionalShares, shown
from ..analysis.tables.table import Table
from ..bulk.groups import Group
from ..device.files import replacing
from ..figures import save
from .grouped import apart
from .guards import LEAST_GROUP
from .output import in_lists, plural, rows_of, say
from .renderings import Looks, rendering_of
from .show import describe_survey
from .terminal import console, print_table
from .weights import in_words

_ROWS = 12
_ERRORS = "standard_error", "low", "high"
_TWO = 2


@dataclass(frozen=True)
class Answered:
    """The estimates of a questionnaire, for each group by the values of some columns.

    `wanted` are the tables to show, by ids; if there are none, all questions and tables are shown.
    """

    groups: Mapping[Group, QuestionnaireEstimate]
    by: Sequence[str]
    looks: Looks
    wanted: Sequence[tuple[str, ...]] = ()

    def _tables(self, estimate: QuestionnaireEstimate) -> dict[tuple[str, ...], Table]:
        if self.wanted:
            return {ids: estimate.table(*ids) for ids in self.wanted}
        return estimate.tables

    def _questions(self, estimate: QuestionnaireEstimate) -> dict[str, Shown]:
        return {} if self.wanted else estimate.questions

    def _rows(self, estimate: QuestionnaireEstimate) -> Iterator[tuple[Any, ...]]:
        """Yield a row for every number: what was asked, the answer, and its estimate."""
        level = self.looks.level
        for name, one in self._questions(estimate).items():
            columns = in_lists(one.columns(level))
            wanted = (columns[column] for column in (*rendering_of(one.survey).names, *_ERRORS))
            for answer, *numbers in zip(*wanted, strict=True):
                yield name, one.n, answer, *map(float, numbers)
        for ids, table in self._tables(estimate).items():
            columns = in_lists(table.columns(level))
            people = sum(page.n for page in table.pages)
            answers = zip(*(columns[name] for name in ids), strict=True)
            wanted = (columns[column] for column in ("frequency", *_ERRORS))
            for cell, *numbers in zip(answers, *wanted, strict=True):
                yield " × ".join(ids), people, " × ".join(cell), *numbers

    def columns(self) -> dict[str, list[Any]]:
        """Return one table of every number, with the group's values in every row.

        A column of groups that is called like one of the table's own is called by_n, by_value, …
        """
        names = "question", "n", "answer", "value", *_ERRORS
        taken = {*names}
        by = [apart(name, taken) for name in self.by]
        whole: dict[str, list[Any]] = {name: [] for name in (*by, *names)}
        for group, estimate in self.groups.items():
            for row in self._rows(estimate):
                for name, value in zip(whole, (*group, *row), strict=True):
                    whole[name].append(value)
        return whole

    def document(self) -> dict[str, Any]:
        """Return what JSON output says."""
        some = next(iter(self.groups.values()))
        described = [
            {"group": dict(zip(self.by, group, strict=True)), **self._described(estimate)}
            for group, estimate in self.groups.items()
        ]
        document = {**describe_survey(some.survey), "level": self.looks.level}
        return document | ({"groups": described} if self.by else described[0])

    def _described(self, estimate: QuestionnaireEstimate) -> dict[str, Any]:
        level = self.looks.level
        return {
            "n": estimate.n,
            "pages": [{"asks": list(ids), "n": drew} for ids, drew in estimate.people.items()],
            "questions": {
                name: rendering_of(one.survey).document(one, self.looks)
                for name, one in self._questions(estimate).items()
            },
            "tables": [
                _described_table(ids, table, level) for ids, table in self._tables(estimate).items()
            ],
        }

    def draw(self, path: Path) -> None:
        """Draw each question and table, in files with their names before the path's ending.

        They appear together, when all are drawn.
        """
        drawn: dict[Path, str] = {}
        with ExitStack() as files:
            for name, shown in self._pictures():
                place = _beside(path, name)
                if place in drawn:
                    raise click.UsageError(f"{place}: would be of both {drawn[place]} and {name}.")
                drawn[place] = name
                save(shown, files.enter_context(replacing(place)), level=self.looks.level)
        for place in drawn:
            say(f"{place}: written")

    def _pictures(self) -> Iterator[tuple[str, Any]]:
        """Yield the name of each picture, and what it shows."""
        for group, estimate in self.groups.items():
            for name, one in self._questions(estimate).items():
                yield "-".join([*map(str, group), name]), one
            for ids, table in self._tables(estimate).items():
                if len(ids) == _TWO:
                    yield "-".join([*map(str, group), *ids]), table

    def show(self) -> None:
        """Print every question, and every table with what goes together in it."""
        for group, estimate in self.groups.items():
            if self.by:
                click.echo(f"{in_words(self.by, group)} · {plural(estimate.n, 'report')}")
                if estimate.n < LEAST_GROUP:
                    continue
            for one in self._questions(estimate).values():
                title = f"{one.survey.question} · {plural(one.n, 'report')}"
                rendering_of(one.survey).show(one, self.looks, title, _ROWS)
            for table in self._tables(estimate).values():
                _print_table(table, self.looks.level)
        some = next(iter(self.groups.values()))
        n = plural(sum(one.n for one in self.groups.values()), "report")
        click.echo(f"{n}, epsilon = {some.survey.epsilon:g}, {some.survey!r}")


def _print_table(table: Table, level: float) -> None:
    """Print the shares of a table's cells, the shares in each row, and what goes together."""
    names, screen = table.names, console()
    title = f"{' × '.join(names)}: % of all people, {100 * level:g} % intervals"
    if len(names) > _TWO:
        rows = zip(*table.answers().values(), _cells(table, level).ravel(), strict=True)
        print_table(names, ["share"], rows, title, overflow="fold")
        return
    _print_cells(table, title, _cells(table, level))
    title = f"Of those with each answer to {names[0]!r}: % with each answer to {names[1]!r}"
    _print_cells(table, title, _cells(table.row_shares(), level))
    screen.print(f"{table.independence()}")
    screen.print(f"{association_in_words(table, level)}\n")


def association_in_words(table: Table, level: float) -> str:
    """Return Cramér's V with its interval, whose lower end does not look like 0 unless it is."""
    strength = table.association()
    low, high = strength.interval(level)
    least = f"{low:.2f}" if low == 0 or round(low, 2) else f"{low:.1g}"
    said = f"Cramér's V = {strength.value:.2f}, from {least} to {high:.2f}"
    return (
        f"{said}, as some answers may be nobody's."
        if isnan(strength.standard_error)
        else f"{said}."
    )


def _print_cells(table: Table, title: str, cells: NDArray[np.str_]) -> None:
    first, second = table.categories
    rows = ([name, *row] for name, row in zip(first, cells, strict=True))
    print_table(table.names[:1], second, rows, title, overflow="fold")


def _cells(cells: Table | ConditionalShares, level: float) -> NDArray[np.str_]:
    """Return the text of each cell: a share and its interval, in percent."""
    import numpy as np

    columns = (column.ravel() for column in (shown(cells.frequencies), *cells.interval(level)))
    texts = [
        f"{'–' if isnan(share) else f'{100 * share:.1f}'} ({100 * low:.1f}–{100 * high:.1f})"
        for share, low, high in zip(*columns, strict=True)
    ]
    return np.array(texts).reshape(cells.frequencies.shape)


def _described_table(ids: Sequence[str], table: Table, level: float) -> dict[str, Any]:
    described = {"questions": list(ids), "cells": rows_of(in_lists(table.columns(level)))}
    if len(ids) > _TWO:
        return described
    strength, shares = table.association(), table.row_shares()
    low, high = shares.interval(level)
    return described | {
        "row_shares": shares.frequencies.tolist(),
        "row_shares_low": low.tolist(),
        "row_shares_high": high.tolist(),
        "independence_p_value": table.independence().p_value,
        "cramers_v": [strength.value, *strength.interval(level)],
    }


def _beside(path: Path, name: str) -> Path:
    """Return a path with a name before its ending, of letters that suit a file.

    >>> from pathlib import Path
    >>> str(_beside(Path("out.png"), "a/b-age"))
    'out-a_b-age.png'
    """
    letters = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)
    return path.with_name(f"{path.stem}-{letters}{path.suffix}")


def tables_from(typed: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the tables that --table asks for.

    >>> tables_from(["smokes, region"])
    [('smokes', 'region')]
    """
    found = [tuple(part.strip() for part in one.split(",")) for one in typed]
    for one in found:
        if len(one) < _TWO or "" in one:
            raise click.UsageError(f"--table is two ids or more, such as smokes,region: {one}.")
    return found
