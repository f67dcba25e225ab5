"""A page about the reproduction: figures and tables in one HTML file, with the data next to it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from html import escape
from importlib.resources import files
from itertools import groupby
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

from .. import __version__
from ..analysis.progress import Progress, no_progress
from ..device.files import replacing
from ..figures.canvas import save
from . import pictures
from .claims import Loss, Reduction, losses, reductions
from .curves import Information, information
from .errata import Erratum, errata
from .protocol import LABELS, MECHANISMS
from .table1 import PRINTED_REPEATS, Cell, Table1, table1

_NORM_NAMES = {"l2": "squared ℓ2", "l1": "ℓ1"}
_PICTURES: dict[str, Callable[[Table1], Any]] = {
    "agreement": pictures.draw_agreement,
    "understatement": pictures.draw_understatement,
    "errors_l2": pictures.draw_errors,
    "errors_l1": partial(pictures.draw_errors, norm="l1"),
    "reduction": pictures.draw_reduction,
}


def write_report(
    folder: str | PathLike[str],
    repeats: int = 1000,
    seed: int | None = None,
    *,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Table1:
    """Reproduce the paper and write the results to a folder, which is created if needed.

    The page is report.html, which needs no other file; next to it are its figures as SVG and its
    numbers as JSON. Either all are written or none. The other arguments are those of `table1`.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        names = ("report.html", "table1.json", "information.json")
        page, cells, points = (stack.enter_context(replacing(place / name)) for name in names)
        figures = {
            name: stack.enter_context(replacing(place / f"{name}.svg"))
            for name in ("information", *_PICTURES)
        }
        curves = information()
        save(pictures.draw_information(curves), figures["information"])
        table = table1(repeats, seed, workers=workers, progress=progress)
        for name, draw in _PICTURES.items():
            save(draw(table), figures[name])
        _write(cells, json.dumps([cell.to_dict() for cell in table.cells], indent=1))
        _write(points, json.dumps(curves.to_dict(), indent=1))
        _write(page, _page(table, curves, figures))
    return table


def _page(table: Table1, curves: Information, figures: dict[str, Path]) -> str:
    """Return the page's HTML, figures included."""
    found, gains = errata(table), reductions(table)
    small, worst = table.cell(2, 1.0, "mrr", "l2"), table.worst()
    beyond = len(table.beyond(4))
    template = Template(files("privet.paper").joinpath("report.html").read_text(encoding="utf-8"))
    return template.substitute(
        {name: _embedded(path) for name, path in figures.items()},
        version=__version__,
        repeats=f"{table.repeats:,}",
        repeats_plain=table.repeats,
        seed=table.seed,
        cells=len(table.cells),
        within=len(table.cells) - beyond,
        beyond=beyond,
        rms=f"{table.rms_z():.2f}",
        worst_z=f"{abs(worst.z()):.1f}",
        worst_cell=_name(worst),
        scatter=_scatter(table),
        share=f"{100 * small.printed / small.joint:.0f}",
        printed_d2=f"{1e5 * small.printed:.2f} × 10⁻⁵",
        protocol_d2=f"{1e5 * small.marginal:.2f} × 10⁻⁵",
        real_d2=f"{1e5 * small.joint:.2f} × 10⁻⁵",
        less_l2=_between([gain.joint for gain in gains if gain.norm == "l2"]),
        less_l1=_between([gain.joint for gain in gains if gain.norm == "l1"]),
        sharp_verdict=_verdict(losses(table, "ksharp"), len(table.rows)),
        star_verdict=_verdict(losses(table, "kstar"), len(table.rows)),
        reductions=_reductions(gains),
        thresholds=_thresholds(curves),
        confirmed=sum(erratum.confirmed for erratum in found),
        errata_count=len(found),
        errata=_errata(found),
        table_l2=_cells(table, "l2"),
        table_l1=_cells(table, "l1"),
    )


def _scatter(table: Table1) -> str:
    """Return a sentence about the noise in print.

    If print is a mean of m repeats and we have R, the mean square of z is (1 + R/m) / (1 + R/100),
    rounding aside.
    """
    own = table.rms_z() ** 2 * (1 + table.repeats / PRINTED_REPEATS) - 1
    if table.rms_z() > 0.9 or own <= 0:
        return "About 1 is expected by chance."
    return (
        "About 1 is expected by chance: the printed values scatter less than means of 100 repeats, "
        f"more like means of {table.repeats / own:.0f}."
    )


