"""privet demo: the whole way, from a crowd's answers to an estimate with error bars."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click
import numpy as np

from .options import FIGURE, OUTPUT, keep_apart

QUESTION = "What did you have for breakfast?"
# Out of 100 people.
SHARES = {
    "toast": 21, "porridge": 16, "muesli": 13, "eggs": 11, "fruit": 9, "yoghurt": 8, "pancakes": 6,
    "only coffee": 5, "leftovers": 4, "soup": 3, "cake": 2, "nothing": 2,
}  # fmt: skip


@click.command()
@click.option(
    "--people", type=click.IntRange(1, 10**7), default=100_000, show_default=True,
    help="How many answer.",
)  # fmt: skip
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="The privacy level.")
@click.option(
    "--figure", type=FIGURE, default=Path("privet-demo.png"),
    show_default=True, help="Where to draw the picture (PNG, SVG or PDF).",
)  # fmt: skip
@click.option(
    "--answers", type=OUTPUT, help="Also write everyone's answer, a CSV file to try commands on."
)
@click.option("--json", "json_out", is_flag=True, help="Print JSON.")
def demo(people: int, epsilon: float, figure: Path, answers: Path | None, json_out: bool) -> None:
    """Ask a made-up crowd a question and learn the answer from randomized reports alone.

    privet demo --people 20000 --epsilon 2
    """
    from ..figures import save_estimate
    from ..files import replacing
    from ..survey import Survey
    from .show import describe_estimate, describe_survey, print_estimate, print_json, progress

    keep_apart([], [answers, figure])
    survey = Survey(QUESTION, list(SHARES), epsilon)
    crowd = _crowd(people)
    with ExitStack() as stack:  # what cannot be written is told before the work
        picture = stack.enter_context(replacing(figure))
        if answers is not None:
            lines = "\n".join(["answer", *crowd, ""])
            stack.enter_context(replacing(answers)).write_text(lines, encoding="utf-8")
        tally = survey.tally()
        first = survey.randomize(crowd[0])
        tally.update(first)
        with progress("Randomizing", total=people - 1) as advance:
            for at in range(1, people, 1000):
                reports = [survey.randomize(answer) for answer in crowd[at : at + 1000]]
                tally.update(reports)
                advance(len(reports))
        estimate = tally.estimate()
        truth = np.array([crowd.count(category) for category in SHARES]) / people
        save_estimate(estimate, picture, target="sample", truth=truth)
    # The truth is that of these very people, so the intervals are for them, not a wider crowd.
    low, high = estimate.interval(0.95, target="sample")
    held = int(np.count_nonzero((low <= truth) & (truth <= high)))
    if json_out:
        document = {**describe_survey(survey), "level": 0.95, "target": "sample"}
        document |= {"truth": truth.tolist(), "intervals_that_hold_the_truth": held}
        print_json(document | describe_estimate(estimate, 0.95, "sample"))
        return
    members = survey.mechanism.members(first)  # type: ignore[attr-defined]
    shown = ", ".join(survey.categories[value] for value in members)
    click.echo(
        f"\n{people:,} people each answer once. Person 1 had {crowd[0]!r}; what leaves their "
        f"side is the set {{{shown}}}:\nno set is more than e^{epsilon:g} times likelier under one "
        f"answer than under any other.\n"
    )
    print_estimate(estimate, level=0.95, target="sample", truth=truth)
    click.echo(f"{held} of {len(SHARES)} intervals hold the truth. The picture is in {figure}.")


def _crowd(people: int) -> list[str]:
    """Return everyone's answer: the shares to the nearest person."""
    ends = np.cumsum(list(SHARES.values())) * people // 100
    return [
        name for name, n in zip(SHARES, np.diff(ends, prepend=0), strict=True) for _ in range(n)
    ]
