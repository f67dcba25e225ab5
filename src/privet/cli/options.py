"""The kinds of argument that several commands take."""

from __future__ import annotations

from glob import glob, has_magic
from pathlib import Path
from typing import Any

import click

__all__ = ["DELIMITER", "FIGURE", "FILES", "INPUT", "LEVEL", "OUTPUT", "TABLE", "TARGET"]


class _Ending(click.Path):
    """A path whose ending names a format, checked before any work is done."""

    def __init__(self, *endings: str) -> None:
        super().__init__(readable=False, path_type=Path)
        self._endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if path.suffix.lower() not in self._endings:
            self.fail(f"{path.name!r} must end in one of {', '.join(self._endings)}.", param, ctx)
        return super().convert(value, param, ctx)


class _Files(click.ParamType):  # type: ignore[type-arg]
    """A file, all files of a folder, all that match a pattern, or - for standard input."""

    name = "files"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if value == "-" or path.is_file() or path.is_fifo():  # of a shell's <(command)
            return [path]
        if path.is_dir():
            # Engines write a folder of parts, with notes whose names begin like this.
            found = sorted(p for p in path.iterdir() if p.is_file() and p.name[0] not in "._")
            if not found:
                self.fail(f"There are no files in the folder {value!r}.", param, ctx)
            return found
        matches = sorted(Path(match) for match in glob(value, recursive=True))  # noqa: PTH207
        found = [match for match in matches if match.is_file()]
        if not found:
            what = "No file matches" if has_magic(value) else "There is no file"
            self.fail(f"{what} {value!r}.", param, ctx)
        return found


INPUT = click.Path(exists=True, dir_okay=False, path_type=Path)
FILES = _Files()
# Whether the system lets us write there is its own to say, with an exit code of its own.
OUTPUT = click.Path(readable=False, path_type=Path)
FIGURE = _Ending(".png", ".svg", ".pdf")
TABLE = _Ending(".csv", ".json", ".parquet")

LEVEL = click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
    show_default=True, help="Of the intervals.",
)  # fmt: skip
TARGET = click.option(
    "--target", type=click.Choice(["population", "sample"]), default="population",
    show_default=True, help="Whose shares: the crowd these people come from, or just these people.",
)  # fmt: skip


def _one_character(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value in ("\\t", "tab"):
        return "\t"
    if value is not None and len(value) != 1:
        raise click.BadParameter(f"must be one character, or tab. Got {value!r}.", ctx, param)
    return value


DELIMITER = click.option(
    "--delimiter", callback=_one_character,
    help="Between the fields of a CSV file.  [default: a comma; in .tsv files a tab]",
)  # fmt: skip
