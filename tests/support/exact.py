"""Every outcome of a sampler with its exact probability, by walking its decision tree.

`Walk` stands in for `privet.entropy.Stream`: the sampler under test runs unchanged, and each draw
that it makes becomes a branching over all outcomes of that draw. (That the real draws have exactly
these outcomes is what test_entropy.py shows, by enumerating the bytes behind them.)
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, permutations

import mpmath

from privet.mechanisms import Exclusive


class MadeOfOthers:
    """The draws of a stream that are made of its other draws."""

    def streak(self, heads, total, most):
        length = 0
        while length < most and self.coin(heads, total):
            length += 1
        return length

    def below_either(self, sizes, which):
        drawn = self.below(sizes[which])
        return (0, drawn) if which else (drawn, 0)


class Walk(MadeOfOthers):
    """Replays a path of choices, then takes first choices, noting how many there were."""

    def __init__(self, path):
        self.path = path
        self.taken = []
        self.draws = []
        self.numerator = self.denominator = 1

    def _choose(self, draw, outcomes, denominator):
        depth = len(self.taken)
        choice = self.path[depth] if depth < len(self.path) else 0
        self.taken.append((choice, len(outcomes)))
        self.draws.append(draw)
        outcome, weight = outcomes[choice]
        self.numerator *= weight
        self.denominator *= denominator
        return outcome

    def coin(self, heads, total):
        return self._choose("coin", [(True, heads), (False, total - heads)], total)

    def below(self, n):
        return self._choose(("below", n), [(i, 1) for i in range(n)], n)

    def coins(self, count, numerator, bits):
        outcomes = _coins(count, numerator, 1 << bits)
        return self._choose(("coins", count), outcomes, 1 << bits * count)

    def members(self, n, population, count):
        outcomes = _members(population, count)
        return self._choose(("members", count), outcomes, len(outcomes))

    def pick(self, leads, rests, total):
        ends = [(lead * total + rest) // 2**64 for lead, rest in zip(leads, rests, strict=True)]
        outcomes = [(i, b - a) for i, (a, b) in enumerate(pairwise([0, *ends, total]))]
        return self._choose("pick", outcomes, total)

    def distinct(self, n, count):
        outcomes = _distinct(n, count)
        return list(self._choose(("distinct", count), outcomes, len(outcomes)))


@cache
def _coins(count, ones_weight, total):
    weights = ((x, x.bit_count()) for x in range(1 << count))
    law = [(x, ones_weight**ones * (total - ones_weight) ** (count - ones)) for x, ones in weights]
    return [(x, weight) for x, weight in law if weight]


@cache
def _members(population, count):
    inside = [1 << i for i in range(population.bit_length()) if population >> i & 1]
    return [((sum(chosen), last), 1) for chosen in combinations(inside, count) for last in chosen]


@cache
def _distinct(n, count):
    return [(order, 1) for order in permutations(range(n), count)]


def walks(sample):
    """Yield (outcome, walk) for every path through the sampler."""
    path = []
    while path is not None:
        walk = Walk(path)
        outcome = sample(walk)
        yield outcome, walk
        path = [choice for choice, _ in walk.taken]
        sizes = [size for _, size in walk.taken]
        while path and path[-1] + 1 == sizes[len(path) - 1]:
            path.pop()
        if path:
            path[-1] += 1
        else:
            path = None


def law(sample):
    """Return the exact probability of every outcome."""
    weights = defaultdict(lambda: defaultdict(int))
    for outcome, walk in walks(sample):
        weights[outcome][walk.denominator] += walk.numerator
    return {
        outcome: sum(Fraction(weight, total) for total, weight in parts.items())
        for outcome, parts in weights.items()
    }


def laws(mechanism):
    """Return, for every value, the exact law of its report."""
    return [law(lambda walk, x=x: mechanism.sample(x, walk)) for x in values_of(mechanism)]


def values_of(mechanism):
    """Return all that a person may hold: a value, or a set of options."""
    if isinstance(mechanism, Exclusive):
        return list(range(mechanism.d))
    sizes = range(mechanism.most + 1)
    return [x for size in sizes for x in combinations(range(mechanism.d), size)]


def largest_ratio(tables):
    """Return max Q(z|x) / Q(z|x'); infinite (None) where a report is impossible under one value."""
    worst = Fraction(0)
    for report in set().union(*tables):
        chances = [table.get(report, Fraction(0)) for table in tables]
        if min(chances) == 0:
            return None
        worst = max(worst, max(chances) / min(chances))
    return worst


def assert_private(tables, epsilon):
    """Every law sums to 1, and no likelihood ratio exceeds e^ε, in exact arithmetic."""
    for table in tables:
        assert sum(table.values()) == 1
    ratio = largest_ratio(tables)
    assert ratio is not None, "some report identifies a value"
    limit = mpmath.exp(mpmath.mpf(epsilon))
    assert mpmath.mpf(ratio.numerator) / ratio.denominator <= limit, f"ratio {float(ratio)} > e^ε"
    return ratio


def support_rates(tables, members):
    """Return the exact d × d matrix of P(value j in the report | own value i)."""
    d = len(tables)
    rates = [[Fraction(0)] * d for _ in range(d)]
    for i, table in enumerate(tables):
        for report, probability in table.items():
            for j in members(report):
                rates[i][j] += probability
    return rates


def assert_hit_rates(tables, members, g, h):
    """Own values are supported with probability g and every other with h, exactly.

    With f_j the number of reports that support j, E[(f_j/n − h)/(g − h)] is then the share of j.
    """
    for i, row in enumerate(support_rates(tables, members)):
        for j, rate in enumerate(row):
            assert rate == (g if i == j else h), (i, j, rate)
