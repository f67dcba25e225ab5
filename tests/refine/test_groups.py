"""Groups that are shrunk together: much less error where they are alike, no more where not."""

import numpy as np
import pytest

from crowds import zipf
from privet.errors import InvalidArgument
from privet.mechanisms import GeometricNoise, Hadamard, KSubset
from privet.refine import shrink, shrink_groups
from privet.simulate import counts

MECHANISMS = [KSubset(4, 0.5), KSubset(10, 1.0), KSubset(10, 3.0)]


def draw(mechanism, truths, sizes, rng):
    people = [rng.multinomial(n, truth) for n, truth in zip(sizes, truths, strict=True)]
    return [counts(mechanism, some, rng) for some in people]


def errors(mechanism, truths, sizes, rng):
    """The squared error of groups shrunk together, and each by itself."""
    hits = [
        counts(mechanism, rng.multinomial(n, t), rng) for n, t in zip(sizes, truths, strict=True)
    ]
    alone = [shrink(mechanism, f, n).frequencies for f, n in zip(hits, sizes, strict=True)]
    together = shrink_groups(mechanism, hits, sizes)
    assert together.min() >= 0
    assert together.sum(axis=1) == pytest.approx(1)
    return [np.square(shares - truths).sum() for shares in (together, alone)]


def alike(d, groups, rng):
    return np.tile(zipf(d), (groups, 1))


def nearly_alike(d, groups, rng):
    return rng.dirichlet(30 * zipf(d), groups)


def unlike(d, groups, rng):
    """Each group has a few values of its own."""
    return rng.dirichlet(zipf(d), groups)


def opposed(d, groups, rng):
    """Each group has its own order of values."""
    shares = zipf(d) ** 2 / np.sum(zipf(d) ** 2)
    return np.array([rng.permutation(shares) for _ in range(groups)])


@pytest.mark.parametrize("sizes", [[200] * 10, [50] * 5 + [2000] * 5], ids=["even", "uneven"])
@pytest.mark.parametrize(
    "mechanism", [KSubset(4, 0.5), KSubset(10, 1.0), KSubset(10, 3.0)], ids=repr
)
@pytest.mark.parametrize(
    ("crowd", "least", "most"),
    [(alike, 0, 0.35), (nearly_alike, 0, 0.9), (unlike, 0.7, 1.15), (opposed, 0.7, 1.25)],
)
def test_how_much_less_error_there_is(crowd, least, most, mechanism, sizes):
    """The mean over 30 repeats; a ratio of 1 is that of shrinking each group by itself."""
    rng, d = np.random.default_rng(1), mechanism.d
    repeats = [errors(mechanism, crowd(d, len(sizes), rng), sizes, rng) for _ in range(30)]
    together, alone = np.sum(repeats, axis=0)
    assert least <= together / alone <= most


@pytest.mark.parametrize("groups", [2, 3])
def test_few_groups_are_trusted_less(groups):
    rng, mechanism = np.random.default_rng(2), KSubset(10, 1.0)
    for crowd, most in ((alike, 0.8), (opposed, 1.3)):
        truths = [crowd(10, groups, rng) for _ in range(60)]
        repeats = [errors(mechanism, one, [200] * groups, rng) for one in truths]
        together, alone = np.sum(repeats, axis=0)
        assert together / alone < most


def test_one_group_is_shrunk_by_itself():
    mechanism, hits = KSubset(4, 1.0), np.array([320, 270, 230, 180])
    together = shrink_groups(mechanism, [hits], [1000])
    assert together[0] == pytest.approx(shrink(mechanism, hits, 1000).frequencies)


def test_a_large_group_hardly_moves():
    """Where a group knows its own shares, the others have no say."""
    mechanism, rng = KSubset(6, 2.0), np.random.default_rng(3)
    truths = [zipf(6), zipf(6)[::-1], np.full(6, 1 / 6)]
    sizes = [1_000_000, 300, 300]
    hits = [
        counts(mechanism, rng.multinomial(n, t), rng) for n, t in zip(sizes, truths, strict=True)
    ]
    alone = shrink(mechanism, hits[0], sizes[0]).frequencies
    assert shrink_groups(mechanism, hits, sizes)[0] == pytest.approx(alone, abs=2e-4)


def test_designs_too():
    mechanism, rng = Hadamard(20, 1.0), np.random.default_rng(4)
    together, alone = errors(mechanism, alike(20, 8, rng), [300] * 8, rng)
    assert together < 0.6 * alone


def test_bad_arguments():
    mechanism, hits = KSubset(3, 1.0), np.array([[4, 3, 3], [4, 3, 3]])
    for wrong, n in ((hits[0], [10]), (hits, [10]), (hits[:0], [])):
        with pytest.raises(InvalidArgument, match="a row for each of n's groups"):
            shrink_groups(mechanism, wrong, n)
    with pytest.raises(InvalidArgument, match=r"counts\[0\]"):
        shrink_groups(mechanism, hits, [10, 3])
    with pytest.raises(InvalidArgument, match="a Symmetric mechanism"):
        shrink_groups(GeometricNoise(3, 1.0), hits, [10, 10])
