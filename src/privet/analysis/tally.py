"""Tally: reports folded into counts that add.

A tally is all that an estimate needs and all that has to be kept: two tallies of one survey merge
into the tally of all their reports, in any order and any grouping.

As bytes, a tally is `privetT` and a version byte, the survey's fingerprint (32 bytes), n (64 bits),
the aggregate (64 bits each), and the CRC-32 of all before it, little-endian.
"""

from __future__ import annotations

import struct
from binascii import crc32
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..device.contract import Contract, E
from ..device.files import replacing
from ..errors import InvalidArgument, InvalidTally, NoReports, SurveyMismatch
from .estimate import Estimate
from .notebook import of_tally
from .questionnaire_estimate import QuestionnaireEstimate
from .scale_estimate import ScaleEstimate
from .tallied import Tallied

__all__ = ["MAGIC", "Tally"]

# Magic with the format's version, the survey's fingerprint, and n; then the aggregate as int64 and
# the CRC-32 of everything before it, all little-endian.
_HEADER = struct.Struct("<8s32sQ")
MAGIC = b"privetT\x01"
_CRC = struct.Struct("<I")
# Keeps n times the largest entry of any report inside 64 bits.
MAX_REPORTS = 2**47
# The estimate of a contract that is given, where a method is of no tally yet.
F = TypeVar("F", bound=Estimate | ScaleEstimate | QuestionnaireEstimate)


