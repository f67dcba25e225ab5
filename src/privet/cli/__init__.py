"""The `privet` command: one subcommand a file, each imported when it is called.

A user's mistake ends in one line on stderr and an exit code, never in a traceback.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..errors import InvalidArgument, MissingExtra, PrivetError, SparkFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

COMMANDS = ("demo", "plan", "survey", "randomize", "tally", "estimate", "simulate", "paper")

USAGE, BAD_DATA, SYSTEM, INTERRUPTED = 2, 3, 4, 130

EPILOG = """\
Exit codes: 0 all is well, 1 the reader of the output went away, 2 wrong usage, 3 bad data (a
survey, answers, reports), 4 the system refused (a file cannot be read or written, there is no room,
an optional package or Java is missing), 130 interrupted, 143 told to end."""


class _Failure(click.ClickException):
    """One printable line, whatever bytes of a user's file the message quotes."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(_line(message))
        vars(self)["exit_code"] = exit_code


def _line(message: str) -> str:
    from .show import printable

    return printable(" ".join(message.split()))


class _Ended(BaseException):
    """The system asked for an end; like KeyboardInterrupt, and tidied up after like it."""


def _end(number: int, frame: object) -> None:
    raise _Ended(number)


@contextmanager
def _ended_tidily() -> Iterator[None]:
    """Leave nothing behind when the process is told to end, or its terminal goes away."""
    mine = threading.current_thread() is threading.main_thread()
    signals = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")] if mine else []
    # One that is ignored stays ignored, as nohup wants it.
    taken = [s for s in signals if s is not None and signal.getsignal(s) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, _end)
    try:
        yield
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    def show(message: Warning | str, *where: object, **more: object) -> None:
        click.echo(f"Note: {_line(str(message))}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


@contextmanager
def _one_line_failures() -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        hint = f" Try '{error.ctx.command_path} --help'." if error.ctx else ""
        raise _Failure(error.format_message() + hint, USAGE) from None
    except InvalidArgument as error:
        raise _Failure(str(error), USAGE) from None
    except (MissingExtra, SparkFailure) as error:
        raise _Failure(str(error), SYSTEM) from None
    except PrivetError as error:
        raise _Failure(str(error), BAD_DATA) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise _Failure(f"{where}{error.strerror or error}", SYSTEM) from None
    except MemoryError:
        raise _Failure("There is not enough memory.", SYSTEM) from None
    except KeyboardInterrupt:
        raise _Failure("interrupted", INTERRUPTED) from None
    except _Ended as error:
        raise _Failure("told to end", 128 + error.args[0]) from None


class _Commands(click.Group):
    """Knows its commands by name, and turns what goes wrong into a line and an exit code."""

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
        with _one_line_failures():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        with _one_line_failures(), _ended_tidily(), _one_line_warnings():
            return super().invoke(ctx)


@click.group(cls=_Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="privet")
def main() -> None:
    """Learn what a crowd answers without learning what anyone answered.

    Each answer is randomized on the person's own side by the k-subset mechanism; from the reports
    the distribution is recovered, with error bars.

    Try it: privet demo
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: PTH123, SIM115
    # Bars and people's categories are not ASCII; file names may be any bytes.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
