"""privet plan: what a survey would cost and tell, before anyone is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..device.answers.base import Answers
from ..device.mechanisms.choices import MOST_OPTIONS
from ..device.questionnaire import Questionnaire
from ..figures import canvas, plot_plan
from ..plan import plan_questionnaire
from ..plan.planners import planner_of
from ..plan.planning import Asked
from ..plan.planning import plan as make
from ..shuffle.amplification import if_shuffled
from . import planned
from .guards import note_epsilon
from .kinds import answers_from, kinds_without_bands
from .options import INPUT, JSON, LEVEL, PICTURE, Once
from .output import print_json
from .writing import outputs


@click.command(cls=Once)
@click.option("--categories", "d", type=int, help="How many answers are possible.")
@kinds_without_bands
@click.option("-e", "--epsilon", type=float, help="The privacy level of one report.")
@click.option("-n", "--people", "n", type=click.IntRange(1), help="How many people report.")
@click.option(
    "--margin", type=float,
    help="How far a rare category's interval reaches, such as 0.01, or that of the mean on a "
    "scale, in its unit.",
)  # fmt: skip
@LEVEL
@click.option(
    "--delta", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=1e-6,
    help="The δ of the central ε that the reports have once nobody can link them to people.",
)  # fmt: skip
@click.option("--compare", "compared", is_flag=True, help="Show every mechanism, side by side.")
@click.option(
    "--questionnaire", type=INPUT, metavar="FILE",
    help="Show what --people would tell of each question and table of a questionnaire.",
)  # fmt: skip
@JSON
@click.option("--figure", type=PICTURE, help="Draw the margin against epsilon: PNG, SVG or PDF.")
def plan(
    d: int | None,
    epsilon: float | None,
    n: int | None,
    margin: float | None,
    level: float,
    delta: float,
    compared: bool,
    questionnaire: Path | None,
    json_out: bool,
    figure: Path | None,
    **kind: Any,
) -> None:
    """Plan a survey: two of ε, people and margin give the third.

    Give two of --epsilon, --people and --margin.

    privet plan --categories 30 --people 50000 --margin 0.01 --compare
    """
    if questionnaire is not None:
        others = (d, epsilon, margin, figure, *kind.values())
        if n is None or compared or any(value not in (None, False) for value in others):
            raise click.UsageError("--questionnaire takes --people alone: all else is in the file.")
        _plan_questionnaire(questionnaire, n, delta, json_out)
        return
    answers = _answers(d, kind)
    if sum(value is not None for value in (epsilon, n, margin)) != 2:
        raise click.UsageError("Give two of --epsilon, --people and --margin.")
    found = make(answers, epsilon=epsilon, n=n, margin=margin, level=level)
    rows = planner_of(found.answers).compared(found) if compared else None
    shuffled = planned.CentralLevel(if_shuffled(found.mechanism, found.n, delta), delta)
    with outputs(None, figure) as (_, picture):
        if picture is not None:
            canvas.save(plot_plan(found), picture)
    if json_out:
        print_json(planned.describe_plan(found, rows) | {"shuffled": shuffled._asdict()})
        return
    if rows is not None:
        planned.print_compared(rows, found)
    planned.print_plan(found, shuffled)
    note_epsilon(found.epsilon)


def _answers(d: int | None, kind: dict[str, Any]) -> Asked:
    """Return a number of categories, options or a scale."""
    if d is None and kind["scale"] is None:
        raise click.UsageError("Give --categories, or --scale, or --questionnaire.")
    categories = d or 0
    if kind["several"] and categories > MOST_OPTIONS:
        raise click.UsageError(f"--several is for at most {MOST_OPTIONS:,} options.")
    few = range(min(categories, MOST_OPTIONS))  # of one choice, the number of categories will do
    answers = answers_from([f"option {i + 1}" for i in few], kind)
    return answers if isinstance(answers, Answers) else categories


def _plan_questionnaire(path: Path, n: int, delta: float, json_out: bool) -> None:
    questionnaire = Questionnaire.read(path)
    rows = plan_questionnaire(questionnaire, n)
    shuffled = planned.CentralLevel(if_shuffled(questionnaire.mechanism, n, delta), delta)
    if json_out:
        described = planned.describe_questionnaire(questionnaire, n, rows)
        print_json(described | {"shuffled": shuffled._asdict()})
        return
    planned.print_questionnaire(questionnaire, n, rows)
    click.echo(f"shuffled, {n:,} people: {shuffled}.")
    note_epsilon(questionnaire.epsilon)
