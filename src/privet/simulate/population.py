"""Whole populations: how many reports support each value, drawn from the exact joint law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..entropy import Entropy
from ..errors import InvalidArgument

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..mechanisms.base import Mechanism

MOST_PEOPLE = 2**53


def counts(mechanism: Mechanism, truth: ArrayLike, seed: Any = None) -> NDArray[np.int64]:
    """Return how many of the people's reports support each value, int64 (d,).

    Parameters
    ----------
    mechanism : Mechanism
        Any of privet.mechanisms.
    truth : array of d integers >= 0
        How many people hold each value.
    seed : int, numpy.random.Generator or None
        What numpy.random.default_rng takes: the same seed gives the same counts.

    """
    people = _check_truth(mechanism, truth)
    rng = np.random.default_rng(seed)
    values = np.repeat(np.arange(mechanism.d), people)
    return mechanism.tally(mechanism.randomize(values, entropy=Entropy(rng.bytes(32)), workers=1))


def _check_truth(mechanism: Mechanism, truth: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(truth)
    rule = f"{mechanism.d} whole numbers >= 0, how many people hold each value"
    if array.shape != (mechanism.d,):
        raise InvalidArgument("counts", "truth", rule, f"shape {array.shape}")
    if array.dtype.kind not in "iuf":
        raise InvalidArgument("counts", "truth", rule, f"dtype {array.dtype}")
    bad = ~((array >= 0) & (array <= MOST_PEOPLE) & (array % 1 == 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidArgument("counts", f"truth[{row}]", "a whole number >= 0", array[row].item())
    if array.sum(dtype=np.float64) == 0:
        raise InvalidArgument("counts", "truth", "at least one person", 0)
    return array.astype(np.int64)
