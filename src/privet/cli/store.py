"""privet store: look after the store of a service."""

from __future__ import annotations

import click

from .options import JSON, InOrder
from .output import plural, print_json


@click.group(cls=InOrder, no_args_is_help=False)
def store() -> None:
    """Look after the store of a service.

    privet store check --help
    """


@store.command("check")
@click.argument("place", metavar="PATH|URL")
@JSON
def check(place: str, json_out: bool) -> None:
    """Count all reports of a store again, and compare them with its tallies.

    PATH is SQLite's file, URL the postgresql:// address of a database. The store may be in use.
    Where only the counts of a survey are kept, their number is compared.

    privet store check surveys.db
    """
    from ..errors import InvalidTally
    from ..store import open_store

    with open_store(place, create=False) as opened:
        problems = {id: opened.check(id) for id in opened.entries()}
        right = {id: opened.tally(id).n for id in problems if problems[id] is None}
    wrong = {id: problem for id, problem in problems.items() if problem is not None}
    if json_out:
        surveys = [{"id": id, "n": n} for id, n in right.items()]
        print_json({"surveys": [*surveys, *({"id": id, "problem": wrong[id]} for id in wrong)]})
    else:
        for id, n in right.items():
            click.echo(f"{id}: {plural(n, 'report')}, as counted again")
    if wrong:
        raise InvalidTally("; ".join(f"{id}: {problem}" for id, problem in wrong.items()) + ".")
