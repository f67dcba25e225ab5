"""privet survey: make the contract that clients and servers share."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import click

from .options import OUTPUT

if TYPE_CHECKING:
    from pathlib import Path


@click.group(no_args_is_help=False)
def survey() -> None:
    """Make a survey: the question, its categories, the privacy level.

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
