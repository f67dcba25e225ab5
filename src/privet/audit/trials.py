"""The trials: reports of a few answers, made and counted a chunk at a time, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..device.mechanisms.base import Randomizer
from ..errors import InvalidReport
from .bounds import lower_bound
from .clients import Client
from .events import Differences
from .fit import fit_of
from .leaks import search
from .result import Verdict
from .subjects import Probe, claimed_of

Reports = NDArray[np.uint8]

__all__ = ["Trials"]

_CHUNK_ROWS, _CHUNK_BYTES = 1 << 17, 1 << 23
# Of each answer, so many reports are kept whole, to search in; where events are known, of few.
_KEPT_ROWS, _KEPT_BYTES = 1 << 16, 1 << 24
_SEARCHED_PAIRS = 2


class _Bound(NamedTuple):
    """What an event shows of ε, and between which two answers."""

    bound: float
    event: str
    between: tuple[int, int]


class Trials:
    """Reports of a few answers, as far as an audit looks at them."""

    def __init__(self, mechanism: Randomizer, probes: Sequence[Probe]) -> None:
        self.mechanism, self.probes = mechanism, probes
        values = [probe.value for probe in probes]
        self._differences = Differences(mechanism, values)
        self._fits = [fit_of(mechanism, value) for value in values]
        self._kept: list[list[Any]] = [[] for _ in probes]
        self._trials = self._invalid = 0
        self._problem = ""

    def run(self, client: Client, trials: int, advance: Callable[[int], object]) -> None:
        """Make so many reports of each answer, and count them."""
        self._trials = trials
        size = self.mechanism.report_bytes
        most = max(1, min(_CHUNK_ROWS, _CHUNK_BYTES // size))
        room = min(trials, _KEPT_ROWS, _KEPT_BYTES // size)
        for place, probe in enumerate(self.probes):
            for at in range(0, trials, most):
                rows = min(most, trials - at)
                made = client.reports([probe.answer] * rows)
                if at < room:
                    self._kept[place].append(_few(made, room - at))
                reports, wrong = self._taken(made, rows)
                valid = self._valid(reports, wrong)
                self._differences.add(place, valid)
                self._fits[place].add(valid)
                advance(rows)

    def _taken(self, found: Any, rows: int) -> tuple[Reports, NDArray[np.bool_]]:
        """Return reports as rows, and which of them were of another length."""
        size = self.mechanism.report_bytes
        if len(found) != rows:
            rule = f"A client must make {rows} reports of {rows} answers. Got {len(found)}."
            raise InvalidReport(rule)
        bytes_in_rows = isinstance(found, np.ndarray) and found.dtype == np.uint8
        if bytes_in_rows and found.shape == (rows, size):
            return found, np.zeros(rows, dtype=np.bool_)
        pieces = [bytes(one) for one in found]
        wrong = np.array([len(one) != size for one in pieces])
        if wrong.any():
            length = len(pieces[int(np.argmax(wrong))])
            self._problem = f"A report has {size} bytes. Got {length}."
        joined = b"".join(one[:size].ljust(size, b"\0") for one in pieces)
        return np.frombuffer(joined, dtype=np.uint8).reshape(rows, size), wrong

    def _valid(self, reports: Reports, wrong: NDArray[np.bool_]) -> Reports:
        """Return the rows that are reports."""
        invalid = wrong | self.mechanism.analyst.counter.invalid(reports)
        if not invalid.any():
            return reports
        self._invalid += int(invalid.sum())
        report = reports[np.argmax(invalid)].tobytes()
        self._problem = self._problem or self.mechanism.problem(report) or ""
        return reports[~invalid]

    # --- what is made of them -------------------------------------------------------------------

    def privacy_verdicts(self, alpha: float) -> tuple[float, Verdict, Verdict]:
        """Return the largest lower bound at this level, whether ε is exceeded, and by a leak."""
        count, claimed = len(self.probes), claimed_of(self.mechanism)
        pairs = [(i, i + 1) for i in range(0, count - 1, 2)]
        if self._differences.tests:  # a search is for whatever else there is, of whomever it is
            pairs = pairs[:_SEARCHED_PAIRS]
        level = alpha / (self._differences.tests + len(pairs))
        leaked = max(self._searched(pairs, level))
        bound, event, between = max(leaked, *self._known(level))
        answers = [self.probes[place].answer for place in between]
        figures = {"between": answers, "event": event, "level": level}
        found = f"at least {bound:.4f} of {claimed:g}, between {answers[0]!r} and {answers[1]!r}"
        return (
            bound,
            Verdict("epsilon", bound <= claimed, found, {"lower_bound": _finite(bound), **figures}),
            self._leak_verdict(leaked),
        )

    def _known(self, level: float) -> Iterator[_Bound]:
        """Yield the bound of each tight event."""
        n = self._trials
        for x, y, hits, false_hits in self._differences.events(n, level):
            yield _Bound(lower_bound(hits, n, false_hits, n, level), "supports one alone", (x, y))

    def _searched(self, pairs: list[tuple[int, int]], level: float) -> Iterator[_Bound]:
        """Yield the bound of an event that was searched, for each of some pairs of answers."""
        for x, y in pairs:
            leak = search(_joined(self._kept[x]), _joined(self._kept[y]), level)
            event = f"{leak.event} ({leak.rate:.3g} of one's, {leak.false_rate:.3g} of the other's)"
            yield _Bound(leak.lower_bound, event, (x, y))

    def _leak_verdict(self, leaked: _Bound) -> Verdict:
        x, y = (self.probes[place].answer for place in leaked.between)
        found = f"the most telling bytes between {x!r} and {y!r}: {leaked.event}"
        figures = {"lower_bound": _finite(leaked.bound), "event": leaked.event, "between": [x, y]}
        return Verdict("leaks", leaked.bound <= claimed_of(self.mechanism), found, figures)

    def law_verdict(self, alpha: float) -> Verdict:
        """Return whether reports follow the contract's law."""
        if self._invalid:
            said = f"{self._invalid:,} reports are none of this contract: {self._problem}"
            return Verdict("law", False, said, {"invalid": self._invalid})
        looks = [
            (check.p, check.what, probe.answer)
            for fit, probe in zip(self._fits, self.probes, strict=True)
            for check in fit.checks()
        ]
        if not looks:
            return Verdict("law", None, "there are too many different reports to count them")
        p, what, answer = min(looks, key=lambda look: look[0])
        level = alpha / len(looks)
        said = f"{len(looks)} looks; the oddest are {what} of {answer!r}, p = {p:.2g}"
        figures = {"looks": len(looks), "p": p, "level": level, "what": what, "answer": answer}
        return Verdict("law", p >= level, said, figures)


def _few(reports: Any, count: int) -> Any:
    """Return the first of some reports, without the memory of the others."""
    return reports[:count].copy() if isinstance(reports, np.ndarray) else reports[:count]


def _joined(parts: list[Any]) -> Any:
    """Return reports that came in several parts: rows, or bytes where not all are rows."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return [bytes(one) for part in parts for one in part]


def _finite(bound: float) -> float | None:
    return bound if isfinite(bound) else None
