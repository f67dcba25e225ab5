"""Laplace noise on every entry of the one-hot answer: to be simulated and compared, not reported.

As a report it would not be private. Floating-point numbers are not the reals that the proof is
about: which doubles can occur at all depends on the answer, and gives it away (Mironov 2012, On
Significance of the Least Significant Bits for Differential Privacy).
"""

from __future__ import annotations

from typing import ClassVar

from ..base import Exclusive


class LaplaceNoise(Exclusive):
    """The one-hot answer with Laplace noise of scale 2/ε on every entry: for simulation only.

    There are no reports, no parameters and no likelihood ratio here, only what sums of n noisy
    answers are distributed like. `GeometricNoise` is the same idea in integers.

    References
    ----------
    Dwork, McSherry, Nissim, Smith: Calibrating Noise to Sensitivity in Private Data Analysis, 2006.

    >>> LaplaceNoise(100, 1.0).variance([0.0], n=1).tolist()
    [8.0]

    """

    name: ClassVar[str] = "laplace-noise"

    def __init__(self, d: int, epsilon: float) -> None:
        d, epsilon = self._check_domain(d, epsilon)
        self._freeze(d=d, epsilon=epsilon)
