"""The fast Walsh–Hadamard transform, which both 1-bit responses and Hadamard designs decode by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def walsh_hadamard(vector: NDArray[Any]) -> NDArray[Any]:
    """Return Σ_i (−1)^(digits that i and j share) · v_i for every j; the length is a power of 2.

    Each round adds and subtracts along one binary digit, and the digits take turns at being last.

    >>> walsh_hadamard(np.array([5, 1, 0, 2])).tolist()
    [8, 2, 4, 6]
    """
    for _ in range(len(vector).bit_length() - 1):
        even, odd = vector[::2], vector[1::2]
        vector = np.concatenate((even + odd, even - odd))
    return vector
