"""privet paper: the paper's table and curves, reproduced."""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from .options import FIGURE, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..paper import Information, Table1
    from ..paper.table import Law

# In units that keep four digits short, for a table of 100 columns.
_UNITS = {"l2": ("squared ℓ2 error × 10⁴", 1e4), "l1": ("ℓ1 error × 10³", 1e3)}
_SHORT = {"brr": "BRR", "mrr": "MRR", "kstar": "k*-SS", "ksharp": "k#-SS"}
_SHOWN_EPSILONS = (0.1, 0.5, 1, 2, 3, 5, 8)

_REPEATS = click.option(
    "--repeats", type=click.IntRange(2, 100_000), default=1000, show_default=True,
    help="Simulations of each row.",
)  # fmt: skip
_SEED = click.option("--seed", type=click.IntRange(0), help="For the same numbers again.")
_WORKERS = click.option("--workers", type=click.IntRange(1), help="Threads; default: all cores.")


@click.group(no_args_is_help=False)
def paper() -> None:
    """Reproduce the table and the curves of the paper, and correct them.

    privet paper table1 --help
    """


@paper.command("table1")
@_REPEATS
@_SEED
@_WORKERS
@click.option(
    "--norm", type=click.Choice(list(_UNITS)), default="l2", show_default=True,
    help="Of the errors that are shown and drawn.",
)  # fmt: skip
@click.option("--json", "json_out", is_flag=True, help="Print JSON, every cell.")
@click.option("--figure", type=FIGURE, help="Draw a PNG, SVG or PDF.")
def print_table1(
    repeats: int,
    seed: int | None,
    workers: int | None,
    norm: str,
    json_out: bool,
    figure: Path | None,
) -> None:
    """Print Table 1 beside its reproduction: by the paper's protocol, and with real reports.

    privet paper table1 --repeats 20 --seed 1 --figure table1.png
    """
    from ..figures.canvas import save
    from ..paper import pictures, table1

    with _place(figure) as place:
        with _progress(repeats) as advance:
            table = table1(repeats, seed, workers=workers, advance=advance)
        if place is not None:
            save(pictures.draw_errors(table, norm), place)
    if json_out:
        click.echo(_as_json(table))
        return
    _print_cells(table, norm)
    _print_summary(table)


@paper.command("information")
@click.option("--json", "json_out", is_flag=True, help="Print JSON, finely spaced.")
@click.option("--figure", type=FIGURE, help="Draw a PNG, SVG or PDF.")
def print_information(json_out: bool, figure: Path | None) -> None:
    """Print how much a report can tell, by mechanism, and from where on MRR is optimal.

    privet paper information --figure information.png
    """
    from ..figures.canvas import save
    from ..paper import information, pictures

    curves = information()
    with _place(figure) as place:
        if place is not None:
            save(pictures.draw_information(curves), place)
    if json_out:
        click.echo(json.dumps(curves.to_dict(), indent=2))
        return
    _print_curves(information(epsilon=_SHOWN_EPSILONS))


@paper.command("all")
@click.option("-o", "--out", required=True, type=OUTPUT, help="A folder; made if need be.")
@_REPEATS
@_SEED
@_WORKERS
@click.option("--json", "json_out", is_flag=True, help="Print the table as JSON, every cell.")
def write_all(
    out: Path, repeats: int, seed: int | None, workers: int | None, json_out: bool
) -> None:
    """Write a page about the paper and its reproduction, with figures and data beside it.

    privet paper all -o paper --repeats 20 --seed 1
    """
    from ..paper import write_report

    with _progress(repeats) as advance:
        table = write_report(out, repeats, seed, workers=workers, advance=advance)
    if json_out:
        click.echo(_as_json(table))
        return
    _print_summary(table)
    click.echo(f"The page is {out / 'report.html'}.")


def _as_json(table: Table1) -> str:
    return json.dumps([cell.to_dict() for cell in table.cells], indent=2)


