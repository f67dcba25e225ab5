"""privet audit: what privacy a client really gives, measured from its reports."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..audit import Audit, Command, Page
from ..audit import audit as measure
from ..audit.peers import Audited, audit_peers, markdown, named
from .failures import FAILED
from .guards import read_contract
from .options import INPUT, JSON, Once
from .output import print_json
from .terminal import print_table, progress


class _Usual(NamedTuple):
    """How much is asked of a client, unless something else is said."""

    trials: int
    answers: int
    repeats: int


_HERE, _COMMAND, _PAGE = _Usual(1_000_000, 8, 200), _Usual(100_000, 8, 200), _Usual(200, 3, 10)


@click.command(cls=Once)
@click.argument("survey", type=INPUT, required=False)
@click.option(
    "--command", metavar="COMMAND",
    help="A client that is a program: it reads an answer a line, as JSON, and writes a report a "
    "line, as hexadecimal.",
)  # fmt: skip
@click.option("--page", metavar="URL", help="A client that is a page, answered in Chromium.")
@click.option(
    "--peers", metavar="MODULE:NAME",
    help="Audit clients of other packages, as far as they are installed, in a list such as "
    "benchmarks.audited_peers:PEERS.",
)  # fmt: skip
@click.option(
    "--trials", type=click.IntRange(100),
    show_default=f"{_HERE.trials}; of a command {_COMMAND.trials}, of a page {_PAGE.trials}",
    help="Reports of each answer.",
)  # fmt: skip
@click.option(
    "--answers", type=click.IntRange(2, 64),
    show_default=f"{_HERE.answers}; of a page {_PAGE.answers}",
    help="How many different answers are tried, all pairs of them.",
)  # fmt: skip
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.99,
    help="How likely a correct client passes, at least.",
)  # fmt: skip
@click.option(
    "--timing", multiple=True, type=click.Choice(["python", "node", "browser"]),
    help="Time hits and misses of this package in Python, or of privet.js in node or Chromium; "
    "repeatable.",
)  # fmt: skip
@JSON
@click.pass_context
def audit(
    ctx: click.Context,
    survey: Path | None,
    command: str | None,
    page: str | None,
    peers: str | None,
    trials: int | None,
    answers: int | None,
    confidence: float,
    timing: tuple[str, ...],
    json_out: bool,
) -> None:
    """Audit a client of a survey: see what its reports reveal.

    It makes many reports of known answers. By default the client is this package. The exit code is
    5 if anything is wrong: ε is exceeded, the law of reports is not the contract's, the same answer
    is randomized again, something leaks besides the report, a page gives the answer away, or time
    tells hits from misses.

    privet audit survey.json --trials 100000 --confidence 0.9999
    """
    others = peers is not None
    if (survey is None) != others or (command is not None) + (page is not None) + others > 1:
        raise click.UsageError("Audit a SURVEY, with --command or --page or neither, or --peers.")
    if peers is not None:
        _of_peers(ctx, peers, trials, confidence, json_out)
        return

    contract = read_contract(survey)  # type: ignore[arg-type]
    client: Any = None
    usual = _HERE
    if command is not None:
        client, usual = Command(_words(command), contract), _COMMAND
    elif page is not None:
        client, usual = Page(page, contract), _PAGE
    if timing and client is not None:
        raise click.UsageError("--timing is of this package: not with --command or --page.")
    found = measure(
        contract, trials or usual.trials, confidence, client=client, timing=timing,
        answers=answers or usual.answers, repeats=usual.repeats, progress=progress,
    )  # fmt: skip
    if json_out:
        print_json(found.to_dict())
    else:
        _print(found)
    if not found.passed:
        ctx.exit(FAILED)


def _words(command: str) -> list[str]:
    """Return the words of a command, as a shell splits them."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.UsageError(f"--command {command!r}: {error}.") from None
    if not words:
        raise click.UsageError("--command must be the name of a program, with its arguments.")
    return words


def _print(found: Audit) -> None:
    marks = {True: "passed", False: "FAILED", None: "–"}
    rows = [(marks[one.passed], one.title, one.found) for one in found.verdicts]
    print_table(["", "verdict", "found"], [], rows, width=140)
    click.echo(
        f"ε = {found.epsilon:g} claimed, at least {found.lower_bound:.4f} measured. "
        f"{found.answers} answers, {found.trials:,} reports of each; a correct client passes in "
        f"{100 * found.confidence:.6g} % of audits."
    )


def _of_peers(
    ctx: click.Context, peers: str, trials: int | None, confidence: float, json_out: bool
) -> None:
    rows = audit_peers(
        named(peers), **({"trials": trials} if trials else {}), confidence=confidence
    )
    if json_out:
        print_json({"peers": [_as_document(row) for row in rows]})
    else:
        click.echo(markdown(rows), nl=False)
    if not all(row.passed for row in rows):
        ctx.exit(FAILED)


def _as_document(row: Audited) -> dict[str, Any]:
    from math import isfinite

    bound = row.lower_bound if isfinite(row.lower_bound) else None
    return {**vars(row), "lower_bound": bound, "passed": row.passed}
