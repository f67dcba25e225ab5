"""True distributions to draw people from, each a function of d and a random generator.

    name                    the weight of value j = 1, …, d, before the weights are normalized

    paper                   uniform on [0, 1], drawn for each value (paper, section 5)
    flat                    1
    dirichlet:alpha         Gamma(alpha), drawn for each value
    zipf:s                  j^-s
    geometric:ratio         ratio^j
    spikes:m                1 for the first m values, 0 for the others
    two-level:part,share    share / m for the first m ≈ part·d values, (1 − share) / (d − m) beyond

Numbers that are left out default to alpha = 1, s = 1.1, ratio = 0.5, m = 3, part = 0.1 and
share = 0.9. Every mechanism here treats all values alike, so their order makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from ..analysis.arrays import Floats
from ..errors import InvalidArgument

Truth: TypeAlias = Callable[[int, Generator], Floats]

__all__ = ["FORMS", "truth"]


def truth(form: str | ArrayLike | Callable[[int, Generator], ArrayLike]) -> Truth:
    """Return a function of (d, rng) that returns d probabilities.

    Parameters
    ----------
    form : str, array or function
        A name from the list above with its numbers, such as "zipf:1.1"; or your own distribution,
        as d shares or numbers of people; or your own function of (d, rng).

    >>> rng = np.random.default_rng(1)
    >>> truth("geometric:0.5")(3, rng).round(3)
    array([0.571, 0.286, 0.143])
    >>> truth([30, 60, 10])(3, rng)
    array([0.3, 0.6, 0.1])

    """
    draw = _parse(form) if isinstance(form, str) else form
    if callable(draw):
        return lambda d, rng: _distribution(draw(d, rng), d)
    weights = np.array(draw)
    _distribution(weights, max(weights.size, 2))  # a mistake is named here, not when first drawn
    return lambda d, rng: _distribution(weights, d)


def _paper(d: int, rng: Generator) -> Floats:
    return rng.random(d)


def _flat(d: int, rng: Generator) -> Floats:
    return np.ones(d)


def _dirichlet(d: int, rng: Generator, alpha: float = 1.0) -> Floats:
    _check("dirichlet", "alpha", "a finite number > 0", alpha, 0 < alpha < np.inf)
    return rng.dirichlet(np.full(d, alpha))


def _zipf(d: int, rng: Generator, s: float = 1.1) -> Floats:
    _check("zipf", "s", "a finite number >= 0", s, 0 <= s < np.inf)
    return np.arange(1.0, d + 1) ** -s


def _geometric(d: int, rng: Generator, ratio: float = 0.5) -> Floats:
    _check("geometric", "ratio", "a number in (0, 1]", ratio, 0 < ratio <= 1)
    return ratio ** np.arange(float(d))


def _spikes(d: int, rng: Generator, m: float = 3) -> Floats:
    _check("spikes", "m", f"a whole number in [1, {d}]", m, 1 <= m <= d and m % 1 == 0)
    return (np.arange(d) < m).astype(np.float64)


def _two_level(d: int, rng: Generator, part: float = 0.1, share: float = 0.9) -> Floats:
    _check("two-level", "part", "a number in (0, 1)", part, 0 < part < 1)
    _check("two-level", "share", "a number in [0, 1]", share, 0 <= share <= 1)
    m = min(max(round(part * d), 1), d - 1)
    return np.where(np.arange(d) < m, share / m, (1 - share) / (d - m))


_BY_NAME: dict[str, Callable[..., Floats]] = {
    "paper": _paper,
    "flat": _flat,
    "dirichlet": _dirichlet,
    "zipf": _zipf,
    "geometric": _geometric,
    "spikes": _spikes,
    "two-level": _two_level,
}
FORMS = [
    f"{name}:{','.join(numbers)}" if (numbers := list(signature(draw).parameters)[2:]) else name
    for name, draw in _BY_NAME.items()
]


def _parse(text: str) -> Truth:
    name, colon, given = text.partition(":")
    try:
        draw = _BY_NAME[name]
        numbers = [float(word) for word in given.split(",")] if colon else []
        signature(draw).bind(None, None, *numbers)
    except (KeyError, ValueError, TypeError):
        rule = f"one of {', '.join(FORMS)}"
        raise InvalidArgument("truth", "form", rule, text) from None
    return lambda d, rng: draw(d, rng, *numbers)


def _distribution(weights: ArrayLike, d: int) -> Floats:
    """Return the weights, normalized to sum to 1, or raise unless they are d shares."""
    array = np.asarray(weights)
    rule = f"{d} finite numbers >= 0, not all 0"
    _check("truth", "form", rule, f"shape {array.shape}", array.shape == (d,))
    _check("truth", "form", rule, f"dtype {array.dtype}", array.dtype.kind in "iuf")
    good = (array >= 0) & (array < np.inf)
    row = int(np.argmin(good))
    _check("truth", f"form[{row}]", "a finite number >= 0", array[row].item(), good[row])
    _check("truth", "form", rule, "only zeros", array.any())
    shares: Floats = array / array.max()  # so that the sum is finite
    shares /= shares.sum()
    return shares


def _check(owner: str, parameter: str, rule: str, value: object, holds: bool | np.bool) -> None:
    if not holds:
        raise InvalidArgument(owner, parameter, rule, value)
