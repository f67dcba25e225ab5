"""Several choices, once more, slowly and obviously: docs/algorithm.md, section 6.

Nothing here is shared with the package.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import naive
import naive_others


def padded(value, d, most):
    """The person's points: the options, and as many of the first blanks as are missing."""
    return [*value, *range(d, d + most - len(value))]


def overlap(word, more, d, most, k):
    """In how many points a report meets the person's set, by a word and by more if need be."""
    sizes = range(1, min(k, most) + 1)
    weights = [comb(most, j) * comb(d, k - j) for j in sizes]
    ends = [Fraction(sum(weights[:j]), sum(weights)) for j in sizes][:-1]
    low, width = Fraction(word, 2**64), Fraction(1, 2**64)
    while any(low <= end < low + width for end in ends):
        width /= 2**64
        low += more() * width
    return 1 + sum(end < low for end in ends)


def distinct(stream, n, count):
    drawn = []
    while len(drawn) < count:
        position = naive.position(stream, n)
        if position < n and position not in drawn:
            drawn.append(position)
    return drawn


def report(value, d, most, j, others, own):
    """The points of a report that meets the person's set in j points."""
    points = padded(value, d, most)
    outside = list(range(d)) + list(range(d + most - len(value), d + most))
    for stand_in, option in zip(range(d + most - len(value), d + most), value, strict=True):
        outside[option] = stand_in
    return sorted([points[i] for i in own[:j]] + [outside[i] for i in others[j:]])


def set_subset(stream, value, d, integers):
    """Return one report."""
    most, k, meet = integers["most"], integers["k"], int(integers["meet"])
    meets = stream.take(8) < meet
    several = min(k, most) > 1
    j = overlap(stream.take(8), lambda: stream.take(8), d, most, k) if several else 1
    others, own = distinct(stream, d, k), distinct(stream, most, min(k, most))
    return naive.pack(report(value, d, most, j if meets else 0, others, own), d + most, k)


def law(d, most, k, meet):
    """The definition: {value: {points: probability}}."""
    sets = list(combinations(range(d + most), k))
    tables = {}
    for value in (x for size in range(most + 1) for x in combinations(range(d), size)):
        own = set(padded(value, d, most))
        meeting = [z for z in sets if own & set(z)]
        chance = Fraction(meet, 2**64)
        hit, miss = chance / len(meeting), (1 - chance) / (len(sets) - len(meeting))
        tables[value] = {z: hit if own & set(z) else miss for z in sets}
    return tables


def one_option(stream, value, d, integers):
    """Return one report of the option that is asked, and the answer."""
    return naive_others.hashed(stream, value, d, integers, d, 2, lambda i, x: int(i in x))


def listed(d, most):
    """All sets of options, as increasing bitmaps."""
    sets = [x for size in range(most + 1) for x in combinations(range(d), size)]
    return sorted(sets, key=lambda x: sum(1 << i for i in x))


def listed_sets(stream, value, d, integers):
    """Return one report of the k-subset mechanism for the set's number."""
    sets = listed(d, integers["most"])
    k, odds = integers["k"], int(integers["odds"])
    place = sets.index(tuple(sorted(value)))
    drawn = naive.k_subset(stream, place, len(sets), k, odds, integers["scale"], integers["start"])
    return naive.pack(drawn, len(sets), k)


SAMPLERS = {
    "set-subset": set_subset,
    "one-option": one_option,
    "listed-sets": listed_sets,
}
