"""privet simulate: how far estimates are from the truth, compared with the theory."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click

from ..device.mechanisms.forwards import Target
from ..errors import InvalidFile
from ..figures import canvas, plot_experiment
from ..simulate import run, truth
from ..simulate.experiment import Experiment, Row
from .attack import attack
from .options import (
    FIGURE,
    INPUT,
    JSON,
    SEED,
    TABLE,
    WORKERS,
    InOrder,
    Once,
    keep_apart,
    typed_options,
)
from .output import print_json, three_digits
from .terminal import console, new_table, progress
from .writing import outputs, write_table


class _Itself(Once, InOrder):
    """Does its own work unless one of its commands is named."""


@click.group(cls=_Itself, invoke_without_command=True, subcommand_metavar="[COMMAND]")
@click.option(
    "-d", "--values", "sizes", type=int, multiple=True,
    show_default="64, or as many as in --truth-file", help="How many values; repeatable.",
)  # fmt: skip
@click.option(
    "-e", "--epsilon", "levels", type=float, multiple=True, default=(0.5, 1, 2, 4),
    help="The privacy level; repeatable.",
)  # fmt: skip
@click.option(
    "-n", "--people", "crowds", type=click.IntRange(1), multiple=True, default=(10_000,),
    help="How many people report; repeatable.",
)  # fmt: skip
@click.option(
    "-m", "--mechanism", "mechanisms", multiple=True,
    default=("k-subset", "multivariate-rr", "binary-rr"),
    help="How to randomize; repeatable. Also k-subset:information and k-subset:K.",
)  # fmt: skip
@click.option(
    "-t", "--truth", "truths", multiple=True, show_default="zipf:1.1, or the --truth-file",
    help="What answers are drawn from; repeatable: paper, flat, dirichlet:ALPHA, zipf:S, "
    "geometric:RATIO, spikes:M, two-level:PART,SHARE.",
)  # fmt: skip
@click.option(
    "--truth-file", type=INPUT, help="A truth of your own: a share or a count for each value."
)
@click.option("--repeats", type=click.IntRange(2), default=100, help="Simulations of each row.")
@click.option(
    "--target", type=click.Choice(["population", "sample"]), default="population",
    help="What errors are measured against: the truth, or the shares of the people drawn from it.",
)  # fmt: skip
@SEED
@WORKERS
@JSON
@click.option("-o", "--out", type=TABLE, help="Write the table, as CSV, JSON or Parquet.")
@FIGURE
@click.pass_context
def simulate(
    context: click.Context,
    sizes: tuple[int, ...],
    levels: tuple[float, ...],
    crowds: tuple[int, ...],
    mechanisms: tuple[str, ...],
    truths: tuple[str, ...],
    truth_file: Path | None,
    repeats: int,
    target: Target,
    seed: int | None,
    workers: int | None,
    json_out: bool,
    out: Path | None,
    figure: Path | None,
) -> None:
    """Simulate surveys of people whose answers are known.

    The errors of the estimates are printed. Every mechanism is tried with every number of values,
    privacy level, number of people and truth.

    privet simulate -e 1 -e 2 -t zipf:1.1 -t spikes:3 --figure errors.png
    """
    if context.invoked_subcommand is not None:
        for option in typed_options():  # which would go unheard
            command = context.invoked_subcommand
            raise click.UsageError(f"Option '{option}' is not one of '{command}'.")
        return

    keep_apart([truth_file], [out, figure])
    forms: dict[str, Any] = {name: name for name in truths}
    if truth_file is not None:
        forms[truth_file.name] = own = _read_truth(truth_file)
        sizes = sizes or (len(own),)
    with outputs(out, figure) as (table, picture):
        experiment = run(
            d=sizes or 64, epsilon=levels, n=crowds, mechanisms=mechanisms,
            truths=forms or "zipf:1.1", repeats=repeats, target=target, seed=seed, workers=workers,
            progress=progress,
        )  # fmt: skip
        if table is not None:
            write_table(table, experiment.columns, lambda: _as_document(experiment))
        if picture is not None:
            canvas.save(plot_experiment(experiment), picture)
    if json_out:
        print_json(_as_document(experiment))
    else:
        _print_table(experiment)


simulate.add_command(attack)


def _read_truth(path: Path) -> list[float]:
    """Read the numbers of a text file, whatever separates them."""
    try:
        numbers = [float(word) for word in path.read_text("utf-8").replace(",", " ").split()]
        truth(numbers)
    except ValueError as error:
        raise InvalidFile(f"{path}: {error}") from None
    return numbers


def _as_document(experiment: Experiment) -> dict[str, Any]:
    return {
        "repeats": experiment.repeats,
        "target": experiment.target,
        "seed": experiment.seed,
        "rows": [row._asdict() for row in experiment.rows],
    }


def _print_table(experiment: Experiment) -> None:
    """Print the errors; what is the same in all rows is said once, below them."""
    words = {"truth": "truth", "d": "values", "n": "people", "epsilon": "ε"}
    columns = experiment.columns()
    varied = [name for name in words if len(set(columns[name])) > 1]
    table = new_table()
    for name in varied:
        table.add_column(words[name], justify="left" if name == "truth" else "right")
    table.add_column("mechanism")
    table.add_column("estimate")
    for header in ("ℓ1\nerror", "squared ℓ2\nerror ± s.e.", "in\ntheory", "ℓ∞\nerror"):
        table.add_column(header, justify="right", no_wrap=True)

    def place(row: Row) -> list[str]:
        return [_show(getattr(row, name)) for name in varied]

    for where, rows in groupby(experiment.rows, place):
        table.add_section()
        for mechanism, estimates in groupby(rows, lambda row: row.mechanism):
            labels = [*where, mechanism]
            for row in estimates:
                spread = 100 * row.squared_l2_se / (row.squared_l2 or 1)
                table.add_row(
                    *labels, row.estimator, three_digits(row.l1),
                    f"{three_digits(row.squared_l2)} ± {spread:4.1f} %",
                    three_digits(row.unbiased_theory) if row.estimator == "unbiased" else "",
                    three_digits(row.l_infinity),
                )  # fmt: skip
                labels = [""] * len(labels)
            where = [""] * len(where)
    console(120).print(table)
    said = {words[name]: columns[name][0] for name in words if name not in varied}
    said |= {"repeats": experiment.repeats, "target": experiment.target}
    said["seed"] = str(experiment.seed)  # to be copied
    click.echo(" · ".join(f"{name}: {_show(value)}" for name, value in said.items()))


def _show(value: str | float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else f"{value:g}"
