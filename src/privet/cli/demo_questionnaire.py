"""privet demo --questionnaire: several questions and a table, at the privacy of one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby, islice, product
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from ..analysis.kinds.several import SEPARATOR
from ..analysis.questionnaire_estimate import QuestionnaireEstimate
from ..analysis.tables.ratios import shown
from ..analysis.tally import Tally
from ..device.answers.scale import Scale
from ..device.answers.several import Several
from ..device.contract import Contract, E
from ..device.pages import Page
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..figures import canvas, plot_estimate, plot_scale, plot_table
from .answered import association_in_words
from .output import print_json, rows_of
from .show import describe_survey
from .terminal import print_table, progress
from .writing import outputs

# Where people live, out of 100, and how they get to work from there.
HOMES = {"city": 45, "suburb": 35, "country": 20}
WAYS = {"car": (18, 48, 71), "train": (34, 31, 12), "bicycle": (28, 14, 8), "on foot": (20, 7, 9)}
# How long that takes, in minutes, on average, and what share of people do on the way.
MINUTES = {"car": 28, "train": 47, "bicycle": 21, "on foot": 14}
HABITS = {"music": 45, "podcasts": 27, "reading": 16, "calls": 11, "games": 7, "work": 5}
TABLE = "home", "way"
_SEED = 2016
_LONG, _LEVEL = 60, 0.95


class Compared(NamedTuple):
    """An estimated share or number, its interval, and the truth."""

    question: str
    name: str
    value: float
    low: float
    high: float
    truth: float
    is_share: bool = True

    @property
    def holds(self) -> bool:
        """Whether the interval contains the truth."""
        return bool(self.low <= self.truth <= self.high)

    def cells(self) -> tuple[str, ...]:
        """Return what is printed next to the question."""
        times, unit = (100, "%") if self.is_share else (1, "min")
        value, low, high, truth = (f"{times * number:z.1f}" for number in self[2:6])
        interval = f"{low:>5} – {high:>4} {unit}"
        mark = "✓" if self.holds else "✗"
        return self.name, f"{value} {unit}", interval, f"{truth} {unit}", mark


def run(
    people: int, epsilon: float, figure: Path | None, place: Path | None, json_out: bool
) -> None:
    """Ask a made-up crowd, and show what the reports say next to the truth."""
    if people < 1000:
        raise click.UsageError("A questionnaire is for 1,000 people or more: its pages share them.")
    asked, crowd = questionnaire(epsilon), make_crowd(people)
    with outputs(place, figure) as (table, picture):
        if table is not None:
            joined = {name: [*map(_cell, column)] for name, column in crowd.items()}
            lines = [",".join(row) for row in ([*joined], *zip(*joined.values(), strict=True))]
            table.write_text("\n".join([*lines, ""]), encoding="utf-8")
        answers = rows_of(crowd)
        page = asked.draw()
        first = asked.randomize(answers[0], page=page)
        tally = count_reports(asked, first, map(asked.randomize, answers[1:]), people)
        estimate = tally.estimate()
        if picture is not None:
            _draw(estimate, crowd, picture)
    rows, shares = _rows(estimate, crowd), _table_rows(estimate, crowd)
    if json_out:
        print_json(_document(estimate, rows, shares))
        return
    _print_report(asked, answers[0], page, first, people)
    _print_rows(rows)
    _print_table(estimate, shares)
    every = [*rows, *shares]
    held = sum(row.holds for row in every)
    drawn_in = f" The picture is in {figure}." if figure is not None else ""
    click.echo(f"{held} of {len(every)} intervals contain the truth.{drawn_in}")


def count_reports(
    contract: Contract[E], first: bytes, others: Iterator[bytes], people: int
) -> Tally[E]:
    """Return a tally of everyone's report; the others are made while they are counted."""
    tally = contract.tally()
    reports = chain([first], others)
    with progress("Randomizing", total=people) as advance:
        while some := [*islice(reports, 1000)]:
            tally.update(some)
            advance(len(some))
    return tally


def questionnaire(epsilon: float) -> Questionnaire:
    """Return the questions, and the table of two of them."""
    habits = Several(list(HABITS), most=3)
    minutes = Scale(0, 120, 121, "minutes", whole=True, bands=[_LONG])
    surveys: list[Survey] = [
        Survey("Where do you live?", list(HOMES), epsilon, id="home"),
        Survey("How do you get to work?", list(WAYS), epsilon, id="way"),
        Survey("What do you do on the way?", habits, epsilon, id="habits"),
        Survey("How long does it take?", minutes, epsilon, id="minutes"),
    ]
    return Questionnaire("The way to work", surveys, epsilon, tables=[TABLE])


def make_crowd(people: int) -> dict[str, list[Any]]:
    """Return everyone's answers by question, the same every time."""
    rng = np.random.default_rng(_SEED)
    home = rng.choice(len(HOMES), people, p=np.array([*HOMES.values()]) / 100)
    chances = np.array([*WAYS.values()]).T.cumsum(axis=1) / 100
    way = (rng.random(people)[:, None] >= chances[home]).sum(axis=1)
    minutes = np.array([*MINUTES.values()])[way] * rng.gamma(6, 1 / 6, people)
    does = rng.random((people, len(HABITS))) < np.array([*HABITS.values()]) / 100
    habits = [[name for name, yes in zip(HABITS, row, strict=True) if yes][:3] for row in does]
    return {
        "home": [[*HOMES][i] for i in home],
        "way": [[*WAYS][i] for i in way],
        "habits": habits,
        "minutes": np.rint(minutes).clip(0, 120).astype(int).tolist(),
    }


