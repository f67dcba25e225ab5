"""privet survey: the contract that clients and servers share, made, shown and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..device.survey import Survey
from ..errors import InvalidFile
from .guards import read_survey
from .handing import hand_over
from .kinds import answers_from, kinds
from .options import (
    COLUMN,
    COUNT,
    FILES,
    INPUT,
    JSON,
    OUTPUT,
    InOrder,
    Reading,
    keep_apart,
    reading,
)
from .output import plural, print_json, print_lines, say
from .show import describe_survey
from .taking import take_categories

_HEADERS = {"answer", "answers", "category", "categories"}


@click.group(cls=InOrder, no_args_is_help=False)
def survey() -> None:
    """Make, show or check a survey.

    A survey is a question, its answers, and a level of privacy.

    privet survey new --help
    """


@survey.command("new")
@click.option("-q", "--question", required=True, help="What people are asked.")
@click.option("-c", "--category", "given", multiple=True, help="A possible answer; repeatable.")
@click.option(
    "--categories", "listed", type=click.Path(exists=True, readable=False, allow_dash=True),
    help="A file with one possible answer per line, to follow those of -c; - for stdin.",
)  # fmt: skip
@click.option(
    "--from", "answers", type=FILES,
    help="Take the categories from the answers in a file, folder or pattern. The survey is public: "
    "anyone can then see which answers occur.",
)  # fmt: skip
@COLUMN
@COUNT
@click.option("--top", type=click.IntRange(1), help="Take only the most frequent of these.")
@reading
@click.option(
    "--other", is_flag=False, flag_value="other", metavar="[NAME]",
    help="Add a last category for all other answers, called 'other' unless it is given a name.",
)  # fmt: skip
@kinds
@click.option("-e", "--epsilon", type=float, required=True, help="The privacy level of one report.")
@click.option("-m", "--mechanism", default="auto", help="How to randomize.")
@click.option("--id", "identifier", show_default="made from the question", help="A short name.")
@click.option("-o", "--out", type=OUTPUT, show_default="stdout", help="The survey file.")
@click.option("--force", is_flag=True, help="Replace another file of that name.")
@JSON
def new(
    question: str,
    given: tuple[str, ...],
    listed: str | None,
    answers: list[Path] | None,
    column: str | None,
    count: str | None,
    top: int | None,
    reading: Reading,
    other: str | None,
    epsilon: float,
    mechanism: str,
    identifier: str | None,
    out: Path | None,
    force: bool,
    json_out: bool,
    **kind: Any,
) -> None:
    """Write a new survey as JSON.

    privet survey new -q "Tea or coffee?" -c tea -c coffee -e 1 -o survey.json
    """
    keep_apart([*(answers or ()), listed], [out])
    categories = [*given, *(_lines(listed) if listed is not None else ())]
    said: list[str] = []
    if answers is not None:
        how = reading.options()
        fold = how["cleaning"].fold
        taken, said = take_categories(answers, column, count, top, categories, **how)
        known = {fold(category) for category in (*categories, other or "")}
        categories += [category for category in taken if fold(category) not in known]
    elif any((column, count, top, *reading)):
        options = "--column, --count, --top, --delimiter, --sheet, --strip, --ignore-case and --na"
        raise click.UsageError(f"{options} are for --from.")
    if other is not None:
        categories.append(other)
    asked = answers_from(categories, kind)
    made = Survey(question, asked, epsilon, mechanism=mechanism, id=identifier)
    hand_over(
        made,
        out,
        summary=repr(made.mechanism),
        described=_described(made),
        force=force,
        json_out=json_out,
        from_answers=answers is not None,
        said=said,
    )


@survey.command("show")
@click.argument("survey_file", metavar="SURVEY", type=INPUT)
@click.option("--top", type=click.IntRange(1), default=20, help="Rows to show.")
@JSON
def show(survey_file: Path, top: int, json_out: bool) -> None:
    """Show what a survey asks, how it randomizes, and what it promises.

    A file that is not a survey, or is less private than it says, is refused. A file of reports
    shows the survey that it carries.

    privet survey show survey.json
    """
    read = read_survey(survey_file)
    if json_out:
        print_json(_described(read) | read.answers.fields())
        return
    drawn = read.mechanism.realized_epsilon
    often = (" in any number of reports", " in one,") if read.mechanism.needs_secret else ("", "")
    lines = {
        "question": read.question,
        "id": read.id,
        "privacy": f"ε = {read.epsilon:g} at most{often[0]}; {drawn!r}{often[1]} as drawn",
        "mechanism": repr(read.mechanism),
        "report": plural(read.mechanism.report_bytes, "byte"),
        "fingerprint": read.fingerprint,
        "answers": read.answers.described(),
    }
    print_lines(lines)
    listed = read.answers.listed
    for category in listed[:top]:
        click.echo(f"  {category}")
    if len(listed) > top:
        click.echo(f"  … and {len(listed) - top:,} more (--top shows them)")


@survey.command("check")
@click.argument("survey_file", metavar="SURVEY", type=INPUT)
@JSON
def check(survey_file: Path, json_out: bool) -> None:
    """Check that a file is a survey that is as private as it says.

    privet survey check survey.json
    """
    read = read_survey(survey_file)
    if json_out:
        print_json(_described(read))
        return
    click.echo(f"{survey_file}: {read.id}, ε = {read.epsilon:g}, {read.fingerprint[:12]}…")


def _described(survey: Survey) -> dict[str, Any]:
    return {
        **describe_survey(survey),
        "realized_epsilon": survey.mechanism.realized_epsilon,
        "report_bytes": survey.mechanism.report_bytes,
        "answers": survey.answers.kind,
        "categories": len(survey.categories),
    }


def _lines(name: str) -> list[str]:
    """Return the lines of a file, refusing a blank one by its number."""
    try:
        with click.open_file(name, encoding="utf-8-sig", errors="strict") as file:
            lines = [line.strip() for line in file]
    except UnicodeDecodeError:
        raise InvalidFile(f"{name}: not UTF-8 text.") from None
    if "" in lines:
        raise InvalidFile(f"{name}, line {lines.index('') + 1}: the category is empty.")
    if lines and lines[0].casefold() in _HEADERS:
        say(f"Note: the first category of {name} is {lines[0]!r}; is it a header?")
    return lines
