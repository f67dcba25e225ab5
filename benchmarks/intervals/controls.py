"""Methods that do not hold, each in a cell where the campaign must notice.

They are those of version 0.2: they trust the spread of the reports at hand, forget what a coin
rounds across a border, or take the noise of a smooth fit or of a blurred border for the whole
error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.analysis.ramps import ramps_of
from privet.analysis.refine import smooth as fitting
from privet.mechanisms import KSubset
from privet.simulate import counts as draw_counts

from .scales import AGES, RATED, cells_of, chances_of, survey_of
from .study import Study
from .truths import CATEGORIES, NUMBERS, RATINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privet import Scale

    from .study import Once, Score
    from .truths import Floats, Population

    Trial = Callable[[Population, float, int], Once]

__all__ = ["CONTROLS"]

_REACH = 1.959964


def _students(worth: Floats, windows: NDArray[np.int64]) -> tuple[float, float]:
    """Return the ends of the normal interval for the mean worth of reports."""
    shares = windows / windows.sum()
    value = shares @ worth
    reach = _REACH * np.sqrt(max(shares @ worth**2 - value**2, 0) / windows.sum())
    return float(value - reach), float(value + reach)


def _shares_by_ramps(scale: Scale, low: float, high: float, *, middle: bool = False) -> Trial:
    """Return a trial of a share, from the ramp within it to the ramp around it, or their mean."""

    def trial(truth: Population, epsilon: float, n: int) -> Once:
        survey = survey_of(scale, epsilon)
        chances, right = chances_of(survey, truth), truth.share(low, high)
        start, step = scale.edges[0], scale.step
        first, last = (round((min(one, scale.edges[1]) - start) / step) for one in (low, high))
        ramps = ramps_of(survey.mechanism, n)  # type: ignore[arg-type]
        inner, outer = (ramps.between(first, last, inside=inside) for inside in (True, False))
        if middle:
            inner = outer = (inner + outer) / 2

        def once(random: np.random.Generator, score: Score) -> None:
            windows = random.multinomial(n, chances)
            ends = _students(inner, windows)[0], _students(outer, windows)[1]
            score.interval("share", *ends, right)

        return once

    return trial


def _noise_only_band(truth: Population, epsilon: float, n: int) -> Once:
    """Prepare the smooth fit of ratings, with the errors of its noise alone."""
    survey = survey_of(RATED, epsilon)
    chances, cells = chances_of(survey, truth), cells_of(RATED, truth)
    matrix = survey.mechanism.analyst.estimator.chances  # type: ignore[attr-defined]

    def once(random: np.random.Generator, score: Score) -> None:
        windows = random.multinomial(n, chances)
        found = fitting.smooth(survey.mechanism, windows)  # type: ignore[arg-type]
        law = matrix @ found
        again = random.multinomial(n, law / law.sum(), size=5)  # a bootstrap of the fit
        drawn = [fitting.smooth(survey.mechanism, one) for one in again]  # type: ignore[arg-type]
        spread = np.std(drawn, axis=0, ddof=1)
        score.interval("cells", found - _REACH * spread, found + _REACH * spread, cells)

    return once


def _wald(truth: Floats, epsilon: float, n: int) -> Once:
    """Prepare Wald's interval for the shares of categories."""
    mechanism = KSubset(len(truth), epsilon)

    def once(random: np.random.Generator, score: Score) -> None:
        people = random.multinomial(n, truth)
        counts = draw_counts(mechanism, people, random.integers(1 << 62))
        shares = mechanism.frequencies(counts, n)
        reach = _REACH * np.sqrt(mechanism.variance(np.clip(shares, 0, 1), n))
        score.interval("shares", shares - reach, shares + reach, truth)

    return once


CONTROLS = [
    Study(
        "ramps without what a coin moves, heaps",
        (),
        {"heaped at tens": NUMBERS["heaped at tens"]},
        _shares_by_ramps(AGES, 0, 30),
        (4,),
        (3000, 30_000),
    ),
    Study(
        "means of ramps and their noise, smooth numbers",
        (),
        {"normal": NUMBERS["normal"]},
        _shares_by_ramps(AGES, 30, 60, middle=True),
        (1,),
        (300,),
    ),
    Study(
        "Student's shares, rare ratings",
        (),
        {"1 % at the high end": RATINGS["1 % at the high end"]},
        _shares_by_ramps(RATED, 9.5, 10.5),
        (8,),
        (300,),
    ),
    Study(
        "a smooth fit and its noise, heaps",
        (),
        {"heaped at 0, 5, 10": RATINGS["heaped at 0, 5, 10"]},
        _noise_only_band,
        (1,),
        (3000,),
    ),
    Study(
        "Wald's shares, empty categories",
        (),
        {".3 % in the second": CATEGORIES[".3 % in the second"]},
        _wald,
        (8,),
        (300,),
    ),
]
