"""The kinds of argument that several commands take."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import wraps
from glob import glob, has_magic
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from ..analysis.cleaning import Cleaning


class Once(click.Command):
    """Refuses an option that is given twice, of which click would take the last."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, after a look at which options they are."""
        _, _, order = self.make_parser(ctx).parse_args(args=[*args])
        single = [one for one in order if isinstance(one, click.Option) and not one.multiple]
        for one in single:
            if not one.is_flag and single.count(one) > 1:
                raise click.UsageError(f"Option '{one.opts[-1]}' is given twice.", ctx)
        return super().parse_args(ctx, args)


class InOrder(click.Group):
    """Lists its commands in the order in which they are used."""

    command_class = Once

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


def typed_options() -> list[str]:
    """Return the options and arguments of the command that were typed."""
    context = click.get_current_context()
    return [
        one.opts[-1]
        for one in context.command.params
        if context.get_parameter_source(one.name or "") is ParameterSource.COMMANDLINE
    ]


class _Output(click.Path):
    """A path to be written. Where its ending names a format, that is checked before any work."""

    def __init__(self, *endings: str) -> None:
        # Whether the system lets us write there is its own to say, with an exit code of its own.
        super().__init__(readable=False, path_type=Path)
        self._endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if self._endings and path.suffix.lower() not in self._endings:
            self.fail(f"{path.name!r} must end in one of {', '.join(self._endings)}.", param, ctx)
        if os.fspath(value) in ("", "-"):
            self.fail(f"must be the name of a file. Got {value!r}.", param, ctx)
        return super().convert(value, param, ctx)


class _Files(click.ParamType):  # type: ignore[type-arg]
    """A file, all files of a folder, all that match a pattern; or a pipe, - for standard input."""

    name = "files"

    def __init__(self, *, piped: bool) -> None:
        self._piped = piped

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        is_pipe = value == "-" or (path.exists() and not path.is_file() and not path.is_dir())
        if is_pipe and not self._piped:
            self.fail(f"{value!r} is a pipe; reports are read from files.", param, ctx)
        if is_pipe or path.is_file():
            return [path]
        if path.is_dir() and value:
            # Engines write a folder of parts, with notes whose names begin like this.
            found = [inside for inside in path.iterdir() if inside.name[0] not in "._"]
            none = "There are no files in the folder"
        else:
            found = [Path(match) for match in glob(value, recursive=True)]  # noqa: PTH207
            none = "No file matches" if has_magic(value) else "There is no file"
        files = sorted(filter(Path.is_file, found))
        if not files:
            self.fail(f"{none} {value!r}.", param, ctx)
        return files


def flat(ctx: click.Context, param: click.Parameter, value: Iterable[list[Path]]) -> list[Path]:
    """Return all files of several arguments."""
    return [path for some in value for path in some]


def keep_apart(
    read: Iterable[str | os.PathLike[str] | None], written: Iterable[Path | None]
) -> None:
    """Refuse a file that would be read twice, or overwritten by another output of the command."""
    rules = "it would count twice", "the output must be a file of its own"
    given: set[str] = set()
    for paths, rule in zip((read, written), rules, strict=True):
        for path in paths:
            if path is None:
                continue
            if (real := os.path.realpath(path)) in given:
                raise click.UsageError(f"{path}: given twice; {rule}.")
            given.add(real)


# Whether the system lets us read or write is its own to say, with an exit code of its own.
INPUT = click.Path(exists=True, dir_okay=False, readable=False, path_type=Path)
FILES, REPORTS = _Files(piped=True), _Files(piped=False)
OUTPUT = _Output()
PICTURE = _Output(".png", ".svg", ".pdf")
TABLE = _Output(".csv", ".json", ".parquet")


def files_of(reports: Iterable[str]) -> list[list[Path]]:
    """Return the files that each of a command's REPORTS stands for."""
    context = click.get_current_context()
    argument = next(param for param in context.command.params if param.name == "reports")
    return [REPORTS.convert(one, argument, context) for one in reports]


JSON = click.option("--json", "json_out", is_flag=True, help="Print the result as JSON, in full.")
FIGURE = click.option("--figure", type=PICTURE, help="Draw a PNG, SVG or PDF.")
LEVEL = click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
    help="The confidence level of the intervals.",
)  # fmt: skip
TARGET = click.option(
    "--target", type=click.Choice(["population", "sample"]), default="population",
    help="Whose shares: those of the crowd that these people come from, or of these people alone.",
)  # fmt: skip
SEED = click.option("--seed", type=click.IntRange(0), help="Makes the numbers repeatable.")
WORKERS = click.option(
    "--workers", type=click.IntRange(1), show_default="one per core", help="How many threads."
)
COLUMN = click.option(
    "--column", show_default="the only one, or 'answer'", help="The column of answers."
)
COUNT = click.option(
    "--count",
    metavar="COLUMN",
    help="The column that says how many people gave a row's answer; by default each row is one.",
)
_READING = (
    click.option("--strip", is_flag=True, help="Leave out the space around answers."),
    click.option("--ignore-case", is_flag=True, help="Take 'Tea' for 'tea'."),
    click.option(
        "--na", multiple=True, metavar="TEXT",
        help="Text that means that there is no answer, such as NA; repeatable.",
    ),
    click.option(
        "--delimiter",
        callback=lambda ctx, param, typed: {"\\t": "\t", "tab": "\t"}.get(typed, typed),
        show_default="a comma; in .tsv files a tab",
        help="What separates the fields of a CSV file.",
    ),
    click.option(
        "--sheet", metavar="NAME", show_default="the first", help="The sheet of a spreadsheet."
    ),
)  # fmt: skip


class Reading(NamedTuple):
    """How answers are read from files."""

    strip: bool
    ignore_case: bool
    na: tuple[str, ...]
    delimiter: str | None
    sheet: str | None

    def options(self, *fates: str) -> dict[str, Any]:
        """Return it for `privet.bulk`, with what is done to missing and to unknown answers."""
        cleaning = Cleaning(self.strip, self.ignore_case, self.na, *fates)
        return {"cleaning": cleaning, "delimiter": self.delimiter, "sheet": self.sheet}


def reading(command: Any) -> Any:
    """Give a command the options of a `Reading`, which it takes as one argument."""

    @wraps(command)
    def read(**given: Any) -> Any:
        how = Reading(*(given.pop(name) for name in Reading._fields))
        return command(reading=how, **given)

    for option in reversed(_READING):
        read = option(read)
    return read
