"""Ledger: what a person's reports have cost in all, and a budget that they cannot exceed.

A fresh report costs its survey's ε each time. A keyed report costs it once for each different
answer: the same again says nothing new. The file names surveys, not answers: an answer that was
reported with a secret is there as an HMAC, which says nothing to anyone without that secret.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import BudgetSpent, InvalidFile
from ..errors.arguments import positive
from .canonical import unrepeated
from .contract import Contract
from .files import replacing

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
            found = json.loads(self.path.read_bytes(), object_pairs_hook=unrepeated)
            return _surveys(found)
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError) as error:
            raise InvalidFile(
                f"{self.path}: Not a ledger of version {_VERSION}: {error}. "
                "Restore a copy of it, or correct it: without it, what was spent is forgotten."
            ) from None

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


def _surveys(found: object) -> dict[str, Any]:
    """Return the entries of a ledger, or raise ValueError, which says what is wrong."""
    if not isinstance(found, dict) or type(found.get("ledger")) is not int:
        raise ValueError("the field 'ledger', its version, is missing")
    if found["ledger"] != _VERSION:
        raise ValueError(f"its version is {found['ledger']}")
    surveys = found.get("surveys")
    if not isinstance(surveys, dict):
        raise ValueError("the field 'surveys' must be an object")
    for fingerprint, entry in surveys.items():
        rule = _broken(entry)
        if rule is not None:
            raise ValueError(f"of survey {fingerprint!r:.60}, {rule}")
    return surveys


def _broken(entry: object) -> str | None:
    """Return which rule an entry breaks, with its value."""
    if not isinstance(entry, dict):
        return f"the entry must be an object, not {entry!r:.60}"
    epsilon, fresh, marks = (entry.get(name) for name in ("epsilon", "fresh", "keyed"))
    if not isinstance(epsilon, float) or not 0 < epsilon < inf:
        return f"'epsilon' must be a number above 0, not {json.dumps(epsilon):.60}"
    if type(fresh) is not int or fresh < 0:  # true is an int to Python
        return f"'fresh' must be a whole number, not {json.dumps(fresh):.60}"
    if not isinstance(marks, list) or not all(isinstance(one, str) for one in marks):
        return f"'keyed' must be a list of texts, not {json.dumps(marks):.60}"
    if len(set(marks)) < len(marks):
        return "'keyed' has an entry twice"
    return None
