"""privet demo: the whole way, from a crowd's answers to an estimate with error bars."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from threading import Event

import click

from ..device.survey import Survey
from ..figures import save_estimate
from .demo_questionnaire import count_reports, run
from .demo_service import Served, served
from .options import JSON, OUTPUT, PICTURE, Once, keep_apart
from .output import in_lists, print_json, say
from .renderings.shares import described, print_estimate
from .show import describe_survey
from .writing import outputs

QUESTION = "What did you have for breakfast?"
# Out of 100 people.
SHARES = {
    "toast": 21, "porridge": 16, "muesli": 13, "eggs": 11, "fruit": 9, "yoghurt": 8, "pancakes": 6,
    "only coffee": 5, "leftovers": 4, "soup": 3, "cake": 2, "nothing": 2,
}  # fmt: skip


_PICTURE = Path("privet-demo.png")
_PEOPLE, _PEOPLE_SERVED = 100_000, 5_000


@click.command(cls=Once)
@click.option(
    "--people", type=click.IntRange(1, 10**7), show_default="100,000; 5,000 with --serve",
    help="How many people answer.",
)  # fmt: skip
@click.option("--epsilon", type=float, default=1.0, help="The privacy level.")
@click.option(
    "--figure", type=PICTURE, show_default=str(_PICTURE),
    help="Where to draw the picture: a PNG, SVG or PDF.",
)  # fmt: skip
@click.option(
    "--answers", type=OUTPUT, help="Also write everyone's answers, a CSV file to try commands on."
)
@click.option("--questionnaire", is_flag=True, help="Ask several questions, and show a table.")
@click.option("--serve", is_flag=True, help="Start a service, and let people answer over HTTP.")
@click.option("--keep", is_flag=True, help="With --serve: go on serving until Ctrl-C.")
@JSON
def demo(
    people: int | None,
    epsilon: float,
    figure: Path | None,
    answers: Path | None,
    questionnaire: bool,
    serve: bool,
    keep: bool,
    json_out: bool,
) -> None:
    """Learn what a made-up crowd answers from its reports alone.

    privet demo --people 20000 --epsilon 2
    """
    if serve and questionnaire:
        raise click.UsageError("--serve and --questionnaire do not go together.")
    if keep and not serve:
        raise click.UsageError("--keep is for --serve.")
    if figure is None:
        if find_spec("matplotlib") is not None:
            figure = _PICTURE
        else:
            say("Note: there is no picture without matplotlib: pip install 'privet[analysis]'")
    keep_apart([], [answers, figure])
    people = people or (_PEOPLE_SERVED if serve else _PEOPLE)
    if questionnaire:
        run(people, epsilon, figure, answers, json_out)
        return
    with ExitStack() as stack:
        service = _ask(people, epsilon, figure, answers, json_out, stack if serve else None)
        if service is not None and keep:
            say(f"The results are at {service.results_url} until Ctrl-C.")
            with suppress(KeyboardInterrupt):
                Event().wait()


def _ask(
    people: int,
    epsilon: float,
    figure: Path | None,
    answers: Path | None,
    json_out: bool,
    serving: ExitStack | None,
) -> Served | None:
    """Ask one question; return the service, if there is one, which ends with the stack."""
    import numpy as np

    survey = Survey(QUESTION, list(SHARES), epsilon)
    crowd, service = _crowd(people), None
    with outputs(answers, figure) as (place, picture):
        if place is not None:
            place.write_text("\n".join(["answer", *crowd, ""]), encoding="utf-8")
        if serving is not None:
            service = serving.enter_context(served(survey, crowd))
            tally, first = service.tally(), service.first
        else:
            first = survey.randomize(crowd[0])
            tally = count_reports(survey, first, map(survey.randomize, crowd[1:]), people)
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
        document |= {} if service is None else {"service": service.described()}
        table = in_lists(estimate.columns(0.95, target="sample"))
        print_json(document | described(estimate, 0.95, table))
        return service
    members = survey.mechanism.members(first)  # type: ignore[attr-defined]
    shown = ", ".join(survey.categories[value] for value in members)
    how = "" if service is None else ", over HTTP"
    click.echo(
        f"\n{people:,} people each answer once{how}. Person 1 had {crowd[0]!r}; what leaves their "
        f"device is the set {{{shown}}}:\nno set is more than e^{epsilon:g} times as likely under "
        f"one answer as under another.\n"
    )
    print_estimate(estimate, level=0.95, target="sample", truth=truth)
    for line in [] if service is None else service.lines():
        click.echo(line)
    drawn = f" The picture is in {figure}." if figure is not None else ""
    click.echo(f"{held} of {len(SHARES)} intervals contain the truth.{drawn}")
    return service


def _crowd(people: int) -> list[str]:
    """Return everyone's answer: the shares to the nearest person."""
    ends = [people * share // 100 for share in accumulate(SHARES.values(), initial=0)]
    counts = [end - start for start, end in pairwise(ends)]
    return [name for name, n in zip(SHARES, counts, strict=True) for _ in range(n)]
