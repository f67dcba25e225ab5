"""Shares of categories, their sums, comparisons and ranks: is what is said of them so?

People are drawn anew from the truth for every survey, and their counts from the mechanism's exact
law (`privet.analysis.laws`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet import Estimate, Survey, mechanisms, poisoning, refine, sums
from privet.analysis.laws import draw_counts
from privet.entropy import Entropy

from .study import Study
from .truths import CATEGORIES, shares_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from .study import Once, Score
    from .truths import Floats

__all__ = ["STUDIES"]

# The categories whose intervals are kept: the first four, which differ, and one of the others.
KEPT = [0, 1, 2, 3, 11]


def _survey(mechanism: str, epsilon: float, size: int, name: str = "study") -> Survey:
    return Survey("?", [f"c{i}" for i in range(size)], epsilon, mechanism=mechanism, id=name)


def _drawing(survey: Survey, n: int, truth: Floats) -> Callable[[Generator], Any]:
    """Return what draws people and their counts, and returns the estimate and the people."""

    def draw(random: Generator) -> tuple[Estimate, Floats]:
        people = random.multinomial(n, truth)
        return Estimate(survey, n, draw_counts(survey.mechanism, people, random)), people / n

    return draw


def _holds(score: Score, label: str, kept: bool) -> None:
    """Count a promise that is not about a number."""
    score.interval(label, 0.0, 1.0, 0.5 if kept else 2.0)


def _truths(*names: str) -> dict[str, Floats]:
    return {name: CATEGORIES[name] for name in names or CATEGORIES}


# --- shares ---------------------------------------------------------------------------------------


def _shares(truth: Floats, epsilon: float, n: int) -> Once:
    draw = _drawing(_survey("auto", epsilon, len(truth)), n, truth)
    empty = np.flatnonzero(truth == 0)[:3]
    crowd = np.random.default_rng(1).multinomial(3 * n, truth)

    def once(random: Generator, score: Score) -> None:
        estimate, people = draw(random)
        if score.wants("population"):
            low, high = estimate.interval()
            score.interval("population", low[KEPT], high[KEPT], truth[KEPT])
        if score.wants("sample"):
            low, high = estimate.interval(target="sample")
            score.interval("sample", low[KEPT], high[KEPT], people[KEPT])
        if score.wants("all at once"):
            low, high = estimate.interval(simultaneous=True)
            _holds(score, "all at once", bool(((low <= truth) & (truth <= high)).all()))
        if score.wants("shrunk"):
            low, high = estimate.posterior.interval()
            score.interval("shrunk", low[KEPT], high[KEPT], truth[KEPT])
        score.error(
            "standard error",
            estimate.frequencies[KEPT],
            estimate.standard_errors[KEPT],
            truth[KEPT],
        )
        if len(empty):
            score.test("nobody holds it", estimate.p_values[empty])
            found = estimate.found()
            false = found[truth == 0].sum() / max(found.sum(), 1)
            score.test("false discoveries", float(random.random() >= false))  # at their mean rate
        if not score.wants("three times as many"):
            return
        few = random.multivariate_hypergeometric(crowd, n)
        part = Estimate(estimate.survey, n, draw_counts(estimate.survey.mechanism, few, random))
        low, high = part.interval(target=3 * n)
        score.interval("three times as many", low[KEPT], high[KEPT], (crowd / (3 * n))[KEPT])

    return once


def _remainder(truth: Floats, epsilon: float, n: int) -> Once:
    draw = _drawing(_survey("auto", epsilon, len(truth)), n, truth)

    def once(random: Generator, score: Score) -> None:
        estimate, _ = draw(random)
        rest = estimate.remainder()
        if rest is None:  # as it is where counts are small
            score.withheld("not found")
        else:
            score.interval("not found", rest.low, rest.high, truth[~estimate.found()].sum())

    return once


MANY = {
    "Zipf, 100": shares_of(*(1 / np.arange(1, 101))),
    "flat, 100": shares_of(*[1] * 100),
    "five giants, 95 rare": shares_of(*[0.18] * 5, *[0.1 / 95] * 95),
}


# --- sums -----------------------------------------------------------------------------------------

SOME = ["c0"], ["c1"], ["c1", "c2"], ["c2", "c5", "c7"], ["c0", "c1", "c2", "c3", "c4"]


def _totals(truth: Floats, epsilon: float, n: int) -> Once:
    draw = _drawing(_survey("auto", epsilon, len(truth)), n, truth)
    sets = [[int(name[1:]) for name in names] for names in SOME]
    population = np.array([truth[one].sum() for one in sets])

    def once(random: Generator, score: Score) -> None:
        estimate, people = draw(random)
        totals = [estimate.total(names) for names in SOME]
        values = np.array([(one.value, one.standard_error) for one in totals]).T
        score.error("standard error", *values, population)
        if score.wants("population"):
            ends = np.array([one.interval() for one in totals]).T
            score.interval("population", *ends, population)
        if score.wants("sample"):
            of_sample = [estimate.total(names, target="sample") for names in SOME]
            ends = np.array([one.interval() for one in of_sample]).T
            score.interval("sample", *ends, [people[one].sum() for one in sets])

    return once


DIFFERENT = (["c0"], ["c1"]), (["c1"], ["c2"]), (["c2"], ["c3", "c4"]), (["c0", "c2"], ["c1"])


def _differences(truth: Floats, epsilon: float, n: int) -> Once:
    draw = _drawing(_survey("auto", epsilon, len(truth)), n, truth)
    later = np.roll(truth, 1) * 0.2 + truth * 0.8
    draw_later = _drawing(_survey("auto", epsilon, len(truth), "later"), n, later)
    pairs = [[[int(name[1:]) for name in names] for names in pair] for pair in DIFFERENT]

    def apart(shares: Floats) -> Floats:
        return np.array([shares[a].sum() - shares[b].sum() for a, b in pairs])

    def once(random: Generator, score: Score) -> None:
        estimate, people = draw(random)
        if score.wants("population"):
            found = [estimate.difference(a, b) for a, b in DIFFERENT]
            ends = np.array([one.interval() for one in found]).T
            score.interval("population", *ends, apart(truth))
        if score.wants("sample"):
            found = [estimate.difference(a, b, target="sample") for a, b in DIFFERENT[:2]]
            ends = np.array([one.interval() for one in found]).T
            score.interval("sample", *ends, apart(people)[:2])
        other, _ = draw_later(random)
        if not score.wants("change") and not score.wants("standard error of a change"):
            return
        found = [other.change(estimate, name) for name in (["c0"], ["c1"], ["c1", "c2"], ["c4"])]
        grown = later - truth
        true = np.array([grown[0], grown[1], grown[1] + grown[2], grown[4]])
        score.interval("change", *np.array([one.interval() for one in found]).T, true)
        values = np.array([(one.value, one.standard_error) for one in found]).T
        score.error("standard error of a change", *values, true)

    return once


# --- tests and ranks ------------------------------------------------------------------------------


def _tests(truth: Floats, epsilon: float, n: int) -> Once:
    draws = [
        _drawing(_survey("auto", epsilon, len(truth), name), size, truth)
        for name, size in (("one", n), ("two", n // 2))
    ]

    def once(random: Generator, score: Score) -> None:
        (one, _), (two, _) = (draw(random) for draw in draws)
        fit, alike = sums.fit(one, truth), sums.homogeneity(one, two)
        score.test("fit", fit.p_value)
        score.test("fit, any category", min(fit.by_category.values()))
        score.test("homogeneity", alike.p_value)
        score.test("homogeneity, any category", min(alike.by_category.values()))

    return once


def _ranks(truth: Floats, epsilon: float, n: int) -> Once:
    draw = _drawing(_survey("auto", epsilon, len(truth)), n, truth)
    above = (truth[:, None] < truth).sum(axis=1)
    below = (truth[:, None] > truth).sum(axis=1)
    names = np.array([f"c{i}" for i in range(len(truth))])

    def once(random: Generator, score: Score) -> None:
        estimate, _ = draw(random)
        low, high = estimate.ranks()
        _holds(
            score, "ranks", bool((low <= above + 1).all() and (high >= len(truth) - below).all())
        )
        for k in (1, 3):
            found, least = estimate.top(k), np.sort(truth)[-k]
            large = set(names[truth >= least])
            kept = large <= set(found.possible) and set(found.certain) <= large
            _holds(score, f"top {k}", kept)
        lead = sums.lead(estimate)
        _holds(score, "lead", set(names[truth == truth.max()]) <= set(lead.possible))
        first = int(np.argmax(estimate.frequencies))
        true = truth[first] - truth[int(lead.second[1:])]
        score.interval("margin", lead.value - lead.margin, lead.value + lead.margin, true)

    return once


# --- reports, honest and likeliest ----------------------------------------------------------------


def _honest(truth: Floats, epsilon: float, n: int) -> Once:
    size = 20
    crowd = np.zeros(size)
    crowd[: len(truth)] = truth
    subsets = mechanisms.KSubset(size, epsilon, k=5)
    design = _survey("cyclotomic", epsilon, size)

    def once(random: Generator, score: Score) -> None:
        people = random.choice(size, size=n, p=crowd)
        entropy = Entropy(random.bytes(32))
        for found in poisoning.check_reports(subsets, [subsets.randomize(people, entropy=entropy)]):
            score.test(f"{found.test} of sets", found.p_value)
        tally = design.tally()
        tally.update(design.mechanism.randomize(people, entropy=Entropy(random.bytes(32))))
        for found in poisoning.check(tally):
            score.test(f"{found.test} of a design", found.p_value)

    return once


def _likeliest(truth: Floats, epsilon: float, n: int) -> Once:
    mechanism = mechanisms.MultivariateRR(len(truth), epsilon)

    def once(random: Generator, score: Score) -> None:
        counts = draw_counts(mechanism, random.multinomial(n, truth), random)
        found = refine.maximum_likelihood(mechanism, counts, tolerance=1e-7, max_iterations=300)
        errors = found.standard_errors[KEPT]
        score.error("standard error", found.frequencies[KEPT], errors, truth[KEPT])

    return once


# --- other mechanisms -----------------------------------------------------------------------------

MAKE = {
    "MultivariateRR": mechanisms.MultivariateRR,
    "Cyclotomic": mechanisms.Cyclotomic,
    "Hadamard": mechanisms.Hadamard,
    "OptimizedUnary": mechanisms.OptimizedUnary,
    "BinaryRR": mechanisms.BinaryRR,
    "LocalHash": mechanisms.LocalHash,
    "OneBit": mechanisms.OneBit,
    "HashedRR": mechanisms.HashedRR,
    "Rappor": mechanisms.Rappor,
    "GeometricNoise": mechanisms.GeometricNoise,
}


def _others(case: tuple[str, Floats], epsilon: float, n: int) -> Once:
    name, truth = case
    survey = _survey(MAKE[name](len(truth), epsilon), epsilon, len(truth))  # type: ignore[arg-type]
    draw, empty = _drawing(survey, n, truth), np.flatnonzero(truth == 0)[:3]

    def once(random: Generator, score: Score) -> None:
        estimate, people = draw(random)
        low, high = estimate.interval()
        score.interval("population", low[KEPT], high[KEPT], truth[KEPT])
        low, high = estimate.interval(target="sample")
        score.interval("sample", low[KEPT], high[KEPT], people[KEPT])
        score.error(
            "standard error",
            estimate.frequencies[KEPT],
            estimate.standard_errors[KEPT],
            truth[KEPT],
        )
        if len(empty):
            score.test("nobody holds it", estimate.p_values[empty])
        low, high = estimate.total(["c1", "c2", "c3"]).interval()
        score.interval("total", low, high, truth[1:4].sum())
        low, high = estimate.difference("c0", "c1").interval()
        score.interval("difference", low, high, truth[0] - truth[1])

    return once


# --- groups ---------------------------------------------------------------------------------------


def _weighted(truth: Floats, epsilon: float, n: int) -> Once:
    survey = _survey("auto", epsilon, len(truth))
    other = np.roll(truth, 2) * 0.3 + truth * 0.7
    groups = {"a": (0.6, 0.75, truth), "b": (0.3, 0.2, other), "c": (0.1, 0.05, truth)}
    draws = {g: _drawing(survey, int(n * part), t) for g, (_, part, t) in groups.items()}
    crowd = sum(weight * t for weight, _, t in groups.values())
    shares = {g: weight for g, (weight, _, _) in groups.items()}

    def once(random: Generator, score: Score) -> None:
        both = sums.poststratify({g: draw(random)[0] for g, draw in draws.items()}, shares)
        low, high = both.interval()
        score.interval("shares", low[KEPT], high[KEPT], crowd[KEPT])
        score.error(
            "standard error", both.frequencies[KEPT], both.standard_errors[KEPT], crowd[KEPT]
        )
        empty = np.flatnonzero(crowd == 0)[:3]
        if len(empty):
            score.test("nobody holds it", both.p_values[empty])
        totals = [both.total(names) for names in (["c1"], ["c1", "c2"], ["c3", "c5", "c7"])]
        true = [crowd[1], crowd[1] + crowd[2], crowd[3] + crowd[5] + crowd[7]]
        score.interval("totals", *np.array([one.interval() for one in totals]).T, true)

    return once


ESTIMATE = "privet.analysis.estimate.Estimate"
STUDIES = [
    Study(
        "shares of categories",
        (
            f"{ESTIMATE}.interval",
            f"{ESTIMATE}.standard_errors",
            f"{ESTIMATE}.p_values",
            f"{ESTIMATE}.posterior",
            "privet.analysis.shown.Shown.found",
            "privet.analysis.estimator.HitRates.interval",
            "privet.analysis.estimator.HitRates.p_values",
            "privet.analysis.presence.clopper_pearson",
            "privet.device.mechanisms.forwards.Estimated.interval",
            "privet.analysis.refine.posterior.Shrunk.interval",
            "privet.analysis.refine.shrinkage.shrink",
        ),
        _truths(),
        _shares,
    ),
    Study(
        "what is not found",
        (
            f"{ESTIMATE}.remainder",
            "privet.analysis.remainder.remainder",
            "privet.analysis.remainder.Remainder.low",
            "privet.analysis.remainder.Remainder.high",
        ),
        {**_truths(".3 % in the second", "three, nine empty"), **MANY},
        _remainder,
    ),
    Study(
        "totals of categories",
        (
            f"{ESTIMATE}.total",
            "privet.analysis.sums.totals.total",
            "privet.analysis.hits.Hits.interval",
            "privet.analysis.hits.Hits.matched",
            "privet.analysis.sums.totals.Total.interval",
            "privet.analysis.sums.totals.Total.standard_error",
        ),
        _truths(),
        _totals,
    ),
    Study(
        "differences of categories",
        (
            f"{ESTIMATE}.difference",
            "privet.analysis.sums.totals.difference",
            "privet.analysis.sums.totals.Difference.first",
            "privet.analysis.sums.totals.Difference.second",
            f"{ESTIMATE}.change",
            "privet.analysis.sums.totals.Difference.interval",
            "privet.analysis.sums.totals.Difference.standard_error",
        ),
        _truths(),
        _differences,
    ),
    Study(
        "tests of shares",
        (
            "privet.analysis.sums.fit.fit",
            "privet.analysis.sums.homogeneity.homogeneity",
            "privet.analysis.sums.calibration.Tested.p_value",
            "privet.analysis.sums.calibration.Tested.by_category",
            f"{ESTIMATE}.homogeneity",
        ),
        _truths("flat", "three, nine empty", "1 % in the second"),
        _tests,
        sizes=(300, 3000),
    ),
    Study(
        "ranks",
        (
            f"{ESTIMATE}.ranks",
            f"{ESTIMATE}.top",
            "privet.analysis.sums.ranks.ranks",
            "privet.analysis.sums.ranks.top",
            "privet.analysis.sums.ranks.lead",
            "privet.analysis.sums.ranks.Lead.margin",
        ),
        {
            **_truths("flat", "a giant", "three, nine empty"),
            "two equal": shares_of(9, 9, *[1] * 10),
        },
        _ranks,
    ),
    Study(
        "honest reports",
        (
            "privet.poisoning.diagnostics.check",
            "privet.poisoning.diagnostics.check_counts",
            "privet.poisoning.diagnostics.check_reports",
            "privet.poisoning.diagnostics.Finding.p_value",
        ),
        _truths("flat", "a giant"),
        _honest,
        epsilons=(1,),
        sizes=(300, 3000),
    ),
    Study(
        "likeliest shares",
        (
            "privet.analysis.refine.likelihood.maximum_likelihood",
            "privet.analysis.refine.likelihood.Likelihood.standard_errors",
        ),
        _truths("flat"),  # elsewhere shares are at 0, which the errors do not allow for
        _likeliest,
        sizes=(300, 3000),
    ),
    Study(
        "other mechanisms",
        (
            "privet.analysis.estimator.Estimator.interval",
            "privet.analysis.estimator.Estimator.p_values",
            "privet.analysis.estimator.Estimator.standard_errors",
            "privet.analysis.hits.Hits.p_values",
        ),
        {
            f"{name}, {truth}": (name, CATEGORIES[truth])
            for name in MAKE
            for truth in ("a giant", "three, nine empty", ".3 % in the second")
        },
        _others,
        sizes=(300, 3000),
    ),
    Study(
        "weighted groups",
        (
            "privet.analysis.sums.strata.poststratify",
            "privet.analysis.sums.strata.Poststratified.interval",
            "privet.analysis.sums.strata.Poststratified.p_values",
            "privet.analysis.sums.strata.Poststratified.found",
            "privet.analysis.sums.strata.Poststratified.total",
            "privet.analysis.sums.strata.Poststratified.standard_errors",
            "privet.analysis.sums.strata.WeightedTotal.interval",
            "privet.analysis.sums.strata.WeightedTotal.standard_error",
        ),
        _truths("a giant", "1 % in the second", ".3 % in the second"),
        _weighted,
        sizes=(300, 30_000),
    ),
]
