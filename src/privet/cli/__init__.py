"""The `privet` command: one subcommand per file, each imported when it is called.

What they share: `options` (arguments), `guards` (what is refused or noted for people's sake),
`taking` (categories out of answers), `output` (JSON, files, lines on stderr), `terminal` (tables
and progress), `show` (surveys and estimates), `differences` (comparisons), `failures` (one line and
an exit code).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from .. import __version__
from ..analysis import kernels
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

COMMANDS = (
    "demo", "plan", "survey", "questionnaire", "randomize", "tally", "estimate", "compare",
    "regress", "simulate", "audit", "paper", "serve", "store", "backup",
)  # fmt: skip


class _Commands(click.Group):
    """Knows its commands by name, and imports each when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"{__name__}.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with in_one_line():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        with in_one_line(), ending_tidily():
            return super().invoke(ctx)


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
    if sys.stderr.isatty():  # print, unlike click.echo, leaves a bar of progress whole
        kernels.announce = lambda name: print(f"compiling, once: {name}", file=sys.stderr)