def _name(cell: Cell) -> str:
    """Return the name of a cell in a sentence."""
    return f"d = {cell.d}, ε = {cell.epsilon:g}, {LABELS[cell.mechanism]}, {_NORM_NAMES[cell.norm]}"


def _between(shares: list[float]) -> str:
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return low if low == high else f"{low}–{high}"


def _verdict(found: list[Loss], rows: int) -> str:
    """Return a sentence about where a mechanism loses."""
    if not found:
        return (
            f"in none of the {rows} rows, in either norm, does it make more error than BRR or MRR "
            "by more than 4 standard errors."
        )
    worst = max(found, key=lambda loss: loss.excess)
    where = dict.fromkeys(f"d = {loss.d}, ε = {loss.epsilon:g}" for loss in found)
    return (
        f"in {len(where)} of {rows} rows it makes more error than {LABELS[worst.rival]} by more "
        f"than 4 standard errors ({'; '.join(where)}), by up to {100 * worst.excess:.0f} % "
        f"({_NORM_NAMES[worst.norm]}, d = {worst.d}, ε = {worst.epsilon:g})."
    )


def _cells(table: Table1, norm: str) -> str:
    """Return Table 1 in one norm: printed, protocol and real side by side."""
    names = "".join(f'<th colspan="3" class="first">{LABELS[name]}</th>' for name in MECHANISMS)
    columns = '<th class="first">printed</th><th>protocol</th><th>real</th>' * len(MECHANISMS)
    lines = [f"<tr><th></th><th></th>{names}</tr><tr><th>d</th><th>ε</th>{columns}</tr>"]
    for d, rows in groupby(table.rows, key=lambda row: row[0]):
        for at, (_, epsilon) in enumerate(rows):
            numbers = "".join(
                f'<td class="first">{cell.printed:.4g}</td><td>{cell.marginal:#.3g}</td>'
                f'<td class="real">{cell.joint:#.3g}</td>'
                for cell in (table.cell(d, epsilon, name, norm) for name in MECHANISMS)
            )
            start = f'<tr class="next"><td>{d}</td>' if at == 0 else "<tr><td></td>"
            lines.append(f"{start}<td>{epsilon:g}</td>{numbers}</tr>")
    return f'<table class="numbers cells">{"".join(lines)}</table>'


def _errata(found: list[Erratum]) -> str:
    rows = (
        f"<tr><td>{_formulas(erratum.where)}</td>"
        f'<td><span class="says">{_formulas(erratum.says)}</span><br>'
        f"→ {_formulas(erratum.should_say)}</td>"
        f"<td>{_formulas(erratum.evidence)}</td><td>{'✓' if erratum.confirmed else '?'}</td></tr>"
        for erratum in found
    )
    head = "<tr><th>where</th><th>says → should say</th><th>numbers</th><th></th></tr>"
    return f'<table class="errata">{head}{"".join(rows)}</table>'


def _formulas(text: str) -> str:
    """Return the text as HTML, with its minus signs, exponents and indices.

    >>> print(_formulas("e^{ε/2} > I_1 > -1"))
    e<sup>ε/2</sup> &gt; I<sub>1</sub> &gt; −1
    """
    minus = re.sub(r"(?<= )-(?=\d)", "−", escape(text))
    raised = re.sub(r"\^(?:{([^}]*)}|(\w+))", r"<sup>\1\2</sup>", minus)
    return re.sub(r"_(\w)", r"<sub>\1</sub>", raised)


def _reductions(gains: list[Reduction]) -> str:
    rows = (
        [gain.region, gain.rows, _NORM_NAMES[gain.norm]]
        + [
            f"{-100 * x:+.1f} %".replace("-", "−")
            for x in (gain.printed, gain.marginal, gain.joint)
        ]
        for gain in gains
    )
    return _table(("region", "rows", "error", "printed", "protocol", "real reports"), rows)


def _thresholds(curves: Information) -> str:
    rows = (
        [t.d, *(f"{x:.3f}" if x else "—" for x in (t.information, t.sufficient, t.l2))]
        for t in curves.thresholds
    )
    best = "most information, from ε", "suboptimal by the paper, to ε", "least error, from ε"
    return _table(("d", *best), rows)


def _table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    names = "".join(f"<th>{escape(str(name))}</th>" for name in head)
    lines = ("".join(f"<td>{escape(str(value))}</td>" for value in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table class="numbers"><tr>{names}</tr>{body}</table>'


def _embedded(path: Path) -> str:
    return f"data:image/svg+xml;base64,{b64encode(path.read_bytes()).decode('ascii')}"


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")
