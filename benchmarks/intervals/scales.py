"""Numbers on a scale: means, variances, shares, bands, quantiles and cells."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from privet import Scale, Survey
from privet.analysis.scale_estimate import ScaleEstimate

from .study import SIZES, Study
from .truths import NUMBERS, RATINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.analysis.measured import Measured

    from .study import Once, Score
    from .truths import Floats, Population

__all__ = ["STUDIES", "cells_of", "chances_of"]

# This many surveys measure a standard error well enough.
FIRST = 300
# A scale whose numbers lie between centres, one of whole numbers, and ratings.
AGES = Scale(0, 120, bands=[30, 50, 70])
YEARS = Scale(0, 120, whole=True, bands=[30, 50, 70])
RATED = Scale(0, 10, whole=True, bands=[3, 7])
# Single cells of a finer scale are hardly known, and slow to look at a thousand times.
MOST_LOOKED_AT = 20


def cells_of(scale: Scale, truth: Population) -> Floats:
    """Return the probability of each cell, when a coin rounds numbers between centres."""
    places = (truth.numbers - scale.low) / scale.step
    below = np.floor(places + 1e-9).astype(int)
    part = np.clip(places - below, 0, 1) * (below < scale.cells - 1)
    cells = np.bincount(below, truth.shares * (1 - part), minlength=scale.cells)
    above = np.minimum(below + 1, scale.cells - 1)
    cells += np.bincount(above, truth.shares * part, minlength=scale.cells)
    return np.asarray(cells, dtype=np.float64)


@cache
def survey_of(scale: Scale, epsilon: float) -> Survey:
    """Return a survey of numbers on a scale."""
    return Survey("How many?", scale, epsilon, id="numbers")


def chances_of(survey: Survey, truth: Population) -> Floats:
    """Return the probability of each window for a person drawn from the population."""
    scale: Scale = survey.answers  # type: ignore[assignment]
    chances = survey.mechanism.analyst.estimator.chances @ cells_of(scale, truth)  # type: ignore[attr-defined]
    return np.asarray(chances / chances.sum())


def study_of(
    name: str,
    scale: Scale,
    truths: dict[str, Population],
    at_end: float,
    sizes: tuple[int, ...] = SIZES,
) -> Study:
    """Return the study of a scale; the share from `at_end` up is rare in some truths."""

    def trial(truth: Population, epsilon: float, n: int) -> Once:
        survey = survey_of(scale, epsilon)
        chances = chances_of(survey, truth)
        edges = [-np.inf, *scale.bands, np.inf]
        bands = [truth.share(low, high) for low, high in pairwise(edges)]
        places = np.array([0, scale.cells - 1])
        cells = cells_of(scale, truth)[places]
        asked: list[tuple[str, list[Callable[[ScaleEstimate], Measured]], list[float]]] = [
            ("mean", [lambda found: found.mean()], [truth.mean]),
            ("variance", [lambda found: found.variance()], [truth.variance]),
            (
                "bands",
                [lambda found: found.bands()[0][1], lambda found: found.bands()[2][1]],
                [bands[0], bands[2]],
            ),
            (
                "share at the end",
                [lambda found: found.share(at_end, scale.high)],
                [truth.share(at_end, np.inf)],
            ),
            (
                "quantiles",
                [lambda found: found.median(), lambda found: found.quantile(0.9)],
                [truth.quantile(0.5), truth.quantile(0.9)],
            ),
        ]

        def once(random: np.random.Generator, score: Score) -> None:
            found = ScaleEstimate(survey, n, random.multinomial(n, chances))
            for label, measures, right in asked:
                errors = f"{label}, standard error"
                if not (score.wants(label) or score.wants(errors)):
                    continue
                measured = [measure(found) for measure in measures]
                low, high = np.array([one.interval() for one in measured]).T
                score.interval(label, low, high, right)
                if score.wants(errors, FIRST):
                    values = [one.value for one in measured]
                    score.error(errors, values, [one.standard_error for one in measured], right)
            if scale.cells > MOST_LOOKED_AT or not score.wants("cells"):
                return
            low, high = found.interval()
            score.interval("cells", low[places], high[places], cells)
            score.test("an empty cell", found.p_values[places] + (cells > 0))
            if score.wants("cells, standard error", FIRST):
                values, claimed = found.frequencies[places], found.standard_errors[places]
                score.error("cells, standard error", values, claimed, cells)

        return once

    scale_estimate = "privet.analysis.scale_estimate.ScaleEstimate"
    numbers = "privet.analysis.numbers"
    covers = (
        *(f"{scale_estimate}.{one}" for one in ("mean", "variance", "share", "bands", "quantile")),
        *(f"{scale_estimate}.{one}" for one in ("median", "figures", "columns", "numbers")),
        *(f"{scale_estimate}.{one}" for one in ("interval", "standard_errors", "p_values")),
        *(f"{numbers}.Numbers.{one}" for one in ("mean", "variance", "share", "quantile")),
        *(f"{numbers}.Numbers.{one}" for one in ("median", "cells", "cell_errors", "p_values")),
        *(f"privet.analysis.measured.Measured.{one}" for one in ("interval", "standard_error")),
        *(f"privet.analysis.bounded.{one}" for one in ("mean_ends", "lower_ends", "upper_ends")),
        "privet.analysis.bounded.lower_p_values",
    )
    return Study(name, covers, truths, trial, sizes=sizes)


def _whole(truth: Population) -> Population:
    return type(truth).of(np.rint(truth.numbers), truth.shares)


# Years are 121 cells, which take time, without a coin, as ratings are: two truths, fewer people.
SOME = "heaped at tens", "1 % at the high end"
STUDIES = [
    study_of("numbers between centres", AGES, NUMBERS, 119.9),
    study_of(
        "whole numbers", YEARS, {name: _whole(NUMBERS[name]) for name in SOME}, 120, (300, 3000)
    ),
    study_of("ratings from 0 to 10", RATED, RATINGS, 10),
]
