"""Methods that do not hold, each in a cell where the campaign must notice.

They are those of version 0.2: they trust the spread of the reports at hand, forget what a coin
rounds across a border, or take what a smooth fit hides for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privet.analysis.refine import smooth as fitting
from privet.mechanisms import KSubset
from privet.simulate import counts as draw_counts

from .scales import AGES, RATED, cells_of, chances_of, survey_of
from .study import Study
from .truths import CATEGORIES, NUMBERS, RATINGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet import Scale

    from .study import Once, Score
    from .truths import Floats, Population

__all__ = ["CONTROLS"]

_REACH = 1.959964


def _students(worth: Floats, windows: NDArray[np.int64]) -> tuple[float, float]:
    """Return the ends of the normal interval for the mean worth of reports."""
    shares = windows / windows.sum()
    value = shares @ worth
    reach = _REACH * np.sqrt(max(shares @ worth**2 - value**2, 0) / windows.sum())
    return float(value - reach), float(value + reach)


def _shares_by_borders(scale: Scale, low: float, high: float) -> object:
    """Return a trial of the share between the nearest borders of cells, with Student's ends."""

    def trial(truth: Population, epsilon: float, n: int) -> Once:
        survey = survey_of(scale, epsilon)
        chances, right = chances_of(survey, truth), truth.share(low, high)
        borders = survey.mechanism.analyst.estimator.borders  # type: ignore[attr-defined]
        start, step = scale.edges[0], scale.step
        first, last = (round((min(one, scale.edges[1]) - start) / step) for one in (low, high))
        worth = borders[:, last] - borders[:, first]

        def once(random: np.random.Generator, score: Score) -> None:
            windows = random.multinomial(n, chances)
            score.interval("share", *_students(worth, windows), right)

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
        "shares between borders, heaps",
        (),
        {"heaped at tens": NUMBERS["heaped at tens"]},
        _shares_by_borders(AGES, -1, 30),  # type: ignore[arg-type]
        (4,),
        (3000, 30_000),
    ),
    Study(
        "Student's shares, rare ratings",
        (),
        {"1 % at the high end": RATINGS["1 % at the high end"]},
        _shares_by_borders(RATED, 9.5, 10.5),  # type: ignore[arg-type]
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
