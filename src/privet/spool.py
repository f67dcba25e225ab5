"""Spool: reports on disk until they are sent, for a process that may end at any time.

One file holds one report and nothing else. Its name is the report's key, by which a service counts
it once, so that whoever finds it can send it again. Reports of a survey are in a folder of its
fingerprint, and one that goes with an invitation in a folder of both. Nothing in a spool says what
was answered. A report that was added is on the disk: it is there after a power failure.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from .files import replacing, sync_folder

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from .contract import Contract

__all__ = ["Spool"]

_KEY = re.compile("[0-9a-f]{32}")


class Spool:
    """The reports of one survey in a folder."""

    def __init__(
        self, folder: str | PathLike[str], contract: Contract, invitation: str = ""
    ) -> None:
        name = contract.fingerprint
        if invitation:
            name += "-" + sha256(invitation.encode()).hexdigest()[:32]
        self._folder = Path(folder).absolute() / name
        new = [at for at in (self._folder, *self._folder.parents) if not at.exists()]
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for at in new:
            sync_folder(at.parent)
        self._mechanism = contract.mechanism

    def add(self, key: str, report: bytes) -> None:
        """Keep a report, whole or not at all."""
        with replacing(self._folder / key, private=True, lasting=True) as temporary:
            temporary.write_bytes(report)

    def remove(self, key: str) -> None:
        """Forget a report; another process may have done so before."""
        (self._folder / key).unlink(missing_ok=True)

    def left(self) -> Iterator[tuple[str, bytes]]:
        """Yield keys and reports in the random order of keys; what is no report is removed."""
        for path in sorted(self._folder.iterdir()):
            if not _KEY.fullmatch(path.name):
                continue
            try:
                report = path.read_bytes()
            except FileNotFoundError:  # another process has sent it meanwhile
                continue
            if self._mechanism.problem(report) is None:
                yield path.name, report
            else:  # as a disk may leave it when the power fails
                self.remove(path.name)
