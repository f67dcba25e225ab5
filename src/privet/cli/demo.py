"""privet demo: the whole way, from a crowd's answers to an estimate with error bars."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path

import click

from .options import JSON, OUTPUT, PICTURE, Once, keep_apart
from .output import outputs, print_json, say
from .show import describe_estimate, describe_survey, print_estimate
from .terminal import progress

QUESTION = "What did you have for breakfast?"
# Out of 100 people.
SHARES = {
    "toast": 21, "porridge": 16, "muesli": 13, "eggs": 11, "fruit": 9, "yoghurt": 8, "pancakes": 6,
    "only coffee": 5, "leftovers": 4, "soup": 3, "cake": 2, "nothing": 2,
}  # fmt: skip


_PICTURE = Path("privet-demo.png")


@click.command(cls=Once)
@click.option(
    "--people", type=click.IntRange(1, 10**7), default=100_000, help="How many people answer."
)
@click.option("--epsilon", type=float, default=1.0, help="The privacy level.")
@click.option(
    "--figure", type=PICTURE, show_default=str(_PICTURE),
    help="Where to draw the picture: a PNG, SVG or PDF.",
)  # fmt: skip
@click.option(
    "--answers", type=OUTPUT, help="Also write everyone's answers, a CSV file to try commands on."
)
@click.option("--questionnaire", is_flag=True, help="Ask several questions, and show a table.")
@JSON
def demo(
    people: int,
    epsilon: float,
    figure: Path | None,
    answers: Path | None,
    questionnaire: bool,
    json_out: bool,
) -> None:
    """Ask a made-up crowd a question and learn the answer from randomized reports alone.

    privet demo --people 20000 --epsilon 2
    """
    import numpy as np

    from ..figures import save_estimate
    from ..survey import Survey

    if figure is None:
        if find_spec("matplotlib") is not None:
            figure = _PICTURE
        else:
            say("Note: there is no picture without matplotlib: pip install 'privet[analysis]'")
    keep_apart([], [answers, figure])
    if questionnaire:
        from .demo_questionnaire import run

        run(people, epsilon, figure, answers, json_out)
        return
    survey = Survey(QUESTION, list(SHARES), epsilon)
    crowd = _crowd(people)
    with outputs(answers, figure) as (place, picture):
        if place is not None:
            place.write_text("\n".join(["answer", *crowd, ""]), encoding="utf-8")
        tally, first = survey.tally(), b""
        with progress("Randomizing", total=people) as advance:
            for at in range(0, people, 1000):
                reports = [survey.randomize(answer) for answer in crowd[at : at + 1000]]
                first = first or reports[0]
                tally.update(reports)
                advance(len(reports))
        estimate = tally.estimate()
        truth = np.array([crowd.count(category) for category in SHARES]) / people
        if picture is not None:
            save_estimate(estimate, picture, target="sample", truth=truth)
    # The truth is that of these very people, so the intervals are for them, not a wider crowd.
    low, high = estimate.interval(0.95, target="sample")
    held = int(np.count_nonzero((low <= truth) & (truth <= high)))
    if json_out:
        document = {**describe_survey(survey), "level": 0.95, "target": "sample"}
        document |= {"truth": truth.tolist(), "intervals_that_hold_the_truth": held}
        print_json(document | describe_estimate(estimate, 0.95, target="sample"))
        return
    members = survey.mechanism.members(first)  # type: ignore[attr-defined]
    shown = ", ".join(survey.categories[value] for value in members)
    click.echo(
        f"\n{people:,} people each answer once. Person 1 had {crowd[0]!r}; what leaves their "
        f"device is the set {{{shown}}}:\nno set is more than e^{epsilon:g} times as likely under "
        f"one answer as under another.\n"
    )
    print_estimate(estimate, level=0.95, target="sample", truth=truth)
    drawn = f" The picture is in {figure}." if figure is not None else ""
    click.echo(f"{held} of {len(SHARES)} intervals contain the truth.{drawn}")


def _crowd(people: int) -> list[str]:
    """Return everyone's answer: the shares to the nearest person."""
    ends = [people * share // 100 for share in accumulate(SHARES.values(), initial=0)]
    counts = [end - start for start, end in pairwise(ends)]
    return [name for name, n in zip(SHARES, counts, strict=True) for _ in range(n)]
