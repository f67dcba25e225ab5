"""Ledger: what a person's reports have cost in all, and a budget that they cannot exceed.

A fresh report costs its survey's ε each time. A keyed report costs it once for each different
answer: the same again says nothing new. The file names surveys, not answers: an answer that was
reported with a secret is there as an HMAC, which says nothing to anyone without that secret.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from decimal import Decimal
from math import inf
from pathlib import Path

from .arguments import positive
from .errors import BudgetSpent, InvalidFile
from .files import replacing

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike
    from typing import Any

    from .contract import Contract

__all__ = ["Ledger"]

_VERSION = 1


class Ledger:
    """What was spent on which survey, in a JSON file that several processes may share.

    Parameters
    ----------
    path : str or path
        The file, made with the first report. It is for its owner alone.
    budget : float
        The largest sum of ε that may be spent, on all surveys together.

    >>> from tempfile import TemporaryDirectory
    >>> from privet import Survey
    >>> survey = Survey("Tea or coffee?", ["tea", "coffee"], epsilon=1.5)
    >>> with TemporaryDirectory() as folder:
    ...     ledger = Ledger(folder + "/ledger.json", budget=4.0)
    ...     ledger.charge(survey)
    ...     ledger.charge(survey)
    ...     ledger.left
    1.0

    """

    def __init__(self, path: str | PathLike[str], budget: float) -> None:
        self.path = Path(path).absolute()
        self.budget = positive("Ledger", "budget", budget)
        self._read()

    @property
    def spent(self) -> float:
        """The sum of ε over all reports so far."""
        return float(_sum(self._read()))

    @property
    def left(self) -> float:
        """What is left of the budget."""
        return float(max(_exact(self.budget) - _sum(self._read()), Decimal(0)))

    def charge(self, contract: Contract, mark: str | None = None) -> None:
        """Write down one report before it is sent, or raise BudgetSpent.

        `mark` stands for a keyed answer: what has been charged under the same mark is free.
        """
        with self._locked():
            surveys = self._read()
            new = {"id": contract.id, "epsilon": float(contract.epsilon), "fresh": 0, "keyed": []}
            entry = surveys.setdefault(contract.fingerprint, new)
            if mark in entry["keyed"]:
                return
            left = _exact(self.budget) - _sum(surveys)
            if _exact(contract.epsilon) > left:
                raise BudgetSpent(contract.id, contract.epsilon, float(max(left, Decimal(0))))
            if mark is None:
                entry["fresh"] += 1
            else:
                entry["keyed"] = sorted([*entry["keyed"], mark])  # nor does their order say when
            self._write(surveys)

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not _is_ledger(found):
            raise InvalidFile(f"{self.path}: Not a ledger of version {_VERSION}.")
        surveys: dict[str, Any] = found["surveys"]
        return surveys

    def _write(self, surveys: dict[str, Any]) -> None:
        """Write all, and onto the disk: a power failure must not give the budget back."""
        text = json.dumps({"ledger": _VERSION, "surveys": surveys}, indent=1)
        with replacing(self.path, private=True, lasting=True) as temporary:
            temporary.write_bytes(text.encode())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes and threads out; the lock ends with its holder."""
        path = self.path.with_name(self.path.name + ".lock")
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(file)
            yield
        finally:
            _unlock(file)
            os.close(file)


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)

    def _unlock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _unlock(file: int) -> None:
        # Closing is not enough: a child that was forked meanwhile holds the same file open.
        fcntl.flock(file, fcntl.LOCK_UN)


def _exact(number: float) -> Decimal:
    """Return a number as people write it: ten times 0.1 is 1."""
    return Decimal(repr(float(number)))


def _sum(surveys: dict[str, Any]) -> Decimal:
    costs = (
        _exact(one["epsilon"]) * (one["fresh"] + len(one["keyed"])) for one in surveys.values()
    )
    return sum(costs, Decimal(0))


def _is_ledger(fields: dict[str, Any]) -> bool:
    surveys = fields.get("surveys")
    return (
        fields.get("ledger") == _VERSION
        and isinstance(surveys, dict)
        and all(isinstance(one, dict) and _is_entry(one) for one in surveys.values())
    )


def _is_entry(fields: dict[str, Any]) -> bool:
    epsilon, fresh, marks = (fields.get(name) for name in ("epsilon", "fresh", "keyed"))
    finite = isinstance(epsilon, float) and 0 < epsilon < inf
    numbers = finite and isinstance(fresh, int) and fresh >= 0
    return numbers and isinstance(marks, list) and all(isinstance(one, str) for one in marks)
