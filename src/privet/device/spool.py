"""Spool: reports on disk until they are sent, for a process that may end at any time.

One file holds one report and nothing else. Its name is the report's key, by which a service counts
it once, so that whoever finds it can send it again. Reports of a survey are in a folder of its
fingerprint, and one that goes with an invitation in a folder of both. Nothing in a spool says what
was answered. A report that was added is on the disk: it is there after a power failure.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from hashlib import sha256
from os import PathLike
from pathlib import Path
from stat import S_ISREG

from .contract import Contract
from .files import replacing, sync_folder

__all__ = ["Spool"]

_KEY = re.compile("[0-9a-f]{32}")
# No link is followed, and no pipe is waited for; Windows has neither flag, but one for bytes.
_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


class Spool:
    """The reports of one survey in a folder."""

    def __init__(
        self, folder: str | PathLike[str], contract: Contract, invitation: str = ""
    ) -> None:
        name = contract.fingerprint
        if invitation:
            name += "-" + sha256(invitation.encode()).hexdigest()[:32]
        self.folder = Path(folder).absolute() / name
        new = [at for at in (self.folder, *self.folder.parents) if not at.exists()]
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for at in new:
            sync_folder(at.parent)
        self._mechanism = contract.mechanism
        self.skipped: list[str] = []

    def add(self, key: str, report: bytes) -> None:
        """Keep a report, whole or not at all."""
        with replacing(self.folder / key, private=True, lasting=True) as temporary:
            temporary.write_bytes(report)

    def remove(self, key: str) -> None:
        """Forget a report; another process may have done so before."""
        (self.folder / key).unlink(missing_ok=True)

    def left(self) -> Iterator[tuple[str, bytes]]:
        """Yield keys and reports in the random order of keys.

        An entry with the name of a key that is not a report is left alone, and noted in `skipped`:
        a file of another size, as a disk may leave it when the power fails, a folder, a link, a
        pipe, or a file that cannot be read.
        """
        self.skipped = []
        for path in sorted(self.folder.iterdir()):
            if not _KEY.fullmatch(path.name):
                continue
            try:
                report = self._read(path)
            except FileNotFoundError:  # another process has sent it meanwhile
                continue
            except OSError:
                report = None
            if report is not None and self._mechanism.problem(report) is None:
                yield path.name, report
            else:
                self.skipped.append(path.name)

    def _read(self, path: Path) -> bytes | None:
        """Return the bytes of a regular file of a report's size, without waiting for a pipe."""
        size = self._mechanism.report_bytes
        if not S_ISREG(path.lstat().st_mode):
            return None
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            if not S_ISREG(os.fstat(file.fileno()).st_mode):  # as it was replaced meanwhile
                return None
            report = file.read(size + 1)
        return report if len(report) == size else None
