"""What is shown of comparisons: tables to read, documents for JSON, and a sentence on the test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.table import Table

from ..analysis.shown import Shown, decimals
from ..analysis.sums.changes import Changes
from ..device.survey import Survey
from ..figures import canvas, plot_changes, plot_scale_changes
from .output import in_lists, plural, rows_of
from .show import ROWS, ROWS_OF_A_GROUP, describe_survey
from .terminal import console, new_table

# What people are compared with, if those are not people.
KNOWN = "known"
# How many rows that differ are named.
_MOST_NAMED = 3
_NARROW = 80
_PERCENT = 100


class Verdict(NamedTuple):
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

    def columns(self, kind: str) -> dict[str, list[Any]]:
        """Return a table of all rows."""
        one, rows = self.changes, len(self.changes.names)
        row, value = ("figure", "value") if kind == "scale" else ("category", "share")
        return in_lists(
            {
                "first": [self.first] * rows,
                "second": [self.second] * rows,
                row: [*one.names],
                f"first_{value}": one.before,
                f"second_{value}": one.after,
                "difference": one.values,
                "low": one.low,
                "high": one.high,
                "p_value": one.p_values,
                "found": one.found,
            }
        )

    def show(self, title: str, survey: Survey, top: int) -> None:
        """Print the differences, with intervals, and which of them are found."""
        if survey.answers.kind == "scale":
            self._show_figures(title, survey.answers.unit)  # type: ignore[attr-defined]
        else:
            self._show_shares(title, survey, top)

    def _show_shares(self, title: str, survey: Survey, top: int) -> None:
        one = self.changes
        row, rows = ("option", "options") if survey.answers.kind == "several" else _CATEGORIES
        every = (-abs(one.values)).argsort(kind="stable")
        order = every[:top]
        digits = decimals(_PERCENT * one.low[order], _PERCENT * one.high[order], 2)
        table = self._new_table(title, row, f"{_PERCENT * one.level:g} % intervals, all at once")
        for i in order:
            shares = [f"{_PERCENT * part[i]:z.{digits}f} %" for part in (one.before, one.after)]
            numbers = (_PERCENT * float(part[i]) for part in (one.values, one.low, one.high))
            self._add_row(table, i, shares, *_signed(numbers, digits, digits + 4))
        screen = console()
        screen.print(table)
        if hidden := len(one.names) - len(order):
            screen.print(f"… and {hidden:,} {rows} that differ less (--top shows more)")
        named = [one.names[i] for i in every if one.found[i]]
        screen.print(_what_differs(named, len(one.names), row, rows))

    def _show_figures(self, title: str, unit: str) -> None:
        one = self.changes
        table = self._new_table(title, "", f"{_PERCENT * one.level:g} % interval")
        for i, name in enumerate(one.names):
            share = name.startswith("share")
            scale = _PERCENT if share else 1
            width = scale * float(one.high[i] - one.low[i])
            digits = 2 if share else max(0, 2 - floor(log10(max(width, 1e-9))))
            of = " %" if share else unit and f" {unit}"
            parts = [f"{scale * part[i]:z.{digits}f}{of}" for part in (one.before, one.after)]
            numbers = (scale * float(part[i]) for part in (one.values, one.low, one.high))
            self._add_row(table, i, parts, *_signed(numbers, digits))
        console().print(table)
        named = [name for name, differs in zip(one.names, one.found, strict=True) if differs]
        console().print(_what_differs(named, len(one.names), "figure", "figures"))

    def _new_table(self, title: str, row: str, interval: str) -> Table:
        table = new_table(title)
        table.add_column(row, overflow="fold")
        for name in (self.first, self.second) if self._is_wide else ():
            table.add_column(name, justify="right", overflow="fold")
        table.add_column("difference", justify="right", no_wrap=True)
        table.add_column(interval, justify="center", no_wrap=True)
        table.add_column("p", justify="left", no_wrap=True)
        return table

    def _add_row(
        self, table: Table, i: int, values: Sequence[str], difference: str, low: str, high: str
    ) -> None:
        one, found = self.changes, bool(self.changes.found[i])
        table.add_row(
            one.names[i],
            *(values if self._is_wide else ()),
            difference.strip(),
            f"{low} to {high}",
            _small(float(one.p_values[i])) + (" *" if found else ""),
            style="" if found else "dim",
        )

    @property
    def _is_wide(self) -> bool:
        return console().width >= _NARROW

    def mean_in_words(self, unit: str) -> str:
        """Return whether the means differ, and by how much they may."""
        one, i = self.changes, self.changes.names.index("mean")
        value, low, high = (float(part[i]) for part in (one.values, one.low, one.high))
        digits = max(0, 2 - floor(log10(max(high - low, 1e-9))))
        ends = f"{low:+z.{digits}f} to {high:+z.{digits}f}"
        of = unit and f" {unit}"
        said = f"{_PERCENT * one.level:g} % interval"
        p = _p(float(one.p_values[i]))
        if one.found[i]:
            more = "higher" if value > 0 else "lower"
            by = f"{abs(value):.{digits}f}{of}"
            return f"Yes, it is {by} {more} in {self.second} ({said} {ends}, {p})."
        return f"Not found: the difference may be {ends}{of} ({said}, {p})."


_CATEGORIES = "category", "categories"


@dataclass(frozen=True)
class Compared:
    """Groups, each pair that is compared, and the test of all together."""

    estimates: Mapping[str, Shown]
    pairs: Sequence[Pair]
    test: Verdict
    asked: str

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return self.pairs[0].changes.level

    @property
    def _survey(self) -> Survey:
        return next(iter(self.estimates.values())).survey

    def columns(self) -> dict[str, list[Any]]:
        """Return one table of all pairs."""
        tables = [pair.columns(self._survey.answers.kind) for pair in self.pairs]
        return {name: [cell for table in tables for cell in table[name]] for name in tables[0]}

    def document(self) -> dict[str, Any]:
        """Return what JSON output says."""
        described = []
        rows = "figures" if self._survey.answers.kind == "scale" else "categories"
        for pair in self.pairs:
            columns = pair.columns(self._survey.answers.kind)
            names = {name: columns.pop(name)[0] for name in ("first", "second")}
            described.append({**names, rows: rows_of(columns)})
        crowds = [
            {"name": name, "n": one.n, **describe_survey(one.survey)}
            for name, one in self.estimates.items()
        ]
        test = self.test._asdict() | {"differs": self._differs}
        return {"level": self.level, "crowds": crowds, "test": test, "comparisons": described}

    def draw(self, path: Path) -> None:
        """Draw one picture, with a panel for each pair."""
        titled = {f"{pair.second} − {pair.first}": pair.changes for pair in self.pairs}
        one = self._survey
        if one.answers.kind == "scale":
            unit = one.answers.unit  # type: ignore[attr-defined]
            figure = plot_scale_changes(titled, title=one.question, unit=unit)
        else:
            figure = plot_changes(titled, title=one.question)
        canvas.save(figure, path)

    def show(self, top: int | None) -> None:
        """Print a table for each pair, and what the test of all says."""
        rows = top or (ROWS if len(self.pairs) == 1 else ROWS_OF_A_GROUP)
        for pair in self.pairs:
            title = self._survey.question
            if len(self.pairs) > 1:
                title = f"{pair.second} compared with {pair.first}"
            pair.show(title, self._survey, rows)
        for line in self._verdict():
            console().print(line)
        for line in self._notes():
            click.echo(line)

    def _notes(self) -> Iterator[str]:
        if self._survey.answers.kind != "scale":
            yield "Differences are in percentage points; * is found. p allows for their number."
            return
        yield "Differences of shares are in percentage points; * is found."
        if len(self.pairs[0].changes.names) > 1:
            several = " (of each group)" if len(self.pairs) > 1 else ""
            yield (
                f"The mean's interval and p{several} hold by themselves, the others all at once."
            )

    @property
    def _differs(self) -> bool:
        return self.test.p_value <= 1 - self.level

    def _verdict(self) -> Iterator[str]:
        """Yield what the test says, in sentences."""
        if self.test.what == "mean":
            unit: str = self._survey.answers.unit  # type: ignore[attr-defined]
            said = [pair.mean_in_words(unit) for pair in self.pairs]
            if len(said) == 1:
                yield f"{self.asked} {said[0]}"
                return
            yield self.asked
            for pair, words in zip(self.pairs, said, strict=True):
                yield f"{pair.second} and {pair.first}: {words[0].lower()}{words[1:]}"
        elif self.test.what == "shares":
            yield self._all_together()

    def _all_together(self) -> str:
        names = list(self.estimates)
        if self.pairs[0].first == KNOWN and len(names) == 1:
            whom, alike = f"{names[0]} and the known shares", "the crowd had the known shares"
        else:
            whom = " and ".join(names) if len(names) == 2 else f"The {len(names)} groups"
            alike = "they were alike"
        says = f"{whom} differ" if self._differs else f"{whom} are not found to differ"
        degrees = plural(self.test.degrees_of_freedom or 0, "degree")
        method = f"chi-squared test, {degrees} of freedom"
        if self.test.method == "resampled":
            method = "held against surveys drawn anew"
        p = self.test.p_value
        return (
            f"{says}: if {alike}, differences as large as these would be seen in {_chance(p)} "
            f"surveys ({_p(p)}; {method})."
        )


def _signed(numbers: Iterator[float], digits: int, width: int = 0) -> tuple[str, str, str]:
    """Return a difference and the ends of its interval, with their signs.

    >>> _signed(iter([0.5, -0.25, 1.25]), 2)
    ('+0.50', '-0.25', '+1.25')
    """
    value, low, high = (f"{number:+z{width or ''}.{digits}f}" for number in numbers)
    return value, low, high


def _what_differs(names: Sequence[str], every: int, row: str, rows: str) -> str:
    """Return a sentence on the rows that differ.

    >>> _what_differs([], 4, "category", "categories")
    'No single category is found to differ.'
    >>> _what_differs(["tea", "milk"], 4, "category", "categories")
    '2 of 4 categories differ: tea, milk.'
    """
    if not names:
        return f"No single {row} is found to differ."
    named = f": {', '.join(names)}" if len(names) <= _MOST_NAMED else ""
    return f"{len(names):,} of {every:,} {rows} differ{named}."


def _chance(p: float) -> str:
    """Return a probability in words.

    >>> _chance(0.43), _chance(0.004), _chance(1e-9)
    ('43 of 100', '4 of 1,000', 'fewer than 1 of 1,000')
    """
    if p >= 0.01:
        return f"{100 * p:.0f} of 100"
    return f"{1000 * p:.0f} of 1,000" if p >= 0.001 else "fewer than 1 of 1,000"


def _p(p: float) -> str:
    """Return a p-value in running text.

    >>> _p(0.4321), _p(0.00001)
    ('p = 0.432', 'p < 0.001')
    """
    return f"p = {_small(p)}" if p >= 0.001 else f"p {_small(p)}"


def _small(p: float) -> str:
    """Return a p-value.

    >>> _small(0.4321), _small(0.00001)
    ('0.432', '< 0.001')
    """
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"
