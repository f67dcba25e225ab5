"""The counts of a whole population of k-subset reports, without making a report.

Ten thousand times the people cost two or three times the time: histograms become wider.

A report is, with probability d / D, a uniform set of k values that ignores the person's own, and
else the person's value with k − 1 of the others. So people with the same number of members still to
be drawn, their quota, are alike, and only how many there are has to be known: histograms by quota.

The domain is halved again and again. Of the people with one quota, how many have which part of it
in the left half is a multinomial draw with hypergeometric chances. People whose own value is among
those at hand are *inside*, with a quota of the others. It is drawn which of them have theirs in the
left half; in the right half they are then outside, like those who ignored it. Given the histograms,
the halves are independent.
"""

from __future__ import annotations

from math import floor, lgamma, log, log1p, sqrt

import numpy as np

from .compiled import kernel, loop

# Parts of a quota that are less likely than that, compared to the likeliest, are left out.
_LEAST = 1e-18


@kernel
def draw_counts(rng, marked, ignoring, k):
    """Return how many reports hold each value.

    `marked` people keep their own value, by value; `ignoring` have sets that do not depend on it.
    """
    d = marked.size
    ends = np.zeros(d + 1, np.int64)
    ends[1:] = np.cumsum(marked)
    counts, odds = np.empty(d, np.int64), np.empty(2 * d + 2)
    # Two histograms for the whole domain, then at each depth four for halves of shrinking size.
    rooms = np.zeros(6 * d + 600, np.int64)
    rooms[k], rooms[d + k] = ignoring, ends[d]
    # Parts of the domain that wait: first value, size, histograms outside and inside, free room.
    parts = np.empty((70, 5), np.int64)
    parts[0] = np.array([0, d, 0, d + 1, 2 * d + 2])
    waiting = 1
    while waiting:
        waiting -= 1
        first, size, outside, inside, free = parts[waiting]
        if size == 1:
            counts[first] = rooms[outside + 1] + marked[first]
            rooms[outside], rooms[outside + 1], rooms[inside] = 0, 0, 0
            continue
        left, right = size // 2, size - size // 2
        _halve(rng, first, left, right, ends, rooms, outside, inside, free, odds)
        width = right + 1
        for start, length, room in ((first + left, right, free + 2 * width), (first, left, free)):
            parts[waiting] = np.array([start, length, room, room + width, free + 4 * width])
            waiting += 1
    return counts


@loop
def _halve(rng, first, left, right, ends, rooms, outside, inside, free, odds):
    """Turn the histograms of some values, which end up empty, into those of their halves."""
    size, width = left + right, right + 1
    left_outside, left_inside = free, free + width
    right_outside, right_inside = free + 2 * width, free + 3 * width
    for quota in range(size + 1):
        people = rooms[outside + quota]
        if people:
            rooms[outside + quota] = 0
            _part(rng, people, quota, left, right, left_outside, right_outside, rooms, odds)
    marked, owned = ends[first + size] - ends[first], ends[first + left] - ends[first]
    for quota in range(size):
        people = rooms[inside + quota]
        if people:
            rooms[inside + quota] = 0
            own = hypergeometric(rng, people, marked - people, owned)
            marked, owned, rest = marked - people, owned - own, people - own
            _part(rng, own, quota, left - 1, right, left_inside, right_outside, rooms, odds)
            _part(rng, rest, quota, left, right - 1, left_outside, right_inside, rooms, odds)


