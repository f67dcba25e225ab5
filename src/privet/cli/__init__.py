"""The `privet` command: one subcommand a file, each imported when it is called.

A user's mistake ends in one line on stderr and an exit code, never in a traceback.
"""

from __future__ import annotations

from importlib import import_module

import click

from .. import __version__
from ..errors import InvalidArgument, MissingExtra, PrivetError

__all__ = ["main"]

COMMANDS = ("demo", "survey", "randomize", "estimate")

USAGE, BAD_DATA, SYSTEM = 2, 3, 4

EPILOG = """\
Exit codes: 0 all is well, 2 wrong usage, 3 bad data (a survey, answers, reports), 4 the system
refused (a file cannot be written, an optional package is missing), 130 interrupted."""


class _Failure(click.ClickException):
    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(" ".join(message.split()))
        vars(self)["exit_code"] = exit_code


class _Commands(click.Group):
    """Knows its commands by name, and turns what goes wrong into a line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = getattr(import_module(f"{__name__}.{name}"), name)
        assert isinstance(command, click.Command)  # noqa: S101
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except InvalidArgument as error:
            raise _Failure(str(error), USAGE) from None
        except MissingExtra as error:
            raise _Failure(str(error), SYSTEM) from None
        except PrivetError as error:
            raise _Failure(str(error), BAD_DATA) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise _Failure(f"{where}{error.strerror or error}", SYSTEM) from None
        except KeyboardInterrupt:
            raise _Failure("interrupted", 130) from None


@click.group(cls=_Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="privet")
def main() -> None:
    """Learn what a crowd answers without learning what anyone answered.

    Each answer is randomized on the person's own side by the k-subset mechanism; from the reports
    the distribution is recovered, with error bars.

    Try it: privet demo
    """
