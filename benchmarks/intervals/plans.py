"""Plans and audits: what a plan promises is what surveys show, and bounds on ε hold.

A promised margin is compared in both directions with the half-lengths of simulated intervals: as a
standard error is with the real one, each must be at least nine tenths of the other. For categories
and options the simulated surveys are averaged a few at a time, because the end of a single interval
varies by half its own length.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from privet import Questionnaire, Scale, Several, Survey
from privet.analysis.scale_estimate import ScaleEstimate
from privet.audit import audit
from privet.audit.bounds import lower_bound
from privet.audit.subjects import Direct
from privet.entropy import Entropy
from privet.mechanisms import Exclusive, KSubset, ListedSets, MultivariateRR, OneOption, SetSubset
from privet.plan import Plan, ScalePlan, plan_questionnaire
from privet.plan.planning import plan_with

from .study import LEVEL, Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.device.mechanisms.base import Mechanism

    from .study import Once, Score

__all__ = ["STUDIES"]

_TOGETHER = 20
# Intervals around the middle are seldom cut off where they are promised to reach no further.
_UNCUT = 0.3


def _compared(score: Score, what: str, shown: float, promised: float, *, cut: bool = False) -> None:
    """Compare a promise with what is shown, in both directions.

    Intervals that are cut off at the ends of what is possible may be shorter than promised.
    """
    score.error(f"{what} promised is enough", shown, promised, 0.0)
    if cut:
        score.withheld(f"{what} promised is reached", "error")
    else:
        score.error(f"{what} promised is reached", promised, shown, 0.0)


def _of_shares(made: Callable[[float], Mechanism], epsilon: float, n: int) -> Once:
    """Simulate options that nobody holds, and that half of all people hold."""
    mechanism = cast("Any", made(epsilon))
    one = isinstance(mechanism, Exclusive)
    answers = mechanism.d if one else _several(mechanism.d, mechanism.most)
    promised = cast("Plan", plan_with(answers, mechanism, n, LEVEL))
    g, h = map(float, mechanism.hit_rates)

    def drawn(random: np.random.Generator, theta: float) -> np.ndarray:
        if isinstance(mechanism, OneOption):
            asked = random.binomial(n, 1 / mechanism.d, _TOGETHER)
            return np.stack([random.binomial(asked, h + theta * (g - h)), asked], axis=1)
        return random.binomial(n, h + theta * (g - h), _TOGETHER)

    def once(random: np.random.Generator, score: Score) -> None:
        counts, common = drawn(random, 0.0), drawn(random, 0.5)
        _, high = mechanism.interval(counts, n, 1 - LEVEL, "population")
        reach = np.clip(high, 0, 1) - np.clip(mechanism.frequencies(counts, n), 0, 1)
        _compared(score, "margin", float(reach.mean()), promised.margin)
        ends = np.clip(mechanism.interval(common, n, 1 - LEVEL, "population"), 0, 1)
        half = float((ends[1] - ends[0]).mean() / 2)
        _compared(score, "common margin", half, promised.common_margin)

    return once


def _several(options: int, most: int) -> Several:
    return Several([f"o{i}" for i in range(options)], most)


def _of_numbers(scale: Scale, epsilon: float, n: int) -> Once:
    """Simulate windows of numbers that are spread evenly over cells."""
    survey = Survey("?", scale, epsilon, id="plans")
    mechanism = cast("Any", survey.mechanism)
    promised = cast("ScalePlan", plan_with(scale, mechanism, n, LEVEL))
    chances = mechanism.analyst.estimator.chances.mean(axis=1)
    below = scale.edges[0] + scale.cells // 2 * scale.step
    half = scale.low, below if scale.rounded else below - scale.step / 2

    def once(random: np.random.Generator, score: Score) -> None:
        estimate = ScaleEstimate(survey, n, random.multinomial(n, chances))
        for what, found, margin, most in (
            ("mean's margin", estimate.mean(), promised.margin, scale.high - scale.low),
            ("share's margin", estimate.share(*half), promised.share_margin, 1.0),
        ):
            low, high = found.interval(LEVEL)
            _compared(score, what, (high - low) / 2, margin, cut=margin > most * _UNCUT)

    return once


def _of_questionnaires(tables: tuple[tuple[str, str], ...], epsilon: float, n: int) -> Once:
    """Simulate people who answer everything at random."""
    answers: dict[str, Any] = {
        "a": ["x", "y"], "b": ["x", "y", "z"], "c": Scale(0, 11, whole=True)
    }  # fmt: skip
    surveys = [Survey("?", one, epsilon, id=name) for name, one in answers.items()]
    questionnaire = Questionnaire("?", surveys, epsilon, tables=tables)
    promised = plan_questionnaire(questionnaire, n)

    def once(random: np.random.Generator, score: Score) -> None:
        people = {
            "a": np.take(["x", "y"], random.integers(2, size=n)).tolist(),
            "b": np.take(["x", "y", "z"], random.integers(3, size=n)).tolist(),
            "c": random.integers(12, size=n).tolist(),
        }
        tally = questionnaire.tally()
        tally.update(questionnaire.randomize_batch(people, entropy=Entropy(random.bytes(32))))
        estimate = cast("Any", tally.estimate())
        for row in promised:
            found = estimate[row.asks[0]] if len(row.asks) == 1 else estimate.table(*row.asks)
            if row.of == "mean":
                wrong = found.mean().value - 5.5
            else:
                shares = np.ravel(found.frequencies)
                wrong = sqrt(np.mean((shares - 1 / len(shares)) ** 2))
            score.error(f"{' × '.join(row.asks)}", wrong, row.standard_error, 0.0)

    return once


def _of_bounds(made: Callable[[float], Mechanism], epsilon: float, n: int) -> Once:
    """Simulate the tight event of sets: that a report holds one value and not another."""
    mechanism = cast("Any", made(epsilon))
    d, k = mechanism.d, mechanism.k
    rate = float(mechanism.g) * (d - k) / (d - 1)
    false_rate = rate / float(mechanism.likelihood_ratio)

    def once(random: np.random.Generator, score: Score) -> None:
        hits, false_hits = random.binomial(n, rate), random.binomial(n, false_rate)
        bound = lower_bound(hits, n, false_hits, n, 1 - LEVEL)
        score.interval("lower bound", bound, inf, mechanism.realized_epsilon)

    return once


def _of_audits(made: Callable[[float], Mechanism | Survey], epsilon: float, n: int) -> Once:
    """Audit what is right."""
    subject = made(epsilon)

    def once(random: np.random.Generator, score: Score) -> None:
        entropy = Entropy(random.bytes(32))
        client: Any = Direct(subject, entropy) if isinstance(subject, KSubset) else None
        seed = int(random.integers(1 << 32))
        found = audit(subject, n, LEVEL, client=client, seed=seed, repeats=2)
        score.interval("lower bound", found.lower_bound, inf, found.epsilon)
        score.test("passed", float(found.passed))

    return once


STUDIES = [
    Study(
        "margins of plans for shares",
        ("privet.plan.plan",),
        {
            "12 categories": lambda epsilon: KSubset(12, epsilon),
            "8 options, up to 3": lambda epsilon: SetSubset(8, epsilon, 3),
            "2 options, up to 2": lambda epsilon: ListedSets(2, epsilon, 2, k=1),
            "1 of 6 options": lambda epsilon: OneOption(6, epsilon, 3),
        },
        _of_shares,
    ),
    Study(
        "margins of plans for numbers",
        ("privet.plan.plan",),
        {
            "1 to 5": Scale(1, 5, whole=True),
            "0 to 10": Scale(0, 10, whole=True),
            "0 to 120": Scale(0, 120),
        },
        _of_numbers,
    ),
    Study(
        "errors of plans for questionnaires",
        ("privet.plan.plan_questionnaire",),
        {"apart": (), "tables": (("a", "b"), ("b", "c"))},
        _of_questionnaires,
        epsilons=(0.2, 1, 4),
        sizes=(300, 3000),
    ),
    Study(
        "lower bounds on ε",
        ("privet.audit.bounds.lower_bound",),
        {
            "12 categories": lambda epsilon: KSubset(12, epsilon),
            "100 categories, one reported": lambda epsilon: MultivariateRR(100, epsilon),
        },
        _of_bounds,
    ),
    Study(
        "audits of right clients",
        ("privet.audit.audit",),
        {
            "12 categories": lambda epsilon: KSubset(12, epsilon),
            "0 to 10, off centre": lambda epsilon: Survey("?", Scale(0, 10, 5), epsilon, id="a"),
        },
        _of_audits,
        epsilons=(1, 4),
        sizes=(300,),
    ),
]
