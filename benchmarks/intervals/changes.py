"""Differences between waves, and from known values: of shares, options, means, quantiles, bands."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import Estimate, Scale, Several, Survey, simulate
from privet.analysis.scale_estimate import ScaleEstimate
from privet.mechanisms import ListedSets, OneOption
from privet.sums import changes

from .study import LEVEL, Study
from .truths import CATEGORIES, NUMBERS, RATINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from privet.device.answers.base import Answers
    from privet.sums import Change

    from .study import Once, Score
    from .truths import Population

    Floats = NDArray[np.float64]
    Sets = dict[tuple[int, ...], float]

__all__ = ["STUDIES"]

_OTHER_SIZE = 3  # how many times as many people take part in one of two waves of unequal sizes
_QUANTILES = 0.1, 0.5
# The first and the second category or option, of which one may be large, and one rare.
_PLACES = 0, 1
# Differences of numbers take ten times as long as others. They are made of the intervals of both
# waves, which other studies simulate on all truths and with 30,000 people: here are the truths that
# are most unlike each other, with fewer people.
_HARDEST = "heaped at tens", ".3 % at the high end"
_HARDEST_RATINGS = "heaped at 0, 5, 10", ".3 % at the high end"
_FEWER = 300, 3000
# Sets of five options with their shares.
_OPTIONS: dict[str, Sets] = {
    "flat": {(0,): 0.2, (1,): 0.2, (2, 3): 0.2, (1, 4): 0.2, (): 0.2},
    "a giant": {(0,): 0.6, (0, 1): 0.3, (2,): 0.05, (3, 4): 0.05},
    "all in one": {(0,): 1.0},
    "1 % in the second": {(0,): 0.99, (0, 1): 0.01},
    ".3 % in the second": {(2,): 0.997, (1, 2): 0.003},
}


def _waves(
    truths: Mapping[str, Any], *pairs: tuple[str, str], twice: Iterable[str] | None = None
) -> dict[str, tuple[Any, Any]]:
    """Return truths twice, all or some, where nothing changes, and pairs of different ones."""
    same = {name: (truths[name], truths[name]) for name in (truths if twice is None else twice)}
    return same | {f"{a}, then {b}": (truths[a], truths[b]) for a, b in pairs}


@cache
def _survey(answers: Answers | tuple[str, ...], epsilon: float) -> Survey:
    return Survey("?", answers, epsilon, id="changes")


def _score(score: Score, label: str, found: list[Change], truth: Floats, *, null: bool) -> None:
    """Score intervals, and errors, and whether they exclude 0 where nothing changed."""
    low, high = np.array([one.interval(LEVEL) for one in found]).T
    score.interval(label, low, high, truth)
    if null:  # p <= 1 − LEVEL exactly where 0 is not in the interval
        score.test(label + ", p", np.where((low > 0) | (high < 0), 0.0, 1.0))


# --- categories and options -----------------------------------------------------------------------


def _of_categories(truth: tuple[Floats, Floats], epsilon: float, n: int) -> Once:
    survey = _survey(tuple(f"c{i}" for i in range(len(truth[0]))), epsilon)

    def draw(shares: Floats, people: int, random: np.random.Generator) -> Estimate:
        crowd = random.multinomial(people, shares)
        return Estimate(survey, people, simulate.counts(survey.mechanism, crowd, random))

    return _of_shares(truth, n, draw)


def _of_options(truth: tuple[Sets, Sets], epsilon: float, n: int) -> Once:
    survey = _survey(Several(("a", "b", "c", "d", "e"), 2), epsilon)
    mechanism: Any = survey.mechanism

    def draw(sets: Sets, people: int, random: np.random.Generator) -> Estimate:
        """Draw the counts by their exact law, or that of each count by itself."""
        if isinstance(mechanism, ListedSets):
            g, h = map(float, mechanism.listed.hit_rates)
            chances = np.full(len(mechanism.sets), h)
            for options, share in sets.items():
                chances[mechanism.sets.index(options)] += share * (g - h)
            counts = mechanism.counts(random.multinomial(people, chances / chances.sum()))
            return Estimate(survey, people, counts)
        g, h = map(float, mechanism.hit_rates)
        rates = h + _options_of(sets) * (g - h)
        if isinstance(mechanism, OneOption):
            asked = random.multinomial(people, np.full(len(rates), 1 / len(rates)))
            return Estimate(survey, people, np.stack((random.binomial(asked, rates), asked), 1))
        return Estimate(survey, people, random.binomial(people, rates))

    return _of_shares(truth, n, draw, _options_of)


def _options_of(sets: Sets) -> Floats:
    """Return the share of each option."""
    return np.array([sum(sets[s] for s in sets if option in s) for option in range(5)])


def _of_shares(truth: tuple[Any, Any], n: int, draw: Any, shares_of: Any = np.array) -> Once:
    (first, second), places = truth, list(_PLACES)
    was, now = shares_of(first), shares_of(second)
    differences, null = (now - was)[places], first is second

    def once(random: np.random.Generator, score: Score) -> None:
        before, after = draw(first, n, random), draw(second, n, random)
        many = draw(first, _OTHER_SIZE * n, random)
        names = [after.survey.categories[i] for i in places]
        for label, one in (("equal sizes", before), ("unequal sizes", many)):
            found = [after.change(one, name) for name in names]
            _score(score, label, found, differences, null=null)
        together, known = changes(before, after, LEVEL), changes(was, after, LEVEL)
        for label, table in (("all at once", together), ("all at once, known", known)):
            missed = (table.low > now - was + 1e-12) | (now - was - 1e-12 > table.high)
            score.interval(label, -inf, 0.0, float(missed.any()))
            if null:  # p <= 1 − LEVEL exactly where a row is found
                score.test(label + ", p", 0.0 if table.found.any() else 1.0)

    return once


# --- scales ---------------------------------------------------------------------------------------


def _chances(survey: Survey, truth: Population) -> Floats:
    """Return how likely each window is, if people are drawn from the truth."""
    scale: Any = survey.answers
    places = (truth.numbers - scale.low) / scale.step
    below = np.minimum(places.astype(int), scale.cells - 2)
    cells = np.bincount(below, truth.shares * (1 - places + below), scale.cells)
    cells += np.bincount(below + 1, truth.shares * (places - below), scale.cells)
    chances: Floats = survey.mechanism.analyst.estimator.chances @ cells
    return chances / chances.sum()


def _bands(scale: Scale, truth: Population) -> Floats:
    ends = [-inf, *scale.bands, inf]
    return np.array([truth.share(low, high) for low, high in pairwise(ends)])


def _of_scale(scale: Scale) -> Any:
    def trial(truth: tuple[Population, Population], epsilon: float, n: int) -> Once:
        survey = _survey(scale, epsilon)
        first, second = truth
        laws = {id(one): _chances(survey, one) for one in truth}
        of_mean = second.mean - first.mean
        of_quantiles = np.array([second.quantile(q) - first.quantile(q) for q in _QUANTILES])
        of_bands = (_bands(scale, second) - _bands(scale, first))[:2]
        null = first is second

        def draw(one: Population, people: int, random: np.random.Generator) -> ScaleEstimate:
            return ScaleEstimate(survey, people, random.multinomial(people, laws[id(one)]))

        def once(random: np.random.Generator, score: Score) -> None:
            # Waves are of unequal sizes where nothing changes, and of equal ones where it does.
            before = draw(first, _OTHER_SIZE * n if null else n, random)
            after = draw(second, n, random)
            found = after.change(before)
            size = "unequal" if null else "equal"
            _score(score, f"mean, {size} sizes", [found.mean()], np.array([of_mean]), null=null)
            quantiles = [found.quantile(q) for q in _QUANTILES]
            _score(score, f"quantiles, {size} sizes", quantiles, of_quantiles, null=null)
            bands = [band for _, band in found.bands()[:2]]
            _score(score, f"bands, {size} sizes", bands, of_bands, null=null)
            known = after.change({"mean": first.mean})
            _score(score, "mean, known", [known.mean()], np.array([of_mean]), null=null)

        return once

    return trial


_CHANGE = tuple(
    f"privet.analysis.sums.independent.Change.{name}"
    for name in ("interval", "p_value", "standard_error", "before", "after")
)
_SHARES = (
    *_CHANGE,
    "privet.analysis.estimate.Estimate.change",
    "privet.analysis.sums.changes.change",
    "privet.analysis.sums.changes.changes",
    *(
        f"privet.analysis.sums.changes.Changes.{name}"
        for name in ("low", "high", "found", "p_values")
    ),
)
_FIGURES = (
    *_CHANGE,
    *(
        f"privet.analysis.sums.scale_changes.ScaleChanges.{name}"
        for name in ("mean", "median", "quantile", "share", "bands", "figures", "table")
    ),
)

STUDIES = [
    Study(
        "changes of categories",
        _SHARES,
        _waves(CATEGORIES, (".3 % in the second", "flat"), ("a giant", "three, nine empty")),
        _of_categories,
    ),
    Study(
        "changes of options",
        _SHARES,
        _waves(_OPTIONS, (".3 % in the second", "flat"), ("a giant", "1 % in the second")),
        _of_options,
    ),
    Study(
        "changes of numbers",
        _FIGURES,
        _waves(
            NUMBERS,
            ("heaped at tens", "four spikes"),
            ("all at the low end", "exponential"),
            twice=_HARDEST,
        ),
        _of_scale(Scale(0, 120, 24)),  # as differences of 64 cells take three times as long
        sizes=_FEWER,
    ),
    Study(
        "changes of ratings",
        _FIGURES,
        _waves(
            RATINGS,
            ("heaped at 0, 5, 10", "one peak"),
            ("all at the high end", ".3 % at the high end"),
            twice=_HARDEST_RATINGS,
        ),
        _of_scale(Scale(0, 10, whole=True, bands=[1, 5, 9])),
        sizes=_FEWER,
    ),
]
