"""What goes wrong becomes one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from ..errors import (
    ClientFailure,
    InvalidArgument,
    MissingExtra,
    PrivetError,
    SparkFailure,
    StoreFailure,
)
from .output import one_line, say

USAGE, BAD_DATA, SYSTEM, FAILED, INTERRUPTED = 2, 3, 4, 5, 130

EPILOG = """\
Exit codes: 0 success, 1 the reader of the output closed the pipe, 2 wrong usage, 3 bad data (a
survey, answers, reports, a tally), 4 system error (a file or a store cannot be read or written, the
disk is full, an optional package or Java is missing, an audited client cannot be run), 5 an audit
failed, 130 interrupted, 143 terminated."""


class _Failure(click.ClickException):
    """One printable line, whatever bytes of a user's file the message quotes."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(one_line(message))
        vars(self)["exit_code"] = exit_code


class _Terminated(BaseException):
    """The system asked for an end; like KeyboardInterrupt, and tidied up after like it."""


@contextmanager
def in_one_line() -> Iterator[None]:
    """Turn whatever a command raises into a line and an exit code."""
    try:
        yield
    except click.UsageError as error:
        hint = f" Try '{error.ctx.command_path} --help'." if error.ctx else ""
        raise _Failure(error.format_message() + hint, USAGE) from None
    except InvalidArgument as error:
        raise _Failure(str(error), USAGE) from None
    except (ClientFailure, MissingExtra, SparkFailure, StoreFailure) as error:
        raise _Failure(str(error), SYSTEM) from None
    except PrivetError as error:
        option = (getattr(error, "parameter", None) or "").replace("_", "-")  # of the same name
        raise _Failure(f"{error} Use --{option}." if option else str(error), BAD_DATA) from None
    except ModuleNotFoundError as error:
        package = (error.name or "privet").partition(".")[0]
        if package == "privet":
            raise
        missing = MissingExtra("This command", package, "privet[analysis]")
        raise _Failure(str(missing), SYSTEM) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:
            _forget_output()
        where = f"{error.filename}: " if error.filename else ""
        raise _Failure(f"{where}{error.strerror or error}", SYSTEM) from None
    except MemoryError:
        raise _Failure("There is not enough memory.", SYSTEM) from None
    except KeyboardInterrupt:
        raise _Failure("interrupted", INTERRUPTED) from None
    except _Terminated as error:
        raise _Failure("terminated", 128 + error.args[0]) from None


def _forget_output() -> None:
    """Let what stdout could not take go nowhere: the interpreter would try again at its end."""
    with suppress(OSError), open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


@contextmanager
def ending_tidily() -> Iterator[None]:
    """Leave nothing behind when the process is terminated, or its terminal is closed.

    Meanwhile, every warning is a line on stderr.
    """
    mine = threading.current_thread() is threading.main_thread()
    signals = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")] if mine else []
    # One that is ignored stays ignored, as nohup wants it.
    taken = [s for s in signals if s is not None and signal.getsignal(s) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, _terminate)
    before, sys.unraisablehook = sys.unraisablehook, _once_more
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            yield
    finally:
        sys.unraisablehook = before
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


def _terminate(number: int, frame: object) -> None:
    raise _Terminated(number)


def _once_more(ignored: sys.UnraisableHookArgs) -> None:
    """Send a signal again that came where nothing can be raised, as in a callback of a weakref."""
    if isinstance(ignored.exc_value, _Terminated):
        number = ignored.exc_value.args[0]
    elif isinstance(ignored.exc_value, KeyboardInterrupt):
        number = signal.SIGINT
    else:
        sys.__unraisablehook__(ignored)
        return
    threading.Timer(0.05, os.kill, (os.getpid(), number)).start()  # once that is over


def _note(message: Warning | str, *where: object, **more: object) -> None:
    say(f"Note: {one_line(str(message))}")
