"""privet questionnaire: several questions at the privacy of one, made and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..device.questionnaire import Questionnaire
from ..errors import InvalidFile
from ..plan.drafts import read_draft
from .columns import questionnaire_from
from .guards import read_contract
from .handing import hand_over
from .options import FILES, INPUT, JSON, OUTPUT, InOrder, keep_apart, reading, typed_options
from .output import plural, print_json, print_lines
from .show import describe_survey
from .terminal import console, new_table

# What is said of the file that is written, whatever the questions come from.
_OF_THE_FILE = {"draft", "--out", "--force", "--json"}


@click.group(cls=InOrder, no_args_is_help=False)
def questionnaire() -> None:
    """Make or show a questionnaire of several questions.

    Each person answers one page of it.

    privet questionnaire new --help
    """


@questionnaire.command("new")
@click.argument("draft", required=False, type=INPUT)
@click.option("--from", "answers", type=FILES, help="Take the questions from columns of a table.")
@click.option("--column", "columns", multiple=True, help="A column to ask for; repeatable.")
@click.option(
    "--several", multiple=True, metavar="COLUMN[=MOST]",
    help="A column whose cells hold several options, with ; between them; repeatable.",
)  # fmt: skip
@click.option(
    "--scale", "scales", multiple=True, metavar="COLUMN=LOW:HIGH[:CELLS]",
    help="A column of numbers, and from where to where they may be; repeatable.",
)  # fmt: skip
@click.option("--table", "tables", multiple=True, metavar="A,B", help="Ask these jointly.")
@click.option("--title", help="What the questions are about.")
@click.option("-e", "--epsilon", type=float, help="The privacy level of a whole person.")
@reading
@click.option("-o", "--out", type=OUTPUT, show_default="stdout", help="The questionnaire's file.")
@click.option("--force", is_flag=True, help="Replace another file of that name.")
@JSON
def new(
    draft: Path | None,
    answers: list[Path] | None,
    out: Path | None,
    force: bool,
    json_out: bool,
    **options: Any,
) -> None:
    """Write a questionnaire's contract, from a draft in TOML or JSON, or from a table's columns.

    privet questionnaire new draft.toml -o questionnaire.json
    """
    if (draft is None) == (answers is None):
        raise click.UsageError("Give a draft, or --from with a table.")
    keep_apart([draft, *(answers or ())], [out])
    if draft is not None:
        if others := [name for name in typed_options() if name not in _OF_THE_FILE]:
            raise click.UsageError(f"{others[0]} is for --from; the draft says the rest.")
        made = read_draft(draft)
    else:
        made = questionnaire_from(answers or [], **options)
    hand_over(
        made,
        out,
        summary=plural(len(made.pages), "page"),
        described=_described(made),
        force=force,
        json_out=json_out,
        from_answers=answers is not None,
    )


@questionnaire.command("show")
@click.argument("file", metavar="QUESTIONNAIRE", type=INPUT)
@JSON
def show(file: Path, json_out: bool) -> None:
    """Show what a questionnaire asks, who answers what, and what it promises.

    privet questionnaire show questionnaire.json
    """
    read = read_contract(file)
    if not isinstance(read, Questionnaire):
        raise InvalidFile(f"{file}: this is a survey of one question; see privet survey show.")
    if json_out:
        print_json(_described(read))
        return
    lines = {
        "title": read.title,
        "id": read.id,
        "privacy": f"ε = {read.epsilon:g} at most, for all of a person's answers together",
        "report": plural(read.mechanism.report_bytes, "byte"),
        "fingerprint": read.fingerprint,
    }
    print_lines(lines)
    screen, table = console(), new_table()
    table.add_column("page", overflow="fold")
    table.add_column("drawn by", justify="right")
    table.add_column("question", overflow="fold")
    table.add_column("answers", overflow="fold")
    for page in read.pages:
        asked = " × ".join(one.question for one in page.questions)
        share = f"{100 * page.share:.1f} %"
        table.add_row(" × ".join(page.asks), share, asked, page.answers.described())
    screen.print(table)


def _described(made: Questionnaire) -> dict[str, Any]:
    pages = [
        {
            "asks": list(page.asks),
            "share": page.share,
            "mechanism": repr(page.mechanism),
            "realized_epsilon": page.mechanism.realized_epsilon,
        }
        for page in made.pages
    ]
    return {
        **describe_survey(made),
        "report_bytes": made.mechanism.report_bytes,
        "questions": [
            {"id": one.id, "question": one.question, **one.answers.fields()} for one in made.surveys
        ],
        "pages": pages,
    }
