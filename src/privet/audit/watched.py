"""Visits to a page, with answers in random order: a client of its reports, and a verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from ..device.contract import Contract
from .browsing import Page
from .result import Verdict
from .subjects import Probe
from .traces import search

__all__ = ["Watched"]

_SHOWN, _LISTED = 3, 50  # traces in words, and in figures


class Watched:
    """What many new devices left behind, each of which gave one of the answers.

    Answers are independent and equally likely: so nothing that changes in the course of an audit,
    such as a service's clock, can seem to depend on them. `least` is how many gave the answer that
    was given least often.
    """

    def __init__(
        self,
        page: Page,
        probes: Sequence[Probe],
        trials: int,
        rng: Generator,
        advance: Callable[[int], object],
    ) -> None:
        self._probes = probes
        self._asked = rng.integers(len(probes), size=trials * len(probes))
        self._visits = []
        for visit in page.visits([probes[place].answer for place in self._asked]):
            self._visits.append(visit)
            advance(1)
        self.survey: Contract = page.survey
        self.least = int(np.bincount(self._asked, minlength=len(probes)).min())
        self._reports = [
            iter([self._visits[i].report for i in np.flatnonzero(self._asked == place)])
            for place in range(len(probes))
        ]

    def reports(self, answers: Sequence[Any]) -> list[bytes]:
        """Return the next reports of visits with these answers."""
        places = [probe.answer for probe in self._probes]
        return [next(self._reports[places.index(answer)]) for answer in answers]

    def repeats(self, answer: Any, times: int) -> list[bytes]:
        """Return nothing: the page itself is asked again."""
        return []

    def verdict(self, alpha: float) -> Verdict:
        """Return whether anything besides the report depends on the answer."""
        found = search(self._visits, self._asked, self._probes, self.survey, alpha)
        looked = f"{found.tests:,} looks at {found.parts:,} parts of {len(self._visits):,} visits"
        figures: dict[str, Any] = {
            "visits": len(self._visits), "parts": found.parts, "tests": found.tests,
            "level": found.level, "traces": [one._asdict() for one in found.traces[:_LISTED]],
        }  # fmt: skip
        if not found.traces:
            return Verdict("page", True, looked, figures)
        said = "; ".join(map(str, found.traces[:_SHOWN]))
        more = len(found.traces) - _SHOWN
        said += f"; and {more} other parts" if more > 0 else ""
        return Verdict("page", False, f"{said} ({looked})", figures)
