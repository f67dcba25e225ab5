"""Every mechanism once: small enough to be enumerated, and of usual size."""

from functools import cache

import numpy as np
import pytest

from exact import laws
from privet.mechanisms import (
    BinaryRR,
    Cyclotomic,
    Exclusive,
    GeometricNoise,
    Hadamard,
    HashedRR,
    Interval,
    KSubset,
    ListedSets,
    LocalHash,
    MultivariateRR,
    OneBit,
    OneOption,
    OptimizedUnary,
    Projective,
    Rappor,
    SetSubset,
    TwoLevelUnary,
    for_one,
    for_several,
)

# A mechanism is one line: how to make one so small that all its reports can be enumerated. Epsilon
# is what one report promises.
SMALL = {
    KSubset: lambda epsilon: KSubset(5, epsilon, k=2),
    Cyclotomic: lambda epsilon: Cyclotomic(5, epsilon, p=7, m=3, u=1),
    Projective: lambda epsilon: Projective(6, epsilon, q=2),
    Hadamard: lambda epsilon: Hadamard(5, epsilon),
    MultivariateRR: lambda epsilon: MultivariateRR(9, epsilon),
    BinaryRR: lambda epsilon: BinaryRR(4, epsilon),
    OptimizedUnary: lambda epsilon: OptimizedUnary(4, epsilon),
    TwoLevelUnary: lambda epsilon: TwoLevelUnary(4, 2 * epsilon, report_epsilon=epsilon),
    LocalHash: lambda epsilon: LocalHash(4, epsilon),
    OneBit: lambda epsilon: OneBit(5, epsilon),
    HashedRR: lambda epsilon: HashedRR(4, epsilon, cohorts=5, buckets=3),
    Rappor: lambda epsilon: Rappor(3, epsilon, cohorts=3, bits=5, hashes=2),
    Interval: lambda epsilon: Interval(5, epsilon, window=2),
    GeometricNoise: lambda epsilon: GeometricNoise(3, epsilon, limit=1),
}

# Every mechanism that a survey may name is held to the contract.
assert {cls.name for cls in SMALL} == set(for_one)

# By these a person holds several values: they are held to as much as does not need one.
SEVERAL = {
    SetSubset: lambda epsilon: SetSubset(4, epsilon, most=2, k=2),
    OneOption: lambda epsilon: OneOption(4, epsilon, most=2),
    ListedSets: lambda epsilon: ListedSets(3, epsilon, most=2, k=2),
}
assert {cls.name for cls in SEVERAL} == set(for_several)

every_mechanism = pytest.mark.parametrize("cls", [*SMALL, *SEVERAL], ids=lambda cls: cls.name)
# All but one, which has the mean over those who were asked about an option.
averaging = pytest.mark.parametrize(
    "cls", [cls for cls in (*SMALL, *SEVERAL) if cls is not OneOption], ids=lambda cls: cls.name
)
one_value_each = pytest.mark.parametrize("cls", SMALL, ids=lambda cls: cls.name)


@cache
def small(cls, epsilon=1.0):
    return SEVERAL[cls](epsilon) if cls in SEVERAL else SMALL[cls](epsilon)


def made(cls, d, epsilon):
    most = 1 if cls is ListedSets and d == 300 else 2  # there are too many pairs of so many options
    return cls(d, epsilon, **({"most": most} if cls in SEVERAL else {}))


@cache
def usual(cls, d=37):
    return made(cls, d, 1.0)


@cache
def tables(cls, epsilon=1.0):
    return laws(small(cls, epsilon))


def values_of(mechanism, n, seed=1):
    values = np.random.default_rng(seed).integers(0, mechanism.d, n)
    return values if isinstance(mechanism, Exclusive) else values[:, None]
