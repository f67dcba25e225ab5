"""Post-stratification: the shares of a crowd some of whose groups answered more often than others.

If θ_g are a group's shares and w_g is its known share of the population, the population's shares
are Σ_g w_g θ_g, and so is their estimate, without bias; its variance is Σ_g w_g² Var(θ̂_g).

Intervals come from a score test (`score`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...device.mechanisms.forwards import Target
from ...device.mechanisms.symmetric import shrinkable
from ...errors import InvalidArgument, NoReports, SurveyMismatch
from ...errors.arguments import alpha_of, check_target, is_whole
from ..arrays import Floats
from ..counted_shares import CountedShares
from ..hits import Hits, drawn
from ..refine.grouped_shrinkage import shrink_groups
from ..shown import Shown
from ..tallied import Tallied
from .score import Strata
from .totals import estimate_of, total

__all__ = ["Poststratified", "WeightedTotal", "poststratify"]

# Known shares are rounded; what they lack, or have too much, is shared out.
_TOLERANCE = 0.005


def poststratify(
    estimates: Mapping[Any, Shown | Tallied], shares: Mapping[Any, float]
) -> Poststratified:
    """Return a population's shares, from estimates of its groups and the groups' known sizes.

    Parameters
    ----------
    estimates : mapping from group to Estimate
        Of one survey, each from the reports of other people.
    shares : mapping from group to number
        The share of the population that each group makes up, 1 in all; or how many people are in
        each, as whole numbers.

    >>> from privet import Estimate, Survey
    >>> survey = Survey("Tea or coffee?", ["tea", "coffee", "neither"], 2.0)
    >>> north = Estimate(survey, 800, np.array([480, 240, 80]))
    >>> south = Estimate(survey, 200, np.array([50, 110, 40]))
    >>> both = poststratify({"north": north, "south": south}, {"north": 0.4, "south": 0.6})
    >>> both.frequencies.round(3)
    array([0.417, 0.505, 0.079])
    >>> f"{both.design_effect:.2f}"
    '1.90'

    """
    groups = {g: estimate_of("poststratify", "estimates", one) for g, one in estimates.items()}
    if not groups:
        raise NoReports("There are no groups, and so there is nothing to weight.")
    survey = next(iter(groups.values())).survey
    if any(one.survey != survey for one in groups.values()):
        raise SurveyMismatch("The groups have answered different surveys.")
    for group, share in shares.items():
        if isinstance(share, bool) or not 0 < share < inf:
            raise InvalidArgument("poststratify", f"shares[{group!r}]", "a number > 0", share)
        if group not in groups:
            raise NoReports(f"The group {group!r} has a known share, {share:g}, and no reports.")
    for group, one in groups.items():
        if group not in shares:
            rule = f"known for the group {group!r} too, of which there are {one.n:,} reports"
            raise InvalidArgument("poststratify", "shares", rule, [*shares])
    whole = sum(shares.values())
    people = int(whole) if whole > 1 and all(map(is_whole, shares.values())) else None
    if people is None and abs(whole - 1) > _TOLERANCE:
        rule = "shares that add up to 1, or whole numbers of people"
        raise InvalidArgument("poststratify", "shares", rule, f"a sum of {whole:g}")
    return Poststratified(groups, {group: shares[group] / whole for group in groups}, people)


class Poststratified(Shown):
    """The shares of a population, from estimates of its groups weighted by their known sizes.

    Attributes
    ----------
    groups : dict
        The estimate of each group.
    shares : dict
        The known share of each group.
    people : int or None
        How many people there are in all, where the sizes were given in people.
    n : int
        How many reports there are in all groups.
    counts : array
        How many reports of all groups support each category, not weighted.

    """

    def __init__(
        self, groups: dict[Any, CountedShares], shares: dict[Any, float], people: int | None
    ) -> None:
        every = list(groups.values())
        counts = np.sum([one.counts for one in every], axis=0)
        super().__init__(every[0].survey, sum(one.n for one in every), counts)
        self.groups = groups
        self.shares = shares
        self.people = people
        self._weights = np.array([*shares.values()], dtype=np.float64)

    @cached_property
    def _pooled(self) -> CountedShares:
        return CountedShares(self.survey, self.n, self.counts)

    @cached_property
    def frequencies(self) -> Floats:
        """The unbiased estimate of each category's share in the population."""
        summed: Floats = self._weights @ [one.frequencies for one in self.groups.values()]
        return summed

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each frequency, for a population without end."""
        return np.sqrt(self._variances("population"))

    @property
    def design_effect(self) -> float:
        """How much larger the variance is than that of n people drawn at random from all.

        Both are summed over all categories, for a population without end with the shares as
        estimated. n divided by it is how many such people would tell as much.
        """
        shares = np.clip(self.frequencies, 0, 1)
        alike = self.survey.mechanism.variance(shares, self.n).sum()
        return float(self._variances("population").sum() / alike)

    @property
    def p_values(self) -> Floats:
        """How likely each unweighted count is to be as large or larger, if nobody holds it."""
        return self._pooled.p_values

    def found(self, rate: float = 0.05) -> NDArray[np.bool_]:
        """Return which categories are held by someone, for which weights do not matter."""
        return self._pooled.found(rate)

    @property
    def can_shrink(self) -> bool:
        """Whether the mechanism says enough of its noise for `shrink`."""
        return self._pooled.can_shrink

    def shrink(self) -> Floats:
        """Return a distribution to show: those of the groups, shrunk together and weighted."""
        counts, n = zip(*((one.counts, one.n) for one in self.groups.values()), strict=True)
        mechanism = shrinkable("Estimate.shrink", self.survey.mechanism)
        shrunk = shrink_groups(mechanism, counts, n)
        weighted: Floats = self._weights @ shrunk
        return weighted

    def interval(
        self, level: float = 0.95, *, target: Target = "population", simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of a confidence interval for each category.

        By a score test; where the mechanism is not symmetric, of binomial counts with the same
        variances. target=N is for N people, of whom those who took part are a random part in each
        group; simultaneous=True widens all intervals (Bonferroni) so that they hold together.
        """
        alpha = alpha_of("Poststratified.interval", level)
        alpha /= len(self.counts) if simultaneous else 1
        shares = np.array([one.frequencies for one in self.groups.values()])
        spreads = self.survey.mechanism.analyst.estimator.spreads
        hits = [Hits.matched(*spreads(one)) for one in shares]
        low, high = self._strata(shares, hits, target).ends(alpha)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def total(
        self, categories: str | Sequence[str], *, target: Target = "population"
    ) -> WeightedTotal:
        """Return the share of all these categories together, with its standard error."""
        totals = [total(one, categories, target=aim) for one, aim in self._aims(target)]
        values = np.array([one.value for one in totals])
        error = sqrt(self._weights**2 @ [one.standard_error**2 for one in totals])
        hits = [one.hits for one in totals]
        strata = self._strata(values[:, None], hits, target)
        return WeightedTotal(float(self._weights @ values), error, target, strata)

    def __repr__(self) -> str:
        few = f"{len(self.groups)} groups, {self.n:,} reports"
        return f"<Poststratified: {few}, design effect {self.design_effect:.2f}>"

    def _aims(self, target: Target) -> list[tuple[CountedShares, Target]]:
        """Return each group with whose shares it is for: those of its own part of all people."""
        check_target("poststratify", target, self.n)
        if target == "sample":
            rule = "'population' or a number of people: weights are for neither less nor others"
            raise InvalidArgument("poststratify", "target", rule, target)
        if isinstance(target, str):
            return [(one, target) for one in self.groups.values()]
        sizes = {group: round(share * target) for group, share in self.shares.items()}
        for group, one in self.groups.items():
            if sizes[group] < one.n:
                rule = f"so many that {one.n:,} of the group {group!r} can have taken part"
                raise InvalidArgument("poststratify", "target", rule, target)
        return [*zip(self.groups.values(), sizes.values(), strict=True)]

    def _variances(self, target: Target) -> Floats:
        parts = [
            self.survey.mechanism.variance(np.clip(one.frequencies, 0, 1), one.n, aim)
            for one, aim in self._aims(target)
        ]
        return self._weights**2 @ np.array(parts)

    def _strata(self, shares: Floats, hits: Sequence[Hits], target: Target) -> Strata:
        sampled = [(one.n, drawn(aim, one.n)) for one, aim in self._aims(target)]
        n, part = np.array(sampled, dtype=np.float64).T[:, :, None]
        h, gain = (
            np.array([np.atleast_1d(rate) for rate in rates])
            for rates in ([one.h for one in hits], [one.gain for one in hits])
        )
        return Strata(shares, self._weights[:, None], n, h, gain, part)


@dataclass(frozen=True)
class WeightedTotal:
    """The combined share of several categories in a population, from estimates of its groups.

    Attributes
    ----------
    value : float
        The unbiased estimate, which may fall outside [0, 1].
    standard_error : float
        The standard error of the value, for the target.
    target : "population" or int
        Whose share it is: that of a population without end, or of so many people.

    """

    value: float
    standard_error: float
    target: Target
    _strata: Strata = field(repr=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of a confidence interval."""
        alpha = alpha_of("WeightedTotal.interval", level)
        if not self.standard_error:  # of all categories
            return self.value, self.value
        (low,), (high,) = self._strata.ends(alpha)
        return max(low, 0.0), min(high, 1.0)