@loop
def _part(rng, people, quota, left, right, to_left, to_right, rooms, odds):
    """Draw how many of the people have which part of their quota among the values on the left."""
    low, high = max(0, quota - right), min(quota, left)
    mode = min(max((quota + 1) * (left + 1) // (left + right + 2), low), high)
    to_left, to_right = to_left + mode, to_right + quota - mode
    if low == high or people == 0:
        rooms[to_left] += people
        rooms[to_right] += people
        return
    # From the likeliest part on, upwards and downwards.
    half = odds.size // 2
    up, above = _chances(mode, high, left, right, quota, odds, 0)
    down, below = _chances(quota - mode, quota - low, right, left, quota, odds, half)
    fewer = _binomial(rng, people, below / (1 + above + below))
    _deal(rng, people - fewer, 0, up, odds, 0, rooms, to_left, to_right)
    _deal(rng, fewer, 1, down, odds, half, rooms, to_right, to_left)


@loop
def _chances(start, stop, here, there, quota, odds, at):
    """Write the chance of each of start, …, stop members here, given that many or more.

    Return how many there are, and the chance of all but the first, relative to it.
    """
    term, count = 1.0, 0
    part = float(start)
    while term > _LEAST:
        odds[at + count] = term
        count += 1
        if part == stop:
            break
        term *= (here - part) * (quota - part) / ((part + 1) * (there - quota + part + 1))
        part += 1
    rest = 0.0
    for i in range(at + count - 1, at, -1):  # small terms first, so that all digits are right
        term = odds[i]
        rest += term
        odds[i] = term / rest
    odds[at] = 1 / (1 + rest)
    return count, rest


@loop
def _deal(rng, people, first, count, odds, at, rooms, more, less):
    """Draw how many people have each part, from `first` on, and add them to both histograms."""
    i = first
    while people:
        dealt = _binomial(rng, people, odds[at + i]) if i < count - 1 else people
        rooms[more + i] += dealt
        rooms[less - i] += dealt
        people -= dealt
        i += 1


@loop
def _binomial(rng, n, p):
    if n < 4:  # numpy's algorithm prepares for more
        drawn = 0
        for _ in range(n):
            drawn += rng.random() < p
        return drawn
    return rng.binomial(n, p)


@loop
def hypergeometric(rng, good, bad, sample):
    """Return how many of a sample without replacement are good; Stadlober 1990, algorithm HRUA.

    Ratio of uniforms, with differences of logarithms of factorials that stay exact for billions.
    """
    total = good + bad
    few, size = min(good, bad), min(sample, total - sample)
    if few == 0 or size == 0:
        drawn = 0
    elif size < 10:
        drawn = _one_by_one(rng, few, total, size)
    else:
        drawn = _by_rejection(rng, few, total, size)
    if good > bad:
        drawn = size - drawn
    return drawn if size == sample else good - drawn


@loop
def _one_by_one(rng, good, total, sample):
    left = good
    for i in range(sample):
        left -= rng.random() * (total - i) < left
    return good - left


@loop
def _by_rejection(rng, good, total, sample):
    bad = total - good
    share = good / total
    centre = sample * share + 0.5
    spread = sqrt(sample * share * (1 - share) * (total - sample) / (total - 1) + 0.5)
    height = 2 * sqrt(2 / np.e) * spread + 3 - 2 * sqrt(3 / np.e)
    highest = min(min(sample, good) + 1.0, floor(centre + 16 * spread))
    mode = floor((sample + 1) * (good + 1) / (total + 2))
    while True:
        u = rng.random()
        x = centre + height * (rng.random() - 0.5) / u
        if not 0 <= x < highest:
            continue
        step = floor(x) - mode
        chance = -(
            _rise(mode, step)
            + _rise(good - mode, -step)
            + _rise(sample - mode, -step)
            + _rise(bad - sample + mode, step)
        )
        if 2 * log(u) <= chance:
            return np.int64(mode + step)


@loop
def _rise(n, step):
    """Return log((n + step)! / n!)."""
    end = n + step
    if min(n, end) < 16:
        return lgamma(end + 1.0) - lgamma(n + 1.0)
    return (end + 0.5) * log1p(step / n) + step * (log(n) - 1) + _stirling(end) - _stirling(n)


@loop
def _stirling(n):
    return (1 / 12 - (1 / 360 - 1 / 1260 / (n * n)) / (n * n)) / n
