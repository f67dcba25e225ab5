"""The test of "nobody holds this value" is exact."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from privet.analysis.presence import binomial_tail, least_count, least_share
from privet.mechanisms import Hadamard, KSubset, LocalHash, OptimizedUnary


@pytest.mark.parametrize("mechanism", [KSubset(4, 1.0), OptimizedUnary(9, 3.0), Hadamard(7, 0.5)])
def test_p_values_are_binomial_tails(mechanism):
    n, (_, h) = 12, mechanism.hit_rates
    law = [comb(n, f) * h**f * (1 - h) ** (n - f) for f in range(n + 1)]
    tails = [float(sum(law[f:], Fraction())) for f in range(n + 1)]
    p_values = mechanism.analyst.estimator.p_values
    most = n * mechanism.g  # a larger count is no surer than this one
    tails[int(most) + 1 :] = [float(binomial_tail(most, n, float(h)))] * (n - int(most))
    assert (
        tails[int(most)]
        >= tails[-1] * (1 - 1e-9)
        >= (1 - 1e-9) * float(binomial_tail(int(most) + 1, n, float(h)))
    )
    assert p_values(np.arange(n + 1), n) == pytest.approx(tails, rel=1e-12)
    assert binomial_tail(n + 1, n, float(h)) == 0


@pytest.mark.parametrize("mechanism", [KSubset(20, 2.0), LocalHash(20, 2.0), KSubset(50, 8.0)])
@pytest.mark.parametrize("n", [1, 5, 400, 10**9])
def test_the_least_count_is_the_least(mechanism, n):
    for chance in (0.3, 0.05, 1e-5):
        count = least_count(mechanism, n, chance)
        assert binom.sf(count - 1, n, mechanism.h) <= chance
        assert binom.sf(count - 2, n, mechanism.h) > chance
        share = least_share(mechanism, n, count, 0.9)
        if share is None:
            assert binom.sf(count - 1, n, mechanism.g) < 0.9
        else:
            rate = mechanism.h + share * (mechanism.g - mechanism.h)
            assert binom.sf(count - 1, n, rate) == pytest.approx(0.9, rel=1e-6)