def _progress(repeats: int) -> Any:
    from ..paper.table import read_printed
    from .show import progress

    return progress("Simulating", total=repeats * len(read_printed()))


@contextmanager
def _place(figure: Path | None) -> Iterator[Path | None]:
    """Yield where to draw, if at all; where that cannot be, fail before the work and not after."""
    from ..figures.canvas import new_figure
    from ..files import replacing

    if figure is None:
        yield None
        return
    new_figure(1, 1)
    with replacing(figure) as temporary:
        yield temporary


def _print_cells(table: Table1, norm: str) -> None:
    from rich import box
    from rich.table import Table

    from ..paper.protocol import MECHANISMS

    unit, scale = _UNITS[norm]
    shown = Table(box=box.SIMPLE_HEAD, title=f"Table 1, {unit}", title_justify="left", padding=0)
    shown.add_column("d", justify="right")
    shown.add_column("ε ", justify="right", min_width=6)
    for name in MECHANISMS:
        for title, style in (("paper", "dim"), ("again", ""), ("real", "green")):
            head = f"{_SHORT[name] if title == 'paper' else ''}\n{title}"
            shown.add_column(head, justify="right", style=style, min_width=6)
    for d, rows in groupby(table.rows, key=lambda row: row[0]):
        for at, (_, epsilon) in enumerate(rows):
            line = [str(d) if at == 0 else "", f"{epsilon:g} "]
            for name in MECHANISMS:
                cell = table.cell(d, epsilon, name, norm)
                line += [f"{scale * cell.printed:.4g}"]
                line += [_four_digits(scale * mean) for mean in (cell.marginal, cell.joint)]
            shown.add_row(*line)
        shown.add_section()
    _console().print(shown)
    click.echo(
        "paper: as printed. again: the paper's protocol, each count drawn by itself.\n"
        "real: the mechanism's reports, whose counts depend on each other.\n"
    )


def _four_digits(x: float) -> str:
    """Return a number >= 0 in four digits, three of them decimals at most.

    >>> [_four_digits(x) for x in (0.0123, 4.56789, 456.789, 12345.6)]
    ['0.012', '4.568', '456.8', '12346']
    """
    return f"{x:.{max(0, 4 - len(str(int(x))))}f}"


def _print_summary(table: Table1) -> None:
    laws: tuple[tuple[str, Law], ...] = (("again", "marginal"), ("real", "joint"))
    click.echo(f"{table.repeats:,} repeats, seed {table.seed}. Print, in standard errors from:")
    for title, law in laws:
        worst = table.worst(law)
        where = f"d = {worst.d}, ε = {worst.epsilon:g}, {worst.mechanism}, {worst.norm}"
        click.echo(
            f"  {title:5}  rms z {table.rms_z(law):.2f}, largest |z| {abs(worst.z(law)):.2f} "
            f"({where}), {len(table.beyond(4, law))} of {len(table.cells)} beyond 4"
        )


def _print_curves(curves: Information) -> None:
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, title="Information of a report, nats", title_justify="left")
    for name in ("d", "ε", "k*", "k#", "k*-subset", "BRR", "MRR", "any d", "ε²/8"):
        shown.add_column(name, justify="right")
    for point in curves.points:
        shown.add_row(
            str(point.d), f"{point.epsilon:g}", str(point.k_star), str(point.k_sharp),
            f"{point.k_subset:.5f}",
            *(f"{100 * x / point.k_subset:.1f} %" for x in (point.brr, point.mrr)),
            f"{point.any_d:.5f}", f"{point.quadratic:.5f}",
            end_section=point.epsilon == curves.points[-1].epsilon,
        )  # fmt: skip
    console = _console()
    console.print(shown)
    console.print("The k*-subset mechanism holds the most there is; BRR and MRR in % of that.\n")
    for threshold in curves.thresholds:
        click.echo(
            f"d = {threshold.d}: MRR has the most information from ε = {threshold.information:.3f} "
            f"on, the least squared error from ε = {threshold.l2:.3f} on."
        )


def _console() -> Any:
    import sys

    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 100)