class Tally(Tallied[E]):
    """The mergeable counts of one survey's reports; `survey.tally()` returns an empty one.

    Threads may share a tally: each update, merge or reading is done as a whole.

    >>> from privet import Survey
    >>> survey = Survey("Tea or coffee?", ["tea", "coffee"], 1.0)
    >>> monday, tuesday = survey.tally(), survey.tally()
    >>> monday.update([survey.randomize("tea"), survey.randomize("coffee")])
    >>> tuesday.update(survey.randomize("tea"))
    >>> both = monday + tuesday
    >>> both.n, Tally.from_bytes(both.to_bytes(), survey) == both
    (3, True)
    """

    __slots__ = ("_aggregate", "_lock", "_n", "survey")

    def __init__(self, survey: Contract[E]) -> None:
        self.survey = survey
        self._n = 0
        self._aggregate = np.zeros(survey.mechanism.aggregate_size, dtype=np.int64)
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Tally.from_bytes, (self.to_bytes(), self.survey)

    def __repr__(self) -> str:
        return f"Tally({self.survey.id!r}, n={self.n})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return of_tally(self)

    @property
    def n(self) -> int:
        """The number of reports."""
        return self._n

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many reports support each category, int64 (d,)."""
        return self.survey.mechanism.counts(self.aggregated()[1])

    def aggregated(self) -> tuple[int, NDArray[np.int64]]:
        """Return the number of reports and a copy of their aggregate, which belong together."""
        with self._lock:
            return self._n, self._aggregate.copy()

    def update(self, reports: Any) -> None:
        """Add one report (bytes), a sequence of them, or a uint8 array (n, report_bytes).

        A column of pandas, polars, pyarrow or duckdb will do as well. All are checked first: where
        one is invalid, InvalidReport is raised and none is added.
        """
        mechanism = self.survey.mechanism
        with self._lock:
            if self._n < MAX_REPORTS // 2:  # no memory holds as many again
                self._n += mechanism.fold(reports, self._aggregate)
            else:
                self.add(*mechanism.aggregate(reports))

    def merge(self, other: Tally[Any]) -> Tally[E]:
        """Add the reports of another tally of the same survey; return self."""
        if not isinstance(other, Tally):
            raise InvalidArgument("Tally.merge", "other", "a Tally", other)
        if other.survey.fingerprint != self.survey.fingerprint:
            raise SurveyMismatch(
                f"A tally of survey {other.survey.id!r} ({other.survey.fingerprint[:12]}…) cannot "
                f"be merged into one of {self.survey.id!r} ({self.survey.fingerprint[:12]}…)."
            )
        more = other.aggregated()
        with self._lock:
            self.add(*more)
        return self

    def __add__(self, other: object) -> Tally[E]:
        if not isinstance(other, Tally):
            return NotImplemented
        return Tally(self.survey).merge(self).merge(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        (n, aggregate), (other_n, other_aggregate) = self.aggregated(), other.aggregated()
        same = self.survey == other.survey and n == other_n
        return same and np.array_equal(aggregate, other_aggregate)

    __hash__ = None  # type: ignore[assignment]

    def estimate(self) -> E:
        """Return what the reports say about the crowd."""
        n, aggregate = self.aggregated()
        if n == 0:
            raise NoReports(f"The tally of survey {self.survey.id!r} has no reports yet.")
        return self.survey.estimate(n, aggregate)

    # --- bytes and files --------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the tally as bytes, for keeping and shipping."""
        n, aggregate = self.aggregated()
        header = _HEADER.pack(MAGIC, bytes.fromhex(self.survey.fingerprint), n)
        body = header + aggregate.astype("<i8").tobytes()
        return body + _CRC.pack(crc32(body))

    @classmethod
    def from_bytes(cls, data: bytes, survey: Contract[F]) -> Tally[F]:
        """Read what `to_bytes` wrote for the same survey.

        Raise SurveyMismatch for another survey's, and InvalidTally for what is damaged or what no
        reports could have given.
        """
        size = _size(survey)
        if not isinstance(data, bytes) or data[: len(MAGIC)] != MAGIC:
            raise InvalidTally("Not a tally: it does not begin with the tally format's mark.")
        if len(data) < _HEADER.size + _CRC.size:
            raise InvalidTally(f"A tally of this survey has {size} bytes. Got {len(data)}.")
        _, fingerprint, n = _HEADER.unpack_from(data)
        body, (crc,) = data[: -_CRC.size], _CRC.unpack(data[-_CRC.size :])
        if crc32(body) != crc:
            raise InvalidTally("The tally is damaged: its checksum does not match.")
        if fingerprint.hex() != survey.fingerprint:
            raise SurveyMismatch(
                f"The tally is of another survey ({fingerprint.hex()[:12]}…) than "
                f"{survey.id!r} ({survey.fingerprint[:12]}…)."
            )
        if len(data) != size:
            raise InvalidTally(f"A tally of this survey has {size} bytes. Got {len(data)}.")
        aggregate = np.frombuffer(body, dtype="<i8", offset=_HEADER.size).astype(np.int64)
        if n > MAX_REPORTS:
            raise InvalidTally(f"A tally holds at most {MAX_REPORTS} reports. Got {n}.")
        problem = survey.mechanism.check_aggregate(aggregate, n)
        if problem is not None:
            raise InvalidTally(f"No reports give these counts: {problem}.")
        tally = Tally(survey)
        tally._n, tally._aggregate = n, aggregate
        return tally

    @classmethod
    def read(cls, path: str | PathLike[str], survey: Contract[F]) -> Tally[F]:
        """Read a file that `write` wrote for the same survey; errors name the file."""
        path = Path(path)
        try:
            # A file of the right mark may be of any size: look before reading all of it.
            size = path.stat().st_size
            with path.open("rb") as file:
                head = file.read(_HEADER.size)
                if size <= _size(survey) or head[: len(MAGIC)] != MAGIC:
                    return cls.from_bytes(head + file.read(_size(survey)), survey)
            if head[len(MAGIC) : len(MAGIC) + 32].hex() == survey.fingerprint:
                raise InvalidTally(f"A tally of this survey has {_size(survey)} bytes. Got {size}.")
            raise SurveyMismatch(f"The tally is of another survey than {survey.id!r}.")
        except (InvalidTally, SurveyMismatch) as error:
            raise type(error)(f"{path}: {error}") from None

    def write(self, path: str | PathLike[str]) -> None:
        """Write the tally to a file, whole or not at all."""
        with replacing(Path(path), private=True) as temporary:
            temporary.write_bytes(self.to_bytes())

    def add(self, n: int, aggregate: NDArray[np.int64]) -> None:
        """Add the aggregate of n more reports, which were checked when it was made."""
        if self._n + n > MAX_REPORTS:
            raise InvalidTally(f"A tally holds at most {MAX_REPORTS} reports.")
        self._n += n
        self._aggregate += aggregate


def _size(survey: Contract) -> int:
    return _HEADER.size + 8 * survey.mechanism.aggregate_size + _CRC.size
