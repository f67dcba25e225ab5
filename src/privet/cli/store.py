"""privet store: look after the store of a service."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import InvalidTally
from ..service.access import replace_token
from ..store import open_store
from .options import JSON, InOrder
from .output import plural, print_json, say


@click.group(cls=InOrder, no_args_is_help=False)
def store() -> None:
    """Look after the store of a service.

    privet store check --help
    """


@store.command("check")
@click.argument("place", metavar="PATH|URL")
@JSON
def check(place: str, json_out: bool) -> None:
    """Count all reports of a store again, and look for what does not belong there.

    PATH is SQLite's file, URL the postgresql:// address of a database. The store may be in use.
    Where only the counts of a survey are kept, their number is compared. Contracts, settings and
    keys must be as the service writes them, each row must be of a survey, and there must be no
    trigger or view.

    privet store check surveys.db
    """
    with open_store(place, create=False) as opened:
        problems, strange = opened.check_all()
        right = {id: opened.tally(id).n for id in problems if problems[id] is None}
    wrong = {id: problem for id, problem in problems.items() if problem is not None}
    if json_out:
        surveys = [{"id": id, "n": n} for id, n in right.items()]
        listed = [*surveys, *({"id": id, "problem": wrong[id]} for id in wrong)]
        print_json({"surveys": listed} | ({"problems": strange} if strange else {}))
    else:
        for id, n in right.items():
            click.echo(f"{id}: {plural(n, 'report')}, as counted again")
    found = [*(f"{id}: {problem}" for id, problem in wrong.items()), *strange]
    if found:
        raise InvalidTally("; ".join(found) + ".")


@store.command("token")
@click.argument("place", metavar="PATH|URL")
@click.option(
    "--token-file", type=click.Path(dir_okay=False, path_type=Path),
    help="Write the token to this file, for its owner alone, instead of showing it.",
)  # fmt: skip
@JSON
def token(place: str, token_file: Path | None, json_out: bool) -> None:
    """Replace the administrator's token by a new one, which is shown once.

    From that moment, servers that are running refuse the one before. It stays refused: a server
    that is started with it in its --token-file says so, and goes on with the new one.

    privet store token surveys.db --token-file token.txt
    """
    with open_store(place, create=False) as opened:
        made = replace_token(opened, token_file)
    if token_file is not None:
        say(f"The new token is in {token_file}.")
    elif not json_out:
        click.echo(made)
    if json_out:
        print_json({"token": made} if token_file is None else {"file": str(token_file)})
