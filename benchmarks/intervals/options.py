"""Several choices: shares of options, and of pairs of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import Estimate, Several, Survey, mechanisms, sums
from privet.entropy import Entropy

from .study import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .study import Once, Score
    from .truths import Floats

    Sets = Sequence[tuple[int, ...]]

__all__ = ["STUDIES"]

OPTIONS = 8
NAMES = [f"o{i}" for i in range(OPTIONS)]
# The options and pairs whose intervals are kept.
KEPT, PAIRS = [0, 1, 2, 7], ((0, 1), (0, 2), (2, 3))


@dataclass(frozen=True)
class Choices:
    """Sets of options that people choose, and how likely each is."""

    sets: Sets
    shares: Floats

    @classmethod
    def of(cls, weights: dict[tuple[int, ...], float]) -> Choices:
        """Return those with these weights."""
        shares = np.array([*weights.values()], dtype=np.float64)
        return cls(list(weights), shares / shares.sum())

    def draw(self, random: np.random.Generator, n: int) -> Any:
        """Return how many of n people choose each set."""
        return random.multinomial(n, self.shares)

    def share(self, *options: int, people: Floats | None = None) -> float:
        """Return the share of people who chose all of some options."""
        shares = self.shares if people is None else people
        return float(
            sum(p for one, p in zip(self.sets, shares, strict=True) if {*options} <= {*one})
        )


TRUTHS = {
    "one of all": Choices.of({(i,): 1 for i in range(OPTIONS)} | {(): 1}),
    "all choose two": Choices.of({(0, 1): 1}),
    "nobody chooses any": Choices.of({(): 1}),
    "1 % choose a pair": Choices.of({(0,): 99, (0, 1): 1}),
    ".3 % choose a pair": Choices.of({(): 499, (0,): 498, (0, 2): 3}),
    "many kinds": Choices.of({(): 1, (0,): 3, (0, 1): 2, (0, 2): 1, (1, 2, 3): 2, (2, 3): 1}),
}
# If one option is asked of each person, sets of options do not matter, only the option's own share.
_ASKED_ALONE = {
    name: TRUTHS[name] for name in ("one of all", "nobody chooses any", ".3 % choose a pair")
}


def _several(most: int, pairs: bool) -> Callable[[float], Any]:
    def make(epsilon: float) -> Any:
        return Survey("?", Several(NAMES, most=most, pairs=pairs), epsilon, id="study").mechanism

    return make


MAKE: dict[str, Callable[[float], Any]] = {
    "automatic": _several(3, False),
    "SetSubset": lambda epsilon: mechanisms.SetSubset(OPTIONS, epsilon, 3),
    "OneOption": lambda epsilon: mechanisms.OneOption(OPTIONS, epsilon, 3),
    "ListedSets": lambda epsilon: mechanisms.ListedSets(OPTIONS, epsilon, 3),
}
MAKE_PAIRS: dict[str, Callable[[float], Any]] = {
    "automatic": _several(3, True),
    "SetSubset": lambda epsilon: mechanisms.SetSubset(OPTIONS, epsilon, 3, 3),
}


def _survey(mechanism: Any, epsilon: float) -> Survey:
    return Survey("?", Several(NAMES, most=3), epsilon, mechanism=mechanism, id="study")


def _reports(mechanism: Any, choices: Choices, people: Any, random: np.random.Generator) -> Any:
    values = mechanism.analyst.batches.as_values([list(one) for one in choices.sets])
    everyone = np.repeat(values, people, axis=0)
    return mechanism.analyst.batches.side_by_side(everyone, Entropy(random.bytes(32)))


def _shares(make: Callable[[float], Any], truth: Choices, epsilon: float, n: int) -> Once:
    survey = _survey(make(epsilon), epsilon)
    mechanism = survey.mechanism
    population = np.array([truth.share(i) for i in KEPT])
    empty = [i for i in range(OPTIONS) if truth.share(i) == 0][:3]

    def once(random: np.random.Generator, score: Score) -> None:
        people = truth.draw(random, n)
        counts = mechanism.tally(_reports(mechanism, truth, people, random))
        estimate = Estimate(survey, n, counts)
        low, high = estimate.interval()
        score.interval("population", low[KEPT], high[KEPT], population)
        low, high = estimate.interval(target="sample")
        sample = np.array([truth.share(i, people=people / n) for i in KEPT])
        score.interval("sample", low[KEPT], high[KEPT], sample)
        score.error(
            "standard error",
            estimate.frequencies[KEPT],
            estimate.standard_errors[KEPT],
            population,
        )
        if empty:
            score.test("nobody chose it", estimate.p_values[empty])

    return once


def _pairs(make: Callable[[float], Any], truth: Choices, epsilon: float, n: int) -> Once:
    mechanism = make(epsilon)
    population = np.array([truth.share(*pair) for pair in PAIRS])

    def once(random: np.random.Generator, score: Score) -> None:
        people = truth.draw(random, n)
        both = sums.pair_counts(mechanism, _reports(mechanism, truth, people, random))
        found = sums.pair_shares(mechanism, both, n)
        measured = [found.at(*pair) for pair in PAIRS]
        ends = np.array([one.interval() for one in measured]).T
        score.interval("population", *ends, population)
        values = np.array([(one.value, one.standard_error) for one in measured]).T
        score.error("standard error", *values, population)
        sample = sums.pair_shares(mechanism, both, n, target="sample")
        ends = np.array([sample.at(*pair).interval() for pair in PAIRS[:2]]).T
        true = [truth.share(*pair, people=people / n) for pair in PAIRS[:2]]
        score.interval("sample", *ends, true)

    return once


ESTIMATE = "privet.analysis.estimate.Estimate"
STUDIES = [
    *(
        Study(
            f"options, {name}",
            (
                f"{ESTIMATE}.interval",
                f"{ESTIMATE}.standard_errors",
                f"{ESTIMATE}.p_values",
                "privet.analysis.choices.AskedRates.interval",
                "privet.analysis.choices.AskedRates.p_values",
                "privet.analysis.choices.AskedRates.standard_errors",
            ),
            TRUTHS if name != "OneOption" else _ASKED_ALONE,
            partial(_shares, make),
        )
        for name, make in MAKE.items()
    ),
    *(
        Study(
            f"pairs of options, {name}",
            (
                "privet.analysis.sums.pairs.Pairs.share",
                "privet.analysis.sums.pairs.Pairs.at",
                "privet.analysis.sums.pairs.Pairs.standard_errors",
                "privet.analysis.sums.pairs.pair_shares",
                "privet.analysis.sums.pairs.together",
            ),
            TRUTHS,
            partial(_pairs, make),
        )
        for name, make in MAKE_PAIRS.items()
    ),
]
