"""privet survey: the contract that clients and servers share, made, shown and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import click

from .options import INPUT, OUTPUT

if TYPE_CHECKING:
    from pathlib import Path


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
    "--categories", "listed", type=click.File(encoding="utf-8-sig", errors="strict"),
    help="A file with one possible answer a line, after those of -c; - for stdin.",
)  # fmt: skip
@click.option("-e", "--epsilon", type=float, required=True, help="The privacy level of one report.")
@click.option("-m", "--mechanism", default="auto", show_default=True, help="How to randomize.")
@click.option("--id", "identifier", help="A short name; by default made from the question.")
@click.option("-o", "--out", type=OUTPUT, help="Default: stdout.")
def new(
    question: str,
    given: tuple[str, ...],
    listed: TextIO | None,
    epsilon: float,
    mechanism: str,
    identifier: str | None,
    out: Path | None,
) -> None:
    """Write a new survey as JSON.

    privet survey new -q "Tea or coffee?" -c tea -c coffee -e 1 -o survey.json
    """
    from ..files import replacing
    from ..survey import Survey

    categories = [*given, *(_lines(listed) if listed is not None else ())]
    made = Survey(question, categories, epsilon, mechanism=mechanism, id=identifier)
    if out is None:
        click.echo(made.to_json())
        return
    with replacing(out) as temporary:
        temporary.write_text(made.to_json() + "\n", encoding="utf-8")
    click.echo(
        f"{out}: {made.id}, {made.mechanism!r}, fingerprint {made.fingerprint[:12]}…", err=True
    )


@survey.command("show")
@click.argument("survey_file", metavar="SURVEY", type=INPUT)
@click.option("--top", type=click.IntRange(1), default=20, show_default=True, help="Rows shown.")
def show(survey_file: Path, top: int) -> None:
    """Show what a survey asks, how it randomizes, and what it promises.

    A file that is no survey, or less private than it says, is refused.

    privet survey show survey.json
    """
    from ..files import read_survey

    read = read_survey(survey_file)
    mechanism = read.mechanism
    size = mechanism.report_bytes
    lines = {
        "question": read.question,
        "id": read.id,
        "privacy": f"ε = {read.epsilon:g} at most; {mechanism.realized_epsilon!r} as drawn",
        "mechanism": repr(mechanism),
        "report": f"{size} byte{'s' if size > 1 else ''}",
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
def check(survey_file: Path) -> None:
    """Check that a file is a survey which is as private as it says.

    privet survey check survey.json
    """
    from ..files import read_survey

    read = read_survey(survey_file)
    click.echo(f"{survey_file}: {read.id}, ε = {read.epsilon:g}, {read.fingerprint[:12]}…")


def _lines(file: TextIO) -> list[str]:
    """Return the lines of a file; a blank one is told by its number."""
    from ..errors import InvalidFile

    try:
        lines = file.read().splitlines()
    except UnicodeDecodeError:
        raise InvalidFile(f"{file.name}: not text in UTF-8.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            raise InvalidFile(f"{file.name}, line {number}: there is no category.")
    return [line.strip() for line in lines]
