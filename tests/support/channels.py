"""Private channels as matrices: random ones, those of mechanisms, the best of all.

A channel is a matrix Q(z|x) with a row for each of the d values and a column for each report. It is
ε-private when no column has two entries more than a factor E = e^ε apart. A column with entries 1
and E alone is a pattern (paper, eq. 2). A valid mechanism gives columns weights with which every
row sums to 1. What adds up over the columns is linear in the weights: linear programming finds the
best of all mechanisms.
"""

from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog, nnls

import naive
from privet.mechanisms import KSubset

SMALL = list(product((2, 3, 4, 5, 6), (0.1, 0.5, 1.0, 2.0, 4.0)))  # d and ε


def patterns(d, epsilon, exponents=(0, 1)):
    """All columns with entries E^t, one a column."""
    return np.exp(epsilon * np.array(list(product(exponents, repeat=d)))).T


def random_weights(columns, count, seed):
    """Weights of random valid mechanisms: mixtures of three, each made of at most d columns."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        scales = rng.lognormal(size=(3, columns.shape[1]))
        vertices = [scale * nnls(columns * scale, np.ones(len(columns)))[0] for scale in scales]
        yield rng.dirichlet([0.3, 0.3, 0.3]) @ vertices


def random_channels(d, epsilon, count=60):
    """Random private channels: made of patterns, and with entries between 1 and E as well."""
    between = np.random.default_rng(d).uniform()
    for columns in (patterns(d, epsilon), patterns(d, epsilon, (0, between, 1))):
        for weights in random_weights(columns, count, seed=d):
            yield (columns * weights)[:, weights > 0]


def reports(mechanism):
    """All sets that can be reported."""
    d = mechanism.d
    sizes = [mechanism.k] if isinstance(mechanism, KSubset) else range(d + 1)
    return [z for size in sizes for z in combinations(range(d), size)]


def exact_channel(mechanism):
    """Q(z|x) of a mechanism as implemented, in fractions."""
    packed = [naive.pack(z, mechanism.d) for z in reports(mechanism)]
    chances = [[mechanism.probability(z, x) for z in packed] for x in range(mechanism.d)]
    return np.array(chances, dtype=object)


def channel(mechanism):
    return exact_channel(mechanism).astype(float)


def is_private(Q, epsilon):
    valid = np.allclose(Q.sum(axis=1), 1, rtol=0, atol=1e-12)
    return valid and np.all(Q.max(axis=0) <= np.exp(epsilon) * Q.min(axis=0) * (1 + 1e-12))


def information(columns, prior=None):
    """What each column adds to I(X; Z); X is uniform unless told."""
    prior = np.full(len(columns), 1 / len(columns)) if prior is None else np.asarray(prior)
    return prior @ (columns * np.log(columns / (prior @ columns)))


def most(objective, columns):
    """The largest sum of a function of the columns over all valid mechanisms."""
    solution = linprog(-objective, A_eq=columns, b_eq=np.ones(len(columns)))
    assert solution.success
    return -solution.fun
