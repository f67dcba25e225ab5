"""Whose compiled code is run: this user's, root's, and that of whoever owns the sources.

Numba keeps compiled code as pickles, and to read a pickle is to do what it says. They are in a
folder that `NUMBA_CACHE_DIR` names, beside the sources, or in the user's cache, under names that
anyone can foresee. Whoever can put a file there runs code as the next person to call a kernel; in a
folder such as /tmp that is every user of the machine.

So a folder is used only if no stranger owns it, may write to it, or can put another in its place
from above, and if the code in it is in plain files of which the same is true: a folder that is
closed now may have been open before. Folders above the sources are not looked at, because whoever
can write there can change the sources. Where there are no POSIX permissions, nothing is.
"""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

# How the names of numba's files end, and those of the seals (keeping.py).
CODE, SEAL = (".nbi", ".nbc"), ".seal"


class NotKept(RuntimeWarning):
    """Compiled code is not kept: every process compiles again."""


@cache
def warn(reason: str) -> None:
    """Say once why compiled code is not kept."""
    advice = "Set NUMBA_CACHE_DIR to a folder that only you can write to."
    warnings.warn(f"Compiled code is not kept: {reason}. {advice}", NotKept, stacklevel=2)


@cache
def is_safe(folder: Path) -> bool:
    """Tell if all the code in a folder is from people that are trusted; warn if it may not be."""
    if os.name != "posix":
        return True
    try:
        reason = _objection(folder)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}"
    if reason:
        warn(reason)
    return reason is None


def _objection(folder: Path) -> str | None:
    """Return what is wrong with a folder, if anything is."""
    if not folder.is_absolute():
        return f"{folder} is not an absolute path"
    if _is_open(folder.stat()):
        return f"others may write to {folder}"
    for place in _way_to(folder):
        status = place.lstat()
        if _is_strange(status):
            return f"{place} belongs to somebody else"
        # Of what is in a sticky folder, such as /tmp, everyone can replace only their own.
        fixed = stat.S_ISLNK(status.st_mode) or status.st_mode & stat.S_ISVTX
        if _is_open(status) and not fixed:
            return f"others may write to {place}"
    for place in folder.iterdir():
        if place.suffix not in (*CODE, SEAL):
            continue
        with suppress(FileNotFoundError):  # another process may have replaced it
            status = place.lstat()
            if not stat.S_ISREG(status.st_mode):
                return f"{place} is not a file"
            if _is_strange(status) or _is_open(status):
                return f"{place} may be somebody else's"
    return None


def _way_to(folder: Path) -> Iterator[Path]:
    """Yield the folder and those above it that are not above the sources, also where links lead."""
    for place in (folder, *folder.parents):
        if Path(__file__).is_relative_to(place):
            return
        yield place
        if place.is_symlink():
            yield from _way_to(place.parent / place.readlink())


def _is_strange(status: os.stat_result) -> bool:
    return status.st_uid not in (0, os.geteuid(), Path(__file__).stat().st_uid)


def _is_open(status: os.stat_result) -> bool:
    """Tell if anyone but the owner may write."""
    group = status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid)
    return bool(group or status.st_mode & stat.S_IWOTH)


def _is_private(gid: int) -> bool:
    """Tell if a group is this user's alone: many systems make one for each user, named alike.

    What its user makes, such a group may write to, so this is common. Root has no need of it.
    """
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    alike = (user.pw_gid, user.pw_name) == (gid, group.gr_name)
    return alike and user.pw_uid != 0 and set(group.gr_mem) <= {user.pw_name}
