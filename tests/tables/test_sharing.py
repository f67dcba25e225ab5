"""The people of each page: at the least sum of mean variances, as its gradient says."""

import numpy as np
import pytest

from privet.mechanisms import BinaryRR, KSubset
from privet.tables import compare, page_shares, total_variance
from refusing import refused_argument

CASES = [
    ((3, 4, 2), [(0,), (1,), (2,), (0, 1), (1, 2)], [(0,), (1,), (2,), (0, 1), (1, 2)], 1.0, []),
    ((2, 2, 2), [(0, 1, 2), (0,), (1,), (2,)], [(0,), (1,), (2,), (0, 1)], 0.3, [2.5]),
    ((5, 30, 40), [(0,), (1, 2), (1,), (2,), (0, 1)], [(0,), (1, 2)], 2.0, [0.01, 40.0]),
    ((2,) * 10, [(q,) for q in range(10)] + [(0, 1), (8, 9)], [(q,) for q in range(10)], 7.0, []),
    ((9, 9), [(0, 1), (1, 0), (0,)], [(0, 1)], 1.0, []),  # two pages that are the same
]


def mean_variances(shares, sizes, pages, wanted, epsilon, alone):
    """The sum that is to be small, for one person in all."""
    some = shares[: len(pages)]
    total = sum(c / s for c, s in zip(alone, shares[len(pages) :], strict=True))
    for table in wanted:
        cells = np.prod([sizes[q] for q in table])
        total += total_variance(sizes, pages, some, epsilon, table, sampling=True) / cells
    return total


@pytest.mark.parametrize(("sizes", "pages", "wanted", "epsilon", "alone"), CASES)
def test_shares_meet_the_conditions_of_the_least_sum(sizes, pages, wanted, epsilon, alone):
    """Falling off by as much for every page that is drawn, and by no more for the others.

    The sum falls as 1/shares, so that at the least it falls off by itself for each page.
    """
    shares = page_shares(pages, sizes, epsilon, wanted, alone=alone)
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    least = mean_variances(shares, sizes, pages, wanted, epsilon, alone)
    for v, share in enumerate(shares):
        step = np.zeros(len(shares))
        step[v] = 1e-5 * max(share, 1e-2)
        up = mean_variances(shares + step, sizes, pages, wanted, epsilon, alone)
        slope = (least - up) / step[v]
        assert slope <= least * (1 + 1e-4)
        if share:
            assert slope == pytest.approx(least, rel=1e-3)


def test_shares_of_pages_apart_are_known():
    """The people go as the square roots of the variances."""
    pages, sizes = [(0,), (1,)], (2, 8)
    alone = [3.0]
    shares = page_shares(pages, sizes, 1.0, [(0,), (1,)], alone=alone)
    each = [
        total_variance(sizes, pages, [1, 1], 1.0, (q,), sampling=True) / sizes[q] for q in (0, 1)
    ]
    roots = np.sqrt([*each, *alone])
    np.testing.assert_allclose(shares, roots / roots.sum(), rtol=1e-6)


def test_a_large_table_does_not_starve_a_question():
    """As its mean variance counts, not the total."""
    shares = page_shares([(0,), (1, 2)], (2, 30, 40), 1.0, [(0,), (1, 2)])
    assert 0.3 < shares[0] < 0.7


def test_pages_that_do_not_help_get_nobody():
    """A page of two questions, where each is better asked by itself."""
    shares = page_shares([(0,), (1,), (0, 1)], (4, 4), 1.0, [(0,), (1,)])
    np.testing.assert_allclose(shares, [0.5, 0.5, 0], atol=1e-9)


def test_mechanisms_may_be_given():
    """Complete k-subsets are what ε stands for; others have other shares."""
    pages, sizes, wanted = [(0,), (0, 1)], (3, 5), [(0,), (0, 1)]
    default = page_shares(pages, sizes, 1.0, wanted)
    same = page_shares(pages, sizes, [KSubset(3, 1.0), KSubset(15, 1.0)], wanted)
    other = page_shares(pages, sizes, [KSubset(3, 1.0), BinaryRR(15, 1.0)], wanted)
    np.testing.assert_array_equal(same, default)
    assert other[1] > default[1]


def test_bad_arguments_are_refused():
    """Each by name."""
    with refused_argument("wanted"):
        page_shares([(0,), (1,)], (2, 2), 1.0, [(0, 1)])
    with refused_argument("wanted"):
        page_shares([(0,)], (2,), 1.0, [])
    with refused_argument("page"):
        page_shares([(0, 2)], (2, 2), 1.0, [(0,)])
    with refused_argument("epsilon"):
        page_shares([(0,)], (2,), [KSubset(3, 1.0)], [(0,)])
    with refused_argument("alone[0]", value=0.0):
        page_shares([(0,)], (2,), 1.0, [(0,)], alone=[0.0])


@pytest.mark.parametrize(
    ("sizes", "wins"), [((4, 4), 4.5), ((4,) * 4, 6.4), ((2,) * 10, 6.5)], ids=str
)
def test_splitting_wins_for_few_questions_and_little_privacy(sizes, wins):
    """From there on for single questions; a page of two together is better for their table."""
    before, after = wins - 0.05, wins + 0.05
    pages, people = [(q,) for q in range(len(sizes))], [100] * len(sizes)
    for epsilon, better in [(1.0, True), (before, True), (after, False)]:
        (question,) = compare(sizes, pages, people, epsilon, [(0,)])
        assert (question.pages < question.split) is better
        assert question.pages == pytest.approx(question.one_each)
        (table,) = compare(sizes, [(0, 1)], [100], epsilon, [(0, 1)])
        assert table.pages < table.split
        assert table.one_each == np.inf
