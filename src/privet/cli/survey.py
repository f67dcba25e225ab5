"""privet survey: the contract that clients and servers share, made, shown and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import DELIMITER, FILES, INPUT, OUTPUT, keep_apart

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
@click.option("-c", "--category", "given", multiple=True, help="A possible answer; repeat.")
@click.option(
    "--categories", "listed", type=click.Path(exists=True, readable=False, allow_dash=True),
    help="A file with one possible answer a line, after those of -c; - for stdin.",
)  # fmt: skip
@click.option(
    "--from", "answers", type=FILES,
    help="Take the categories from the answers in a file, folder or pattern. The survey is public: "
    "it then tells which answers occur.",
)  # fmt: skip
@click.option("--column", help="Of the answers in --from; by default the only one, or 'answer'.")
@click.option("--top", type=click.IntRange(1), help="Of --from, only the most frequent answers.")
@DELIMITER
@click.option(
    "--other", is_flag=False, flag_value="other", metavar="[NAME]",
    help="A last category, for all other answers; 'other' if it is given no name.",
)  # fmt: skip
@click.option("-e", "--epsilon", type=float, required=True, help="The privacy level of one report.")
@click.option("-m", "--mechanism", default="auto", show_default=True, help="How to randomize.")
@click.option("--id", "identifier", help="A short name; by default made from the question.")
@click.option("-o", "--out", type=OUTPUT, help="Default: stdout.")
@click.option("--json", "json_out", is_flag=True, help="Print what was made as JSON.")
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
    from ..files import replacing
    from ..survey import Survey
    from .show import plural, print_json

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
        with replacing(out) as temporary:
            temporary.write_text(made.to_json() + "\n", encoding="utf-8")
    if json_out:
        print_json({"file": out and str(out), **_described(made)})
    elif out is None:
        click.echo(made.to_json())
    else:
        line = f"{out}: {made.id}, {made.mechanism!r}, fingerprint {made.fingerprint[:12]}…"
        click.echo(line, err=True)
    if missing:
        click.echo(f"{plural(missing, 'row')} without an answer.", err=True)
    if answers is not None:
        click.echo(
            "Note: the categories come from answers. Whoever sees the survey learns that each of "
            "them was given by someone; leave out what would give a person away.",
            err=True,
        )


@survey.command("show")
@click.argument("survey_file", metavar="SURVEY", type=INPUT)
@click.option("--top", type=click.IntRange(1), default=20, show_default=True, help="Rows shown.")
@click.option("--json", "json_out", is_flag=True, help="Print JSON, every category.")
def show(survey_file: Path, top: int, json_out: bool) -> None:
    """Show what a survey asks, how it randomizes, and what it promises.

    A file that is no survey, or less private than it says, is refused.

    privet survey show survey.json
    """
    from ..files import read_survey
    from .show import plural, print_json

    read = read_survey(survey_file)
    if json_out:
        print_json(_described(read) | {"categories": list(read.categories)})
        return
    mechanism = read.mechanism
    size = mechanism.report_bytes
    lines = {
        "question": read.question,
        "id": read.id,
        "privacy": f"ε = {read.epsilon:g} at most; {mechanism.realized_epsilon!r} as drawn",
        "mechanism": repr(mechanism),
        "report": plural(size, "byte"),
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
@click.option("--json", "json_out", is_flag=True, help="Print JSON.")
def check(survey_file: Path, json_out: bool) -> None:
    """Check that a file is a survey which is as private as it says.

    privet survey check survey.json
    """
    from ..files import read_survey
    from .show import print_json

    read = read_survey(survey_file)
    if json_out:
        print_json(_described(read))
        return
    click.echo(f"{survey_file}: {read.id}, ε = {read.epsilon:g}, {read.fingerprint[:12]}…")


def _described(survey: Survey) -> dict[str, Any]:
    from .show import describe_survey

    mechanism = survey.mechanism
    return {
        **describe_survey(survey),
        "realized_epsilon": mechanism.realized_epsilon,
        "report_bytes": mechanism.report_bytes,
        "categories": len(survey.categories),
    }


def _taken_from(
    paths: list[Path], column: str | None, top: int | None, delimiter: str | None
) -> tuple[list[str], int]:
    """Return the different answers in files, in an order that says nothing of their number.

    And how many rows have none. Letters that are written in two ways are one answer, as they are
    one category.
    """
    from collections import Counter
    from unicodedata import normalize

    from ..bulk import count_answers
    from .show import progress

    found, missing = count_answers(paths, column, delimiter=delimiter, progress=progress)
    counts: Counter[str] = Counter()
    for answer, count in found.items():
        counts[normalize("NFC", answer)] += count
    frequent = sorted(counts, key=lambda answer: (-counts[answer], answer))
    return sorted(frequent[:top]), missing


def _lines(name: str) -> list[str]:
    """Return the lines of a file; a blank one is told by its number."""
    from ..errors import InvalidFile

    try:
        with click.open_file(name, encoding="utf-8-sig", errors="strict") as file:
            lines = [line.strip() for line in file]
    except UnicodeDecodeError:
        raise InvalidFile(f"{name}: not text in UTF-8.") from None
    if "" in lines:
        raise InvalidFile(f"{name}, line {lines.index('') + 1}: there is no category.")
    return lines
