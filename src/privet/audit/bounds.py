"""How much privacy is lost at least, by counts of an event in independent trials.

If a mechanism is ε-private, an event is at most e^ε times likelier from one value than from
another. With the event seen in `hits` of n reports of the one and `false_hits` of m of the other,

    ε >= ln(lower end of the first chance / upper end of the second),

each end by Clopper and Pearson, exact for any counts, at half the level. So the bound is wrong with
probability alpha at most, and tight as far as the event is: mathematics.md tells which are.
"""

from __future__ import annotations

from math import inf, log

from ..analysis.presence import clopper_pearson

__all__ = ["expected_bound", "lower_bound"]


def lower_bound(hits: float, n: int, false_hits: float, m: int, alpha: float) -> float:
    """Return what ε is at least, but for a probability of alpha; -inf where nothing was seen.

    >>> round(lower_bound(369_678, 10**6, 135_997, 10**6, 0.01), 4)
    0.9901
    """
    if hits <= 0:
        return -inf
    (least, _), (_, most) = clopper_pearson(hits, n, alpha), clopper_pearson(false_hits, m, alpha)
    return log(least / most)


def expected_bound(rate: float, false_rate: float, trials: int, alpha: float) -> float:
    """Return the bound at the counts that are expected of so many trials of each value.

    >>> from privet.mechanisms import KSubset
    >>> m = KSubset(100, 1.0)
    >>> rate = m.g * (m.d - m.k) / (m.d - 1)  # holds one value and not the other
    >>> round(expected_bound(rate, rate / float(m.likelihood_ratio), 10**6, 0.01), 3)
    0.99
    """
    return lower_bound(rate * trials, trials, false_rate * trials, trials, alpha)
