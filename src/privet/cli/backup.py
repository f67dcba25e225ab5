"""privet backup: a copy of a store, as of one moment."""

from __future__ import annotations

from pathlib import Path

import click

from ..store import open_store
from .options import INPUT, JSON, OUTPUT, Once, keep_apart
from .output import plural, print_json, say


@click.command(cls=Once)
@click.argument("path", type=INPUT)
@click.argument("out", type=OUTPUT)
@JSON
def backup(path: Path, out: Path, json_out: bool) -> None:
    """Copy a store in SQLite to a file, which is a store too. The store may be in use meanwhile.

    A store in PostgreSQL is backed up by its own tools, such as pg_dump.

    privet backup surveys.db backup.db
    """
    keep_apart([path], [out])
    with open_store(path, create=False) as opened:
        opened.backup(out)
        surveys = len(opened.entries())
    say(f"{out}: {plural(surveys, 'survey')}")
    if json_out:
        print_json({"file": str(out), "surveys": surveys, "bytes": out.stat().st_size})
