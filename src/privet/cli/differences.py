"""What is shown of comparisons: tables to read, documents for JSON, and a sentence on the test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .output import in_lists, plural, rows_of
from .show import ROWS, ROWS_OF_A_GROUP, describe_survey
from .terminal import console, new_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ..analysis.estimate import Estimate
    from ..sums import Changes, Fit, Homogeneity
    from ..survey import Survey

# What a crowd is compared with, if that is no crowd.
KNOWN = "known"
# How many categories that differ are named.
_MOST_NAMED = 3
_NARROW = 80


@dataclass(frozen=True)
class Pair:
    """One crowd compared with another, or with known shares, category by category."""

    first: str
    second: str
    changes: Changes
    p_values: Mapping[str, float]
    level: float

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which categories differ."""
        import numpy as np

        return np.array([*self.p_values.values()]) <= 1 - self.level

    def columns(self) -> dict[str, list[Any]]:
        """Return a table of all categories."""
        rows, one = len(self.p_values), self.changes
        return in_lists(
            {
                "first": [self.first] * rows,
                "second": [self.second] * rows,
                "category": [*self.p_values],
                "first_share": one.before,
                "second_share": one.after,
                "difference": one.values,
                "low": one.low,
                "high": one.high,
                "p_value": [*self.p_values.values()],
                "found": self.found,
            }
        )

    def show(self, title: str, top: int) -> None:
        """Print the largest differences, with intervals, and which of them are found."""
        from ..analysis.shown import decimals

        one, found, categories = self.changes, self.found, [*self.p_values]
        every = (-abs(one.values)).argsort(kind="stable")
        order = every[:top]
        digits = decimals(100 * one.low[order], 100 * one.high[order], 2)
        screen, table = console(), new_table(title)
        table.add_column("category", overflow="fold")
        wide = screen.width >= _NARROW
        for name in (self.first, self.second) if wide else ():
            table.add_column(name, justify="right", overflow="fold")
        table.add_column("difference", justify="right", no_wrap=True)
        table.add_column(
            f"{100 * self.level:g} % intervals, all at once", justify="center", no_wrap=True
        )
        table.add_column("p", justify="left", no_wrap=True)
        for i in order:
            shares = [f"{100 * part[i]:z.{digits}f} %" for part in (one.before, one.after)]
            ends = (f"{100 * end[i]:+z{digits + 4}.{digits}f}" for end in (one.low, one.high))
            table.add_row(
                categories[i],
                *(shares if wide else ()),
                f"{100 * one.values[i]:+z.{digits}f}",
                " to ".join(ends),
                _small(self.p_values[categories[i]]) + (" *" if found[i] else ""),
                style="" if found[i] else "dim",
            )
        screen.print(table)
        if hidden := len(categories) - len(order):
            screen.print(f"… and {hidden:,} categories that differ less (--top shows more)")
        names = [categories[i] for i in every if found[i]]
        screen.print(_what_differs(names, len(categories)))


@dataclass(frozen=True)
class Compared:
    """Crowds, each pair that is compared, and the test of all together."""

    estimates: Mapping[str, Estimate]
    pairs: Sequence[Pair]
    test: Homogeneity | Fit
    level: float

    @property
    def _survey(self) -> Survey:
        return next(iter(self.estimates.values())).survey

    def columns(self) -> dict[str, list[Any]]:
        """Return one table of all pairs."""
        tables = [pair.columns() for pair in self.pairs]
        return {name: [cell for table in tables for cell in table[name]] for name in tables[0]}

    def document(self) -> dict[str, Any]:
        """Return what JSON output says."""
        described = []
        for pair in self.pairs:
            columns = pair.columns()
            names = {name: columns.pop(name)[0] for name in ("first", "second")}
            described.append({**names, "categories": rows_of(columns)})
        crowds = [
            {"name": name, "n": one.n, **describe_survey(one.survey)}
            for name, one in self.estimates.items()
        ]
        said = ("p_value", "statistic", "degrees_of_freedom", "method")
        test = {name: getattr(self.test, name) for name in said} | {"differs": self._differs}
        return {"level": self.level, "crowds": crowds, "test": test, "comparisons": described}

    def draw(self, path: Path) -> None:
        """Draw one picture, with a panel for each pair."""
        from ..figures import canvas, plot_changes

        titled = {f"{pair.second} − {pair.first}": pair for pair in self.pairs}
        changes = {title: pair.changes for title, pair in titled.items()}
        found = {title: pair.found for title, pair in titled.items()}
        one = self._survey
        figure = plot_changes(changes, found, one.categories, title=one.question, level=self.level)
        canvas.save(figure, path)

    def show(self, top: int | None) -> None:
        """Print a table for each pair, and what the test of all says."""
        rows = top or (ROWS if len(self.pairs) == 1 else ROWS_OF_A_GROUP)
        for pair in self.pairs:
            title = self._survey.question
            if len(self.pairs) > 1:
                title = f"{pair.second} compared with {pair.first}"
            pair.show(title, rows)
        console().print(self._verdict)
        click.echo("Differences are in percentage points; * is found. p allows for their number.")

    @property
    def _differs(self) -> bool:
        return self.test.p_value <= 1 - self.level

    @property
    def _verdict(self) -> str:
        """What the test says, in a sentence."""
        names = list(self.estimates)
        if self.pairs[0].first == KNOWN and len(names) == 1:
            whom, alike = f"{names[0]} and the known shares", "the crowd had the known shares"
        else:
            whom = " and ".join(names) if len(names) == 2 else f"The {len(names)} groups"
            alike = "they were alike"
        says = f"{whom} differ" if self._differs else f"{whom} are not found to differ"
        method = f"chi-squared test, {plural(self.test.degrees_of_freedom, 'degree')} of freedom"
        if self.test.method == "resampled":
            method = "held against surveys drawn anew"
        p = self.test.p_value
        shown = _small(p) if p < 0.001 else f"= {_small(p)}"
        return (
            f"{says}: if {alike}, differences as large as these would be seen in {_chance(p)} "
            f"surveys (p {shown}; {method})."
        )


def _what_differs(names: Sequence[str], every: int) -> str:
    """Return a sentence on the categories that differ.

    >>> _what_differs([], 4), _what_differs(["tea", "milk"], 4)
    ('No single category is found to differ.', '2 of 4 categories differ: tea, milk.')
    """
    if not names:
        return "No single category is found to differ."
    named = f": {', '.join(names)}" if len(names) <= _MOST_NAMED else ""
    return f"{len(names):,} of {every:,} categories differ{named}."


def _chance(p: float) -> str:
    """Return a probability in words.

    >>> _chance(0.43), _chance(0.004), _chance(1e-9)
    ('43 of 100', '4 of 1,000', 'fewer than 1 of 1,000')
    """
    if p >= 0.01:
        return f"{100 * p:.0f} of 100"
    return f"{1000 * p:.0f} of 1,000" if p >= 0.001 else "fewer than 1 of 1,000"


def _small(p: float) -> str:
    """Return a p-value.

    >>> _small(0.4321), _small(0.00001)
    ('0.432', '< 0.001')
    """
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"
