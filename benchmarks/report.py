"""The results as tables, in the terminal and in Markdown."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table as RichTable

from .peers import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .rows import Row, Table

_WIDTHS = {"work": 38, "privet": 11, "against": 32, "result": 10, "bar": 22, "met": 11}
_COLUMNS = tuple(_WIDTHS)
_STYLES = {"no": "red", "yes": "green", "yes, stretch": "bold green"}


def cells(row: Row) -> tuple[str, ...]:
    return row.work, row.privet, row.against, row.shown_result, row.shown_bar, row.met


def terminal_table(table: Table, rows: Sequence[Row], judged: bool = True) -> RichTable:
    shown = RichTable(title=table.title, title_justify="left", box=box.SIMPLE_HEAD, expand=True)
    for name in _COLUMNS:
        number = name in ("privet", "result")
        shown.add_column(
            name,
            justify="right" if number else "left",
            no_wrap=number or name == "work",
            ratio=_WIDTHS[name],
        )
    for row in rows:
        met = row.met if judged else ""
        shown.add_row(*cells(row)[:-1], met, style=_STYLES.get(met))
    return shown


def markdown(
    results: Sequence[tuple[Table, Sequence[Row]]], limits: dict[str, float], picture: str
) -> str:
    bars = [row.met for _, rows in results for row in rows if row.met]
    lines = [
        "# Results of `make bench`",
        "",
        "Everything here was measured in one run, peers in the same process: medians of repeats in",
        "which privet and what it is compared with take turns, after a round that compiles. One",
        "core (`workers=1`, one thread in every library) and ε = 1 unless it says otherwise.",
        "",
        f"A bar is what a row is asked to reach. **{_met(bars)}**",
        "",
        f"![privet against its bars]({picture})",
        "",
        "## Machine",
        "",
        *(f"- {line}" for line in machine()),
        *(f"- {name}, one core: {rate:.1f} GB/s" for name, rate in limits.items()),
    ]
    return "\n".join([*lines, *sections(results)]) + "\n"


def sections(results: Sequence[tuple[Table, Sequence[Row]]]) -> Iterator[str]:
    """Yield the lines of all tables."""
    for table, rows in results:
        yield from ("", f"## {table.title}", "", *([table.about, ""] if table.about else []))
        yield from (_markdown_row(_COLUMNS), "|---|--:|---|--:|---|---|")
        yield from (_markdown_row(cells(row)) for row in rows)


def _met(bars: Sequence[str]) -> str:
    return f"{len(bars) - bars.count('no')} of {len(bars)} bars are met."


def _markdown_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def machine() -> list[str]:
    busy = f", load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return [
        f"{_cpu()}, {os.cpu_count()} cores{busy}",
        f"{platform.system()}, Python {platform.python_version()}",
        _versions("privet", "numpy", "numba", "cryptography", "pyarrow"),
        _versions(*sorted(NAMES)),
    ]


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _versions(*names: str) -> str:
    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} (not installed)")
    return ", ".join(found)
