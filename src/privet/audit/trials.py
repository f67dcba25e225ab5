"""The trials: reports of a few answers, made and counted a chunk at a time, in bounded memory."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidReport
from .bounds import lower_bound
from .events import Differences
from .fit import fit_of
from .result import Verdict
from .searching import search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..mechanisms.base import Mechanism
    from .clients import Client
    from .subjects import Probe

    Reports = NDArray[np.uint8]

__all__ = ["Trials"]

_CHUNK_ROWS, _CHUNK_BYTES = 1 << 17, 1 << 23
# Of each answer, so many reports are kept whole, to search in.
_KEPT_ROWS, _KEPT_BYTES = 1 << 18, 1 << 24


class Trials:
    """Reports of a few answers, as far as an audit looks at them."""

    def __init__(self, mechanism: Mechanism, probes: Sequence[Probe]) -> None:
        self.mechanism, self.probes = mechanism, probes
        values = [probe.value for probe in probes]
        self._differences = Differences(mechanism, values)
        self._fits = [fit_of(mechanism, value) for value in values]
        self._kept: list[list[Reports]] = [[] for _ in probes]
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
                reports, wrong = self._taken(client.reports([probe.answer] * rows), rows)
                if at < room:
                    self._kept[place].append(reports[: room - at].copy())
                valid = self._valid(reports[:, :size], wrong)
                self._differences.add(place, valid)
                self._fits[place].add(valid)
                advance(rows)

    def _taken(self, found: Any, rows: int) -> tuple[Reports, NDArray[np.bool_]]:
        """Return reports as rows, with zeros after short ones, and which are of another length."""
        size = self.mechanism.report_bytes
        if len(found) != rows:
            rule = f"A client must make {rows} reports of {rows} answers. Got {len(found)}."
            raise InvalidReport(rule)
        if (
            isinstance(found, np.ndarray)
            and found.dtype == np.uint8
            and found.shape == (rows, size)
        ):
            return found, np.zeros(rows, dtype=np.bool_)
        pieces = [bytes(one) for one in found]
        lengths = np.array([len(one) for one in pieces])
        width = max(size, int(lengths.max()))
        joined = b"".join(one.ljust(width, b"\0") for one in pieces)
        wrong = lengths != size
        if wrong.any():
            self._problem = f"A report has {size} bytes. Got {lengths[np.argmax(wrong)]}."
        return np.frombuffer(joined, dtype=np.uint8).reshape(rows, width), wrong

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

    def epsilon_verdict(self, alpha: float) -> tuple[Verdict, float]:
        """Return whether ε is exceeded, and the largest lower bound at this level."""
        count = len(self.probes)
        neighbours = {(i, (i + step) % count) for i in range(count) for step in (1, -1)}
        level = alpha / (self._differences.tests + len(neighbours))
        best, between, event = -inf, (0, 1), "none"
        for x, y, hits, false_hits in self._differences.events(self._trials, level):
            bound = lower_bound(hits, self._trials, false_hits, self._trials, level)
            if bound > best:
                best, between, event = bound, (x, y), "known"
        kept = self._whole_reports()
        for x, y in sorted(neighbours):
            bound, *_ = search(kept[x], kept[y], level)
            if bound > best:
                best, between, event = bound, (x, y), "searched"
        claimed = self.mechanism.epsilon
        answers = [self.probes[place].answer for place in between]
        figures = {"lower_bound": best, "between": answers, "event": event, "level": level}
        said = f"at least {best:.4f} of {claimed:g}, by {answers[0]!r} against {answers[1]!r}"
        return Verdict("epsilon", best <= claimed, said, figures), best

    def _whole_reports(self) -> list[Reports]:
        """Return the reports that were kept of each answer, all equally wide."""
        width = max(part.shape[1] for some in self._kept for part in some)
        return [
            np.concatenate([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in some])
            for some in self._kept
        ]

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
