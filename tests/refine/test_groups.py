"""Groups that are shrunk together: much less error where they are alike, no more where not."""

from math import log

import numpy as np
import pytest

from crowds import zipf
from privet.mechanisms import GeometricNoise, Hadamard, KSubset
from privet.refine import project_simplex, shrink, shrink_groups
from privet.simulate import counts
from refusing import refused_argument

MECHANISMS = [KSubset(4, 0.5), KSubset(10, 1.0), KSubset(10, 3.0)]


def draw(mechanism, truths, sizes, rng):
    people = [rng.multinomial(n, truth) for n, truth in zip(sizes, truths, strict=True)]
    return [counts(mechanism, some, rng) for some in people]


def errors(mechanism, truths, sizes, rng):
    """The squared error of groups shrunk together, and each by itself."""
    hits = draw(mechanism, truths, sizes, rng)
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


def by_the_formulas(mechanism, hits, sizes):
    """The module's formulas, a number at a time: the shares, and w before it is cut to [0, 1]."""
    groups, values = range(len(sizes)), range(mechanism.d)
    alone = [shrink(mechanism, f, n) for f, n in zip(hits, sizes, strict=True)]
    common = shrink(mechanism, np.sum(hits, axis=0), sum(sizes)).frequencies
    estimates = [mechanism.frequencies(f, n) for f, n in zip(hits, sizes, strict=True)]
    noise = [mechanism.variance(common, n) for n in sizes]
    spreads = [0.0, *(10 ** (-6 + 6 * step / 40) for step in range(41))]
    cells = [(g, j) for g in groups for j in values]
    log_chances = []
    for spread in spreads:
        log_chance = 0.0
        for g, j in cells:
            variance = noise[g][j] + spread * common[j] * (1 - common[j])
            log_chance -= (log(variance) + (estimates[g][j] - common[j]) ** 2 / variance) / 2
        log_chances.append(log_chance * (1 - 1 / mechanism.d))  # of d gaps, one says nothing
    chances = np.exp(np.array(log_chances) - max(log_chances))
    chances /= chances.sum()
    top, below, moves = 0.0, 0.0, np.zeros((len(sizes), mechanism.d))
    for g, j in cells:
        kept = 0.0
        for chance, spread in zip(chances, spreads, strict=True):
            between = spread * common[j] * (1 - common[j])
            kept += chance * between / (between + noise[g][j])
        own, v = alone[g].frequencies[j], alone[g].standard_deviations[j] ** 2
        moves[g, j] = (1 - kept) * (common[j] - own)
        top += (1 - kept) * (v - (own - estimates[g][j]) * (common[j] - own))
        below += moves[g, j] ** 2
    part = (1 - 1 / len(sizes)) * min(max(top / below, 0), 1)
    return [project_simplex(alone[g].frequencies + part * moves[g]) for g in groups], top / below


def test_it_is_what_the_formulas_say():
    rng, weights = np.random.default_rng(2), []
    for crowd in (alike, unlike):
        for sizes in ([200] * 3, [50, 50, 2000]):
            for mechanism in (KSubset(4, 0.5), KSubset(5, 3.0)):
                hits = draw(mechanism, crowd(mechanism.d, len(sizes), rng), sizes, rng)
                expected, weight = by_the_formulas(mechanism, hits, sizes)
                found = shrink_groups(mechanism, hits, sizes)
                assert found == pytest.approx(np.array(expected), abs=1e-9)
                weights.append(weight)
    assert min(weights) < 0
    assert max(weights) > 1
    assert any(0 < weight < 1 for weight in weights)


@pytest.mark.parametrize("sizes", [[200] * 10, [50] * 5 + [2000] * 5], ids=["even", "uneven"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
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
    hits = draw(mechanism, truths, sizes, rng)
    alone = shrink(mechanism, hits[0], sizes[0]).frequencies
    assert shrink_groups(mechanism, hits, sizes)[0] == pytest.approx(alone, abs=2e-4)


def test_designs_too():
    mechanism, rng = Hadamard(20, 1.0), np.random.default_rng(4)
    together, alone = errors(mechanism, alike(20, 8, rng), [300] * 8, rng)
    assert together < 0.6 * alone


def test_bad_arguments():
    mechanism, hits = KSubset(3, 1.0), np.array([[4, 3, 3], [4, 3, 3]])
    for wrong, n, shapes in (
        (hits[0], [10], "(3,) and (1,)"),
        (hits, [10], "(2, 3) and (1,)"),
        (hits[:0], [], "(0, 3) and (0,)"),
    ):
        with refused_argument("counts", "shrink_groups") as caught:
            shrink_groups(mechanism, wrong, n)
        assert shapes in caught.value.value
    with refused_argument("counts[0]"):
        shrink_groups(mechanism, hits, [10, 3])
    with refused_argument("mechanism"):
        shrink_groups(GeometricNoise(3, 1.0), hits, [10, 10])
