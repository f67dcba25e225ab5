"""Clients to audit: whatever turns answers into reports, asked as the public asks it.

    InProcess(survey)           this package's own batches
    Callable(function, survey)  a Python function of one answer
    Command(argv, survey)       a program: answers in, reports out, a line each
    Page(url, survey)           a page in a browser, filled in as a person does (browsing.py)

Reports are taken as they come: whether they are of the right length, or reports at all, is for
the audit to say. docs/guides/auditing_clients.md has what programs and pages must do.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable as Function
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from secrets import token_bytes
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..device.contract import Contract
from ..errors import ClientFailure, InvalidArgument

__all__ = ["Callable", "Client", "Command", "InProcess"]

_HEX = re.compile(rb"(?:[0-9a-f]{2})*")


class Client(Protocol):
    """Someone's way from answers to reports."""

    @property
    def survey(self) -> Contract:
        """The contract that it claims to keep."""

    def reports(self, answers: Sequence[Any]) -> Sequence[bytes] | NDArray[np.uint8]:
        """Return a fresh report of each answer, in their order."""

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return what one person's device sends when it is asked the same thing again and again.

        The list is empty for a client that takes no secret: it promises nothing of repeats.
        """


@dataclass(frozen=True)
class InProcess:
    """The package's own reports, as `randomize_batch` makes them.

    >>> from privet import Survey
    >>> client = InProcess(Survey("Tea?", ["yes", "no"], 1.0))
    >>> client.reports(["yes", "no", "no"]).shape
    (3, 1)
    >>> len(set(client.repeats("yes", 10)))
    1
    """

    survey: Contract

    def reports(self, answers: Sequence[Any]) -> NDArray[np.uint8]:
        """Return fresh reports, one a row."""
        if self.survey.only is not None:
            return self.survey.randomize_batch(answers)
        ids = [one.id for one in self.survey.surveys]
        return self.survey.randomize_batch({id: [one.get(id) for one in answers] for id in ids})

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return reports with a secret, one by one."""
        secret = token_bytes(32)
        return [self.survey.randomize(answer, secret=secret) for _ in range(times)]


@dataclass(frozen=True)
class Callable:
    """A Python function of one answer. One that takes a `secret` is asked for repeats with it.

    >>> from privet import Survey
    >>> survey = Survey("Tea?", ["yes", "no"], 1.0)
    >>> len(Callable(survey.randomize, survey).repeats("yes", 10))
    10
    >>> Callable(lambda answer: answer.encode(), survey).repeats("yes", 10)
    []
    """

    function: Function[..., bytes]
    survey: Contract

    def reports(self, answers: Sequence[Any]) -> list[bytes]:
        """Return what the function makes of each answer."""
        return self._called(answers)

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return what the function makes of an answer and one secret."""
        if "secret" not in signature(self.function).parameters:
            return []
        return self._called([answer] * times, secret=token_bytes(32))

    def _called(self, answers: Sequence[Any], **more: bytes) -> list[bytes]:
        found = [self.function(one, **more) for one in answers]
        for one in found:
            if not isinstance(one, bytes):
                raise InvalidArgument("Callable", "function", "one that returns bytes", one)
        return found


@dataclass(frozen=True)
class Command:
    """A program that reads an answer a line, as JSON, and writes a report a line, as hexadecimal.

    It is started once for all answers. For repeats it is started twice, with the same secret in
    the environment variable PRIVET_SECRET, also as hexadecimal: a device may have been off.
    """

    argv: Sequence[str]
    survey: Contract
    seconds: float = 600.0

    def reports(self, answers: Sequence[Any]) -> list[bytes]:
        """Return what the program writes."""
        return self._run(answers, {})

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return what the program writes with a secret, in two runs."""
        secret = {"PRIVET_SECRET": token_bytes(32).hex()}
        first = times // 2
        return [one for n in (first, times - first) if n for one in self._run([answer] * n, secret)]

    def _run(self, answers: Sequence[Any], secret: dict[str, str]) -> list[bytes]:
        given = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in answers)
        environment = {k: v for k, v in os.environ.items() if k != "PRIVET_SECRET"}
        name = self.argv[0]
        try:
            done = subprocess.run(  # noqa: S603, as it is what an audit is asked to run
                [*self.argv],
                input=given.encode(),
                capture_output=True,
                env=environment | secret,
                timeout=self.seconds,
                check=False,
            )
        except OSError as error:
            raise ClientFailure(f"{name} cannot be started: {error.strerror}.") from None
        except subprocess.TimeoutExpired:
            raise ClientFailure(f"{name} must end within {self.seconds:g} seconds.") from None
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"]
            raise ClientFailure(f"{name} ended with code {done.returncode}. It said: {said[-1]}")
        return self._read(done.stdout.splitlines(), len(answers))

    def _read(self, lines: list[bytes], count: int) -> list[bytes]:
        name = self.argv[0]
        for number, line in enumerate(lines, 1):
            if not _HEX.fullmatch(line):
                raise ClientFailure(
                    f"{name}, line {number}: a report must be pairs of the digits 0-9 and a-f. "
                    f"Got {line[:40].decode(errors='replace')!r}."
                )
        if len(lines) != count:
            raise ClientFailure(
                f"{name} must write one line for each of {count} answers. Got {len(lines)}."
            )
        return [bytes.fromhex(line.decode()) for line in lines]
