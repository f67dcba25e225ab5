"""What is shown of comparisons: tables to read, documents for JSON, and a sentence on the test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..analysis.shown import Shown
from ..figures import canvas
from .output import in_lists, rows_of
from .renderings import Compared, Pair, Rendering, rendering_of
from .renderings.base import ROWS, ROWS_OF_A_GROUP
from .show import describe_survey
from .terminal import console


@dataclass(frozen=True)
class ShownDifferences:
    """What is compared, as tables, as JSON, as a file and as a picture."""

    found: Compared[Shown]

    @property
    def _rendering(self) -> Rendering[Shown]:
        return rendering_of(next(iter(self.found.estimates.values())).survey)

    @property
    def _level(self) -> float:
        return self.found.pairs[0].changes.level

    def columns(self) -> dict[str, list[Any]]:
        """Return one table of all pairs."""
        tables = [self._table(pair) for pair in self.found.pairs]
        return {name: [cell for table in tables for cell in table[name]] for name in tables[0]}

    def _table(self, pair: Pair) -> dict[str, list[Any]]:
        one, rows = pair.changes, len(pair.changes.names)
        row, value = self._rendering.differing
        return in_lists(
            {
                "first": [pair.first] * rows,
                "second": [pair.second] * rows,
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

    def document(self) -> dict[str, Any]:
        """Return what JSON output says."""
        described = []
        for pair in self.found.pairs:
            columns = self._table(pair)
            names = {name: columns.pop(name)[0] for name in ("first", "second")}
            described.append({**names, self._rendering.rows: rows_of(columns)})
        crowds = [
            {"name": name, "n": one.n, **describe_survey(one.survey)}
            for name, one in self.found.estimates.items()
        ]
        test = self.found.test._asdict() | {"differs": self._differs}
        return {"level": self._level, "crowds": crowds, "test": test, "comparisons": described}

    def draw(self, path: Path) -> None:
        """Draw one picture, with a panel for each pair."""
        titled = {f"{pair.second} − {pair.first}": pair.changes for pair in self.found.pairs}
        canvas.save(self._rendering.draw_pairs(titled), path)

    def show(self, top: int | None) -> None:
        """Print a table for each pair, and what the test of all says."""
        pairs = self.found.pairs
        rows = top or (ROWS if len(pairs) == 1 else ROWS_OF_A_GROUP)
        for pair in pairs:
            title = self._rendering.survey.question
            if len(pairs) > 1:
                title = f"{pair.second} compared with {pair.first}"
            self._rendering.show_pair(pair, title, rows)
        for line in self._rendering.verdict(self.found, differs=self._differs):
            console().print(line)
        for line in self._rendering.notes(pairs):
            click.echo(line)

    @property
    def _differs(self) -> bool:
        return self.found.test.p_value <= 1 - self._level
