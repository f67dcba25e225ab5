"""Files that are written whole or not at all, and never for more readers than they should have."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE, S_ISLNK, S_ISREG, S_ISVTX, S_IWOTH

__all__ = ["NO_ROOM", "replacing", "sync_folder"]

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_MOST_LINKS = 40  # as many as Linux follows


@contextmanager
def replacing(path: Path, *, private: bool = False, lasting: bool = False) -> Iterator[Path]:
    """Yield an empty file next to `path`, which takes the place of `path` if the block succeeds.

    It has the mode of the file that it replaces, and its owner and group where the system allows
    that. Where there was none, the umask decides; a `private` one is for its owner alone. When the
    block ends, a `lasting` one is on the disk, and so is its name: no power failure undoes it.

    A link stays a link: the file that it points to is replaced. A folder, a device or a pipe is
    refused, and so is what another user has put into a folder that anyone can write to.
    """
    found = _status(path)
    if found is not None and not S_ISREG(found.st_mode):  # of a pipe, the real path names nothing
        raise FileExistsError(errno.EEXIST, "Exists and is not a regular file", str(path))
    target = _real(path)
    before = _status(target)
    # The ending is kept, because writers choose their format by it.
    temporary = target.with_name(f".{token_hex(8)}{path.suffix}")
    mode = 0o600 if private or before is not None else 0o666
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield temporary
        if before is not None:
            _take_after(before, temporary)
        if lasting:
            _sync(temporary, os.O_RDWR)
        temporary.replace(target)
        if lasting:
            sync_folder(target.parent)
    except OSError as error:
        # Writers say nothing of the file when there is no room; and ours is not the user's name.
        full = error.filename is None and error.errno in NO_ROOM
        if not full and error.filename != str(temporary):
            raise
        raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def sync_folder(path: Path) -> None:
    """Put the names in a folder onto the disk, where the system can."""
    if hasattr(os, "O_DIRECTORY"):  # not on Windows
        try:
            _sync(path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            if error.errno != errno.EINVAL:  # of file systems that do this by themselves, or never
                raise


def _sync(path: Path, flags: int) -> None:
    file = os.open(path, flags)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a file if there is one; a name that cannot be is an error."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _real(path: Path) -> Path:
    """Return the path without links, refusing what another user may have planted on the way.

    In a folder such as /tmp anyone can put a link that leads to one of our files. Linux can be set
    not to follow it (protected_symlinks), but not where a program resolves links by itself.
    """
    at, names = Path(path.anchor), [*reversed(path.relative_to(path.anchor).parts)]
    links = 0
    while names:
        folder, at = at, at / names.pop()
        try:
            found = at.lstat()
        except OSError:  # which is said when it is written
            continue
        if S_ISLNK(found.st_mode) or not names:
            _refuse_planted(folder, at, found)
        if S_ISLNK(found.st_mode):
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            to = at.readlink()
            at = folder / to.anchor
            names += reversed(to.relative_to(to.anchor).parts)
    return at


def _refuse_planted(folder: Path, path: Path, found: os.stat_result) -> None:
    above = folder.stat()
    public = above.st_mode & S_ISVTX and above.st_mode & S_IWOTH
    if public and found.st_uid not in (os.geteuid(), above.st_uid):
        rule = "Belongs to another user, in a folder that anyone can write to"
        raise PermissionError(errno.EACCES, rule, str(path))


def _take_after(before: os.stat_result, path: Path) -> None:
    """Give a file the mode of the one that it replaces, and its owner and group if we may."""
    mode = S_IMODE(before.st_mode) & 0o777
    if hasattr(os, "chown"):  # not on Windows
        for owner in (before.st_uid, -1):
            with suppress(OSError):
                os.chown(path, owner, before.st_gid)
                break
        else:
            mode &= ~0o070  # these rights were another group's
    path.chmod(mode)
