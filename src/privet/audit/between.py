"""Which numbers of a scale an audit asks about: its ends, and numbers between and beyond centres.

A number between two centres goes to one of them by a coin that leaves its mean as it is, so its
reports are a mixture of the laws of two cells. A client that rounds in any other way is right at
every centre and wrong between them. A number beyond an end counts as that end.
"""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

from numpy.random import Generator

from ..device.answers.scale import FRACTION_BITS, Scale

__all__ = ["Between", "mixture", "numbers_of", "place_of"]

# Coins this close to certain count as certain: a number that was meant for a centre may miss it by
# a rounding of floats.
_ROUNDING = 1e-9
# How many whole numbers are searched for one that lies at a given part of the way.
_SEARCHED = 4096


class Between(NamedTuple):
    """A number between two centres: `part` is how far it is from `cell` to the next cell."""

    cell: int
    part: float


def place_of(value: int) -> int | Between:
    """Return the cell of a scale's value P, or between which cells it lies.

    >>> place_of(17 << 52), place_of((17 << 52) + (1 << 50))
    (17, Between(cell=17, part=0.25))
    """
    cell, fraction = divmod(value, 1 << FRACTION_BITS)
    part = fraction / (1 << FRACTION_BITS)
    if _ROUNDING < part < 1 - _ROUNDING:
        return Between(cell, part)
    return cell + round(part)


def mixture(place: Any) -> list[tuple[Any, float]]:
    """Return the cells that a number goes to, each with its probability; other values stay."""
    if isinstance(place, Between):
        return [(place.cell, 1 - place.part), (place.cell + 1, place.part)]
    return [(place, 1.0)]


def numbers_of(
    scale: Scale, most: int, rng: Generator, *, in_bands: bool = False, beyond: bool = True
) -> list[float]:
    """Return at most so many numbers for an audit to ask about, the most telling ones first.

    Parameters
    ----------
    scale : Scale
        The scale.
    most : int
        How many numbers to return at most.
    rng : Generator
        Chooses among cells.
    in_bands : bool
        Whether a page asks for the band alone: then numbers on either side of a border are asked.
    beyond : bool
        Whether to ask for numbers beyond the ends, which forms refuse.

    >>> import numpy as np
    >>> from privet import Scale
    >>> numbers_of(Scale(1, 5, whole=True), 8, np.random.default_rng(1))
    [1.0, 5.0, -1.0, 7.0, 2.0, 3.0, 4.0]

    """
    found = [scale.low, scale.high]
    if scale.rounded:
        found += [_between(scale, part, rng) for part in (0.5, 0.25)]
    if in_bands:
        found += _beside(scale, scale.bands[int(rng.integers(len(scale.bands)))])
    if beyond:
        reach = (scale.high - scale.low) / 2
        reach = ceil(reach) if scale.whole else reach
        found += [scale.low - reach, scale.high + reach]
    if scale.rounded:
        found.append(_between(scale, 0.75, rng))
    found = list(dict.fromkeys(found))[:most]
    room = most - len(found)
    found += _centres(scale, (room + 1) // 2 if scale.rounded else room, rng)
    if scale.rounded:
        found += [_between(scale, float(rng.random()), rng) for _ in range(most - len(found))]
    return list(dict.fromkeys(found))


def _between(scale: Scale, part: float, rng: Generator) -> float:
    """Return a number at about this part of the way from a random centre to the next."""
    if not scale.whole:
        return scale.low + scale.step * (int(rng.integers(scale.cells - 1)) + part)
    numbers = int(scale.high - scale.low) + 1
    few = numbers <= _SEARCHED
    tried = rng.permutation(numbers) if few else rng.integers(numbers, size=_SEARCHED)

    def distance(number: float) -> float:
        place = place_of(scale.value(number))
        return abs(place.part - part) if isinstance(place, Between) else 1.0

    return min((scale.low + int(one) for one in tried), key=distance)


def _beside(scale: Scale, border: float) -> list[float]:
    """Return the least number of a band, and one just below it."""
    if scale.whole:
        return [float(ceil(border)), float(ceil(border) - 1)]
    return [border, border - scale.step / 64]


def _centres(scale: Scale, most: int, rng: Generator) -> list[float]:
    """Return centres at random between the ends, in increasing order, that people may answer."""
    centres = [scale.low + scale.step * cell for cell in range(1, scale.cells - 1)]
    usable = [one for one in centres if not scale.whole or one.is_integer()]
    if not usable:
        return []
    chosen = rng.choice(len(usable), min(most, len(usable)), replace=False)
    return [usable[i] for i in sorted(chosen.tolist())]
