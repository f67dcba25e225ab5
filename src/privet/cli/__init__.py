"""The `privet` command: one subcommand per file, each imported when it is called.

`commands` is the table of them. What they share: `options` (arguments), `guards` (what is refused
or noted for people's sake), `taking` (categories out of answers), `output` (JSON, and lines on
stderr), `writing` (files and pictures), `terminal` (tables and progress), `show` (surveys and
estimates), `differences` (comparisons), `failures` (one line and an exit code).
"""

from __future__ import annotations

import logging
import os
import sys
from io import TextIOWrapper
from typing import Any

import click

from .. import __version__
from .commands import COMMANDS, load
from .failures import (
    BAD_DATA,
    EPILOG,
    FAILED,
    INTERRUPTED,
    SYSTEM,
    USAGE,
    ending_tidily,
    in_one_line,
)

__all__ = ["BAD_DATA", "COMMANDS", "EPILOG", "FAILED", "INTERRUPTED", "SYSTEM", "USAGE", "main"]


class _Commands(click.Group):
    """Knows its commands by name, and imports each when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with in_one_line():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        with in_one_line(), ending_tidily():
            return super().invoke(ctx)


class _Printer(logging.Handler):
    """Prints where stderr is now, which leaves a bar of progress whole."""

    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr)


_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}


@click.group(cls=_Commands, epilog=EPILOG, context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="privet")
def main() -> None:
    """Learn what a crowd answers without learning what anyone answered.

    Each answer is randomized on the person's side by the k-subset mechanism; from the reports the
    distribution is recovered, with error bars.

    Try it: privet demo
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: PTH123, SIM115
    # Bars and people's categories are not ASCII; file names may be any bytes.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    if sys.stderr.isatty():
        log = logging.getLogger("privet.kernels")
        log.setLevel(logging.INFO)
        log.handlers = [_Printer()]
