"""privet survey: the contract that clients and servers share, made, shown and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import COLUMN, DELIMITER, FILES, INPUT, JSON, OUTPUT, keep_apart
from .output import plural, print_json, say
from .show import describe_survey
from .terminal import progress

if TYPE_CHECKING:
    from ..survey import Survey


class _InOrder(click.Group):
    """Lists its commands in the order in which they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder, no_args_is_help=False)
def survey() -> None:
    """Make, show or check a survey: the question, its categories, the privacy level.

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
@click.option("--top", type=click.IntRange(1), help="Take only the most frequent of these.")
@DELIMITER
@click.option(
    "--other", is_flag=False, flag_value="other", metavar="[NAME]",
    help="Add a last category for all other answers, called 'other' unless it is given a name.",
)  # fmt: skip
@click.option("-e", "--epsilon", type=float, required=True, help="The privacy level of one report.")
@click.option("-m", "--mechanism", default="auto", help="How to randomize.")
@click.option("--id", "identifier", show_default="made from the question", help="A short name.")
@click.option("-o", "--out", type=OUTPUT, show_default="stdout", help="The survey file.")
@JSON
def new(
    question: str,
    given: tuple[str, ...],
    listed: str | None,
    answers: list[Path] | None,
    column: str | None,
    top: int | None,
    delimiter: str | None,
    other: str | None,
    epsilon: float,
    mechanism: str,
    identifier: str | None,
    out: Path | None,
    json_out: bool,
) -> None:
    """Write a new survey as JSON.

    privet survey new -q "Tea or coffee?" -c tea -c coffee -e 1 -o survey.json
    """
    from ..survey import Survey

    keep_apart([*(answers or ()), *([Path(listed)] if listed is not None else ())], [out])
    categories = [*given, *(_lines(listed) if listed is not None else ())]
    missing = 0
    if answers is not None:
        taken, missing = _taken_from(answers, column, top, delimiter)
        categories += [category for category in taken if category not in {*categories, other}]
    elif column is not None or top is not None or delimiter is not None:
        raise click.UsageError("--column, --top and --delimiter are for --from.")
    if other is not None:
        categories.append(other)
    made = Survey(question, categories, epsilon, mechanism=mechanism, id=identifier)
    if out is not None:
        made.write(out)
    if json_out:
        print_json({"file": out and str(out), **_described(made)})
    elif out is None:
        click.echo(made.to_json())
    else:
        say(f"{out}: {made.id}, {made.mechanism!r}, fingerprint {made.fingerprint[:12]}…")
    if missing:
        say(f"{plural(missing, 'row')} without an answer.")
    if answers is not None:
        say(
            "Note: the categories come from people's answers. Anyone who sees the survey learns "
            "that someone gave each of them; leave out what would identify a person."
        )


@survey.command("show")
@click.argument("survey_file", metavar="SURVEY", type=INPUT)
@click.option("--top", type=click.IntRange(1), default=20, help="Rows to show.")
@JSON
def show(survey_file: Path, top: int, json_out: bool) -> None:
    """Show what a survey asks, how it randomizes, and what it promises.

    A file that is not a survey, or is less private than it says, is refused.

    privet survey show survey.json
    """
    from ..survey import Survey

    read = Survey.read(survey_file)
    if json_out:
        print_json(_described(read) | {"categories": list(read.categories)})
        return
    drawn = read.mechanism.realized_epsilon
    lines = {
        "question": read.question,
        "id": read.id,
        "privacy": f"ε = {read.epsilon:g} at most; {drawn!r} as drawn",
        "mechanism": repr(read.mechanism),
        "report": plural(read.mechanism.report_bytes, "byte"),
        "fingerprint": read.fingerprint,
        "categories": f"{len(read.categories):,}",
    }
    for name, value in lines.items():
        click.echo(f"{name:<12} {value}")
    for category in read.categories[:top]:
        click.echo(f"  {category}")
    if len(read.categories) > top:
        click.echo(f"  … and {len(read.categories) - top:,} more (--top shows them)")


@survey.command("check")
@click.argument("survey_file", metavar="SURVEY", type=INPUT)
@JSON
def check(survey_file: Path, json_out: bool) -> None:
    """Check that a file is a survey that is as private as it says.

    privet survey check survey.json
    """
    from ..survey import Survey

    read = Survey.read(survey_file)
    if json_out:
        print_json(_described(read))
        return
    click.echo(f"{survey_file}: {read.id}, ε = {read.epsilon:g}, {read.fingerprint[:12]}…")


def _described(survey: Survey) -> dict[str, Any]:
    return {
        **describe_survey(survey),
        "realized_epsilon": survey.mechanism.realized_epsilon,
        "report_bytes": survey.mechanism.report_bytes,
        "categories": len(survey.categories),
    }


def _taken_from(
    paths: list[Path], column: str | None, top: int | None, delimiter: str | None
) -> tuple[list[str], int]:
    """Return the different answers in files, sorted, and how many rows have none.

    Their order must not say how frequent they are. Letters that are written in two ways are one
    answer, as they are one category.
    """
    from collections import Counter
    from unicodedata import normalize

    from ..bulk import count_answers

    found, missing = count_answers(paths, column, delimiter=delimiter, progress=progress)
    counts: Counter[str] = Counter()
    for answer, count in found.items():
        counts[normalize("NFC", answer)] += count
    frequent = sorted(counts, key=lambda answer: (-counts[answer], answer))
    return sorted(frequent[:top]), missing


def _lines(name: str) -> list[str]:
    """Return the lines of a file, refusing a blank one by its number."""
    from ..errors import InvalidFile

    try:
        with click.open_file(name, encoding="utf-8-sig", errors="strict") as file:
            lines = [line.strip() for line in file]
    except UnicodeDecodeError:
        raise InvalidFile(f"{name}: not UTF-8 text.") from None
    if "" in lines:
        raise InvalidFile(f"{name}, line {lines.index('') + 1}: the category is empty.")
    return lines
