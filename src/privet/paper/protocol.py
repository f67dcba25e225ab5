"""The experiment behind the paper's Table 1: its own protocol, and the real mechanisms.

The paper draws a random distribution θ, lets n = 10,000 people answer, projects the unbiased
estimate onto the simplex, and prints the mean error. Its numbers reveal what it does not say:

- θ is a vector of i.i.d. uniform numbers, normalized, and the people are drawn from it;
- the error is measured against these people's own frequencies, not against θ;
- each count is drawn independently, f_j ~ Binomial(n_j, g) + Binomial(n - n_j, h).

With real reports each count has the same law, but the counts are dependent: every report contains k
values, so they sum to nk. Independent noise shifts the sum of the estimates, and the projection
removes that part, 1/d of the squared error, for free. The estimates from real reports already sum
to 1, so nothing is removed. Only for binary randomized response are the counts independent, given
the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..analysis.arrays import Floats, Integers
from ..device.mechanisms.bits.binary_rr import BinaryRR
from ..device.mechanisms.subsets.k_subset import KSubset
from ..device.mechanisms.subsets.multivariate_rr import MultivariateRR
from ..device.mechanisms.symmetric import Symmetric
from ..simulate import counts

PEOPLE = 10_000
NORMS = ("l2", "l1")
MECHANISMS: dict[str, Callable[[int, float], Symmetric]] = {
    "brr": BinaryRR,
    "mrr": MultivariateRR,
    "kstar": partial(KSubset, k="information"),
    "ksharp": partial(KSubset, k="l2"),
}
LABELS = {"brr": "BRR", "mrr": "MRR", "kstar": "k*-subset", "ksharp": "k#-subset"}


def simulate(
    d: int, epsilon: float, repeats: int, rng: np.random.Generator
) -> dict[str, tuple[Floats, Floats]]:
    """Return, for each mechanism, its errors by the paper's protocol and with real reports.

    Both are float (2, repeats): the squared ℓ2 norm and the ℓ1 norm. All mechanisms ask the same
    crowds.
    """
    crowds = draw_crowds(d, repeats, rng)
    errors = {}
    for name, make in MECHANISMS.items():
        mechanism = make(d, epsilon)
        marginal = _errors(mechanism, marginal_counts(mechanism, crowds, rng), crowds)
        if isinstance(mechanism, BinaryRR):
            joint = marginal  # the same, because the bits are independent
        else:
            reported = np.stack([counts(mechanism, crowd, rng) for crowd in crowds])
            joint = _errors(mechanism, reported, crowds)
        errors[name] = marginal, joint
    return errors


def draw_crowds(d: int, repeats: int, rng: np.random.Generator) -> Integers:
    """Return how many people hold each value, (repeats, d); each row has its own random θ."""
    theta = rng.random((repeats, d))
    return rng.multinomial(PEOPLE, theta / theta.sum(axis=1, keepdims=True))


def marginal_counts(mechanism: Symmetric, crowds: Integers, rng: np.random.Generator) -> Integers:
    """Return the counts of the paper's protocol, each drawn independently from its own law."""
    own: Integers = rng.binomial(crowds, mechanism.g)
    return own + rng.binomial(PEOPLE - crowds, mechanism.h)


def project_rows(v: Floats) -> Floats:
    """Return the distribution nearest to each row, like refine.project_simplex for a single one.

    >>> project_rows(np.array([[0.5, 0.7, -0.2], [1.0, 1.0, 1.0]])).round(3)
    array([[0.4  , 0.6  , 0.   ],
           [0.333, 0.333, 0.333]])
    """
    descending = -np.sort(-v, axis=1)
    surplus = np.cumsum(descending, axis=1) - 1
    size = np.arange(1, v.shape[1] + 1)
    kept = np.count_nonzero(descending * size > surplus, axis=1, keepdims=True)
    tau = np.take_along_axis(surplus, kept - 1, axis=1) / kept
    projected: Floats = np.maximum(v - tau, 0)
    return projected


def _errors(mechanism: Symmetric, reported: Integers, crowds: Integers) -> Floats:
    """Return the squared ℓ2 and the ℓ1 distance from the people's own frequencies, (2, repeats)."""
    wrong = project_rows(mechanism.frequencies(reported, PEOPLE)) - crowds / PEOPLE
    return np.stack([np.square(wrong).sum(axis=1), np.abs(wrong).sum(axis=1)])
