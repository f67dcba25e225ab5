"""privet paper: the paper's table and curves, reproduced."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import click

from ..figures.canvas import save
from ..paper import Information, Table1, information, pictures, table1, write_report
from ..paper.protocol import MECHANISMS
from ..paper.table1 import Law
from .options import FIGURE, JSON, OUTPUT, SEED, WORKERS, InOrder
from .output import print_json
from .terminal import console, new_table, progress
from .writing import outputs

# In units that keep four digits short, for a table of 100 columns.
_UNITS = {"l2": ("squared ℓ2 error × 10⁴", 1e4), "l1": ("ℓ1 error × 10³", 1e3)}
_SHORT = {"brr": "BRR", "mrr": "MRR", "kstar": "k*-SS", "ksharp": "k#-SS"}
_SHOWN_EPSILONS = (0.1, 0.5, 1, 2, 3, 5, 8)

_REPEATS = click.option(
    "--repeats", type=click.IntRange(2, 100_000), default=1000, help="Simulations of each row."
)


@click.group(cls=InOrder, no_args_is_help=False)
def paper() -> None:
    """Reproduce the paper's table and curves, corrected.

    privet paper table1 --help
    """


@paper.command("table1")
@_REPEATS
@SEED
@WORKERS
@click.option(
    "--norm", type=click.Choice(list(_UNITS)), default="l2", help="Of the errors to show and draw."
)
@JSON
@FIGURE
def print_table1(
    repeats: int,
    seed: int | None,
    workers: int | None,
    norm: str,
    json_out: bool,
    figure: Path | None,
) -> None:
    """Print Table 1 next to its reproduction, by the paper's protocol and with real reports.

    privet paper table1 --repeats 20 --seed 1 --figure table1.png
    """
    with outputs(None, figure) as (_, picture):
        table = table1(repeats, seed, workers=workers, progress=progress)
        if picture is not None:
            save(pictures.draw_errors(table, norm), picture)
    if json_out:
        print_json([cell.to_dict() for cell in table.cells])
        return
    _print_cells(table, norm)
    _print_summary(table)


@paper.command("information")
@JSON
@FIGURE
def print_information(json_out: bool, figure: Path | None) -> None:
    """Print how much a report reveals, by mechanism, and from which ε on MRR is optimal.

    privet paper information --figure information.png
    """
    with outputs(None, figure) as (_, picture):
        curves = information()
        if picture is not None:
            save(pictures.draw_information(curves), picture)
    if json_out:
        print_json(curves.to_dict())
        return
    _print_curves(information(epsilon=_SHOWN_EPSILONS))


@paper.command("all")
@click.option("-o", "--out", required=True, type=OUTPUT, help="A folder; made if need be.")
@_REPEATS
@SEED
@WORKERS
@JSON
def write_all(
    out: Path, repeats: int, seed: int | None, workers: int | None, json_out: bool
) -> None:
    """Write a page about the paper and its reproduction, with its figures and data.

    privet paper all -o paper --repeats 20 --seed 1
    """
    table = write_report(out, repeats, seed, workers=workers, progress=progress)
    if json_out:
        print_json([cell.to_dict() for cell in table.cells])
        return
    _print_summary(table)
    click.echo(f"The page is {out / 'report.html'}.")


def _print_cells(table: Table1, norm: str) -> None:
    unit, scale = _UNITS[norm]
    shown = new_table(f"Table 1, {unit}", padding=0)
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
    console().print(shown)
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
    shown = new_table("Information of a report, nats")
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
    console().print(shown)
    click.echo("The k*-subset mechanism has the most there is; BRR and MRR in % of that.\n")
    for threshold in curves.thresholds:
        click.echo(
            f"d = {threshold.d}: MRR has the most information from ε = {threshold.information:.3f} "
            f"on, the least squared error from ε = {threshold.l2:.3f} on."
        )
