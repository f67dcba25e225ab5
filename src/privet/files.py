"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from .errors import InvalidFile
from .survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NO_ROOM", "read_survey", "replacing"]

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield an empty file beside `path`, which takes the place of `path` if the block succeeds.

    A link stays a link: the file that it points to is replaced. A folder, a device or a pipe is
    refused.
    """
    target = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():  # of a pipe, the real path names nothing
        raise FileExistsError(errno.EEXIST, "Exists and is not a regular file", str(path))
    # The ending is kept, because writers choose their format by it.
    temporary = target.with_name(f".{token_hex(8)}{path.suffix}")
    try:
        temporary.touch()
        yield temporary
        temporary.replace(target)
    except OSError as error:
        # Writers say nothing of the file when there is no room; and ours is not the user's name.
        full = error.filename is None and error.errno in NO_ROOM
        if not full and error.filename != str(temporary):
            raise
        raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def read_survey(path: Path) -> Survey:
    """Read a survey's JSON file."""
    try:
        return Survey.from_json(path.read_bytes())
    except ValueError as error:
        raise InvalidFile(f"{path}: {error}") from None