def _rows(estimate: QuestionnaireEstimate, crowd: dict[str, list[Any]]) -> list[Compared]:
    """Return all shares, and what is known of the minutes."""
    rows = []
    for name in ("home", "way", "habits"):
        one, truth = estimate[name], _truth(estimate, crowd, name)
        columns = one.frequencies, *one.interval(target=len(crowd[name])), truth
        answers = zip(one.survey.categories, *(column.tolist() for column in columns), strict=True)
        rows += [Compared(name, *answer) for answer in answers]
    numbers: Any = estimate["minutes"]
    minutes = np.array(crowd["minutes"])
    for what, measured, true in (
        ("mean", numbers.mean(), minutes.mean()),
        ("median", numbers.median(), np.median(minutes)),
        ("an hour or more", numbers.share(_LONG, 120), np.mean(minutes >= _LONG)),
    ):
        low, high = measured.interval()
        rows.append(
            Compared("minutes", what, measured.value, low, high, float(true), "hour" in what)
        )
    return rows


def _table_rows(estimate: QuestionnaireEstimate, crowd: dict[str, list[Any]]) -> list[Compared]:
    """Return how people get to work, by where they live."""
    shares = estimate.table(*TABLE).row_shares()
    values = shown(shares.frequencies)
    columns = (column.ravel().tolist() for column in (values, *shares.interval()))
    given, homes = Counter(zip(crowd["home"], crowd["way"], strict=True)), Counter(crowd["home"])
    return [
        Compared(home, way, value, low, high, given[home, way] / homes[home])
        for (home, way), value, low, high in zip(product(HOMES, WAYS), *columns, strict=True)
    ]


def _truth(estimate: QuestionnaireEstimate, crowd: dict[str, list[Any]], name: str) -> Any:
    """Return the share of people with each answer."""
    given, names = crowd[name], estimate.survey[name].categories
    if name == "habits":
        given = [option for options in given for option in options]
    return np.array([given.count(answer) for answer in names]) / len(crowd[name])


def _cell(answer: Any, between: str = SEPARATOR) -> str:
    """Return an answer as a cell of a CSV file."""
    return between.join(answer) if isinstance(answer, list) else str(answer)


# --- what is shown --------------------------------------------------------------------------------


def _print_report(
    asked: Questionnaire, answers: dict[str, Any], page: Page, report: bytes, people: int
) -> None:
    shares = ", ".join(f"{' × '.join(one.asks)} {100 * one.share:.0f} %" for one in asked.pages)
    said = ", ".join(_cell(answers[name], ", ") or "nothing" for name in page.asks)
    click.echo(
        f"\n{people:,} people each draw one page of {asked.title!r} and answer it once:\n"
        f"{shares}.\n"
        f"Person 1 drew {' × '.join(page.asks)!r} and answers {said!r}. "
        f"The device sends the bytes {report.hex(' ')}:\n"
        f"no report is more than e^{asked.epsilon:g} times as likely under one person's answers as "
        f"under another's."
    )


def _print_rows(rows: list[Compared]) -> None:
    cells = [
        [row.question if at == 0 else "", *row.cells()]
        for _, some in groupby(rows, key=attrgetter("question"))
        for at, row in enumerate(some)
    ]
    heads = ("estimate", "95 % interval", "truth", "")
    print_table(["question", "answer"], heads, cells, no_wrap=True)


def _print_table(estimate: QuestionnaireEstimate, rows: list[Compared]) -> None:
    title = "Of those who live there, % who get to work so, 95 % intervals, and the truth"
    found = estimate.table(*TABLE)
    cells = [
        f"{100 * row.value:.0f} ({100 * row.low:.0f}–{100 * row.high:.0f}), {100 * row.truth:.0f}"
        for row in rows
    ]
    lines = [[home, *cells[i * len(WAYS) :][: len(WAYS)]] for i, home in enumerate(HOMES)]
    print_table(["home"], WAYS, lines, title, no_wrap=True)
    click.echo(found.independence())
    click.echo(association_in_words(found, _LEVEL))


def _document(
    estimate: QuestionnaireEstimate, rows: list[Compared], shares: list[Compared]
) -> dict[str, Any]:
    """Return what JSON output says."""
    test = estimate.table(*TABLE).independence()
    every = [*rows, *shares]
    return {
        **describe_survey(estimate.survey),
        "n": estimate.n,
        "level": _LEVEL,
        "people": [{"page": list(asks), "n": n} for asks, n in estimate.people.items()],
        "estimates": [row._asdict() for row in rows],
        "row_shares": [row._asdict() for row in shares],
        "p_value": test.p_value,
        "intervals_that_hold_the_truth": sum(row.holds for row in every),
        "intervals": len(every),
    }


def _draw(estimate: QuestionnaireEstimate, crowd: dict[str, list[Any]], path: Path) -> None:
    """Draw a panel for each kind of answer, and the table."""
    figure = canvas.new_figure(12, 8)
    (way, habits), (minutes, table) = figure.subplots(2, 2)
    for ax, name in ((way, "way"), (habits, "habits")):
        target, truth = len(crowd[name]), _truth(estimate, crowd, name)
        plot_estimate(estimate[name], ax, target=target, truth=truth, simultaneous=False)
    plot_scale(estimate["minutes"], minutes)  # type: ignore[arg-type]
    truth = np.bincount(crowd["minutes"], minlength=121) / len(crowd["minutes"])
    minutes.plot(range(121), truth, color=canvas.TRUTH, lw=1, label="truth")
    minutes.legend(frameon=False, fontsize=8)
    plot_table(estimate.table(*TABLE), table)
    canvas.save(figure, path)
