"""Parts of the sampling kernels that no report shows alone."""

import numpy as np
import pytest

from privet.analysis.kernels import subset_draws


@pytest.mark.parametrize("d", [2, 64, 65, 1000, 2**16, 2**20])
@pytest.mark.parametrize("k", [1, 2, 3, 10, 63, 400])
def test_members_are_sorted_and_the_set_is_left_empty(d, k):
    rng = np.random.default_rng(d + k)
    seen = np.zeros((d - 1 >> 6) + 1, np.uint64)
    for _ in range(20):
        members = rng.choice(d, min(k, d), replace=False).astype(np.uint64)
        expected = np.sort(members)
        subset_draws._sort(members, seen)
        assert np.array_equal(members, expected)
        assert not seen.any()
