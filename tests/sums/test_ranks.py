"""Who leads: ranks, the top k and the leader hold at their level, whatever the shares are."""

from functools import cache
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

from crowds import survey_of, zipf
from privet import Estimate, simulate
from privet.analysis.sums.covariance import covariance, least_chances
from privet.analysis.sums.ranks import _Comparison, _surely_less
from privet.errors import NoReports
from privet.mechanisms import (
    BinaryRR,
    Cyclotomic,
    GeometricNoise,
    HashedRR,
    Interval,
    KSubset,
    LocalHash,
    MultivariateRR,
    OneBit,
    OptimizedUnary,
)
from privet.sums import lead, ranks, top
from refusing import refused_argument

MODULE = import_module("privet.analysis.sums.ranks")  # the package has a function of this name
REPEATS = 400
MOST = 0.05 + 3 * (0.05 * 0.95 / REPEATS) ** 0.5


# --- two categories, exactly ----------------------------------------------------------------------

SYMMETRIC = [
    KSubset(8, 1.0, k=3),
    KSubset(6, 4.0, k=3),
    KSubset(8, 0.5, k=6),
    MultivariateRR(8, 1.0),
    OptimizedUnary(8, 1.0),
    BinaryRR(8, 4.0),
    Cyclotomic(8, 1.0, p=13, m=4, u=1),
    LocalHash(6, 1.0),
    LocalHash(9, 0.3),
    OneBit(5, 1.0),
]


def together(mechanism, theta):
    """P(i and j in a report of someone from theta), for all i and j."""
    apply, d = covariance(mechanism, theta), mechanism.d
    rates = mechanism.h + (mechanism.g - mechanism.h) * theta
    matrix = np.array([apply(unit) for unit in np.eye(d)])
    return (mechanism.g - mechanism.h) ** 2 * matrix + np.outer(rates, rates)


@pytest.mark.parametrize("mechanism", SYMMETRIC, ids=repr)
def test_no_pair_is_rarer_than_its_least_chance(mechanism):
    own, other = least_chances(mechanism)
    chances = [together(mechanism, unit) for unit in np.eye(mechanism.d)]
    for i, j in combinations(range(mechanism.d), 2):
        apart = [chances[x][i, j] for x in range(mechanism.d) if x not in (i, j)]
        assert chances[i][i, j] == pytest.approx(own, abs=1e-12)
        assert min(apart) >= other - 1e-12
        if isinstance(mechanism, (KSubset, OptimizedUnary, BinaryRR, OneBit)):
            assert apart == pytest.approx([other] * len(apart), abs=1e-12)


@pytest.mark.parametrize("mechanism", SYMMETRIC, ids=repr)
@pytest.mark.parametrize("n", [8, 50])
def test_of_two_equal_shares_none_is_found_larger(mechanism, n):
    """Over all reports that n people can send: at most with the probability alpha."""
    for share in (0.0, 0.1, 0.45):
        theta = np.full(mechanism.d, (1 - 2 * share) / (mechanism.d - 2))
        theta[:2] = share
        both = max(together(mechanism, theta)[0, 1], 0)
        alone = mechanism.h + (mechanism.g - mechanism.h) * share - both
        one, two, shared = np.indices((n + 1,) * 3).reshape(3, -1)
        rest = n - one - two - shared
        one, two, shared, rest = (x[rest >= 0] for x in (one, two, shared, rest))
        kinds = ((one, alone), (two, alone), (shared, both), (rest, 1 - both - 2 * alone))
        chances = gammaln(n + 1) + sum(xlogy(x, max(p, 0)) - gammaln(x + 1) for x, p in kinds)
        assert np.exp(chances).sum() == pytest.approx(1)
        for alpha in (0.3, 0.05, 0.001, 1e-6):
            less = _surely_less(mechanism, n, np.arange(n + 1), alpha)
            larger = less[one + shared] >= two + shared
            assert np.exp(chances[larger]).sum() <= alpha


def test_a_sign_test_where_reports_name_one_value():
    """At k = 1: 9 of 10, 8 of 9 and 6 of 6 are sure, two-sided at 5 %; 9 of 11 and 5 of 5 are not.

    Their tails are 11/1024, 10/512 and 1/64; 67/2048 and 1/32.
    """
    less = _surely_less(MultivariateRR(8, 1.0), 100, np.array([9, 8, 6, 5, 0]), 0.025)
    assert less.tolist() == [1, 1, 0, -1, -1]


@pytest.mark.parametrize("mechanism", [KSubset(40, 1.0), OptimizedUnary(40, 1.0)], ids=repr)
def test_with_many_reports_a_difference_is_held_against_its_standard_error(mechanism):
    """The critical difference is 1.96 errors, within 1 %."""
    n, first = 10**8, round(10**8 * (mechanism.h + 0.1 * (mechanism.g - mechanism.h)))
    less = int(_surely_less(mechanism, n, np.array([first]), 0.025)[0])
    counts = np.full(40, (round(n * sum(_sizes(mechanism))) - first - less) // 38)
    counts[:2] = first, less
    found = Estimate(survey_of(mechanism), n, counts).difference("c0", "c1")
    assert found.value / found.standard_error == pytest.approx(1.96, rel=0.01)


def _sizes(mechanism):
    """How many values a report supports, on average: the person's, and others."""
    return mechanism.g, (mechanism.d - 1) * mechanism.h


# --- all categories, drawn ------------------------------------------------------------------------

CROWDS = {5: (KSubset, 1.0, 2000), 40: (MultivariateRR, 5.0, 300), 244: (OptimizedUnary, 1.0, 5000)}


def shape(name, d):
    """Zipf's shares; ties with a few above them; one giant and many that are equal."""
    if name == "zipf":
        return zipf(d)
    weights = np.ones(d)
    weights[:3] += (1.5, 1, 1) if name == "ties" else (d, 0, 0)
    return weights / weights.sum()


@cache
def crowd(d, name):
    """The true shares, and surveys of people drawn from them."""
    kind, epsilon, n = CROWDS[d]
    mechanism, theta, rng = kind(d, epsilon), shape(name, d), np.random.default_rng(51)
    survey = survey_of(mechanism)
    draws = [simulate.counts(mechanism, rng.multinomial(n, theta), rng) for _ in range(REPEATS)]
    return theta, [Estimate(survey, n, counts) for counts in draws]


def true_ranks(theta):
    """The ranks that each category has; those that are equal share theirs."""
    rounded = theta.round(12)
    return (rounded > rounded[:, None]).sum(axis=1) + 1, (rounded >= rounded[:, None]).sum(axis=1)


def wrong(ends, theta):
    """Whether any rank is not between the ends."""
    (low, high), (least, most) = ends, true_ranks(theta)
    return bool((low > least).any() or (high < most).any())


cases = pytest.mark.parametrize(
    ("d", "name"), [(d, name) for d in CROWDS for name in ("zipf", "ties", "giant")]
)


@cases
def test_all_ranks_lie_between_their_ends(d, name):
    theta, estimates = crowd(d, name)
    assert np.mean([wrong(estimate.ranks(), theta) for estimate in estimates]) <= MOST


@cases
def test_the_top_k_are_between_the_certain_and_the_possible(d, name):
    theta, estimates = crowd(d, name)
    names = estimates[0].survey.categories
    for k in (1, d // 5 + 1, d - 1):
        largest = {names[i] for i in np.argsort(-theta, kind="stable")[:k]}
        found = [estimate.top(k) for estimate in estimates]
        held = [set(each.certain) <= largest <= set(each.possible) for each in found]
        assert 1 - np.mean(held) <= MOST


@cases
def test_the_leader_may_lead(d, name):
    theta, estimates = crowd(d, name)
    found = [lead(estimate) for estimate in estimates]
    leader = int(theta.argmax())
    names = estimates[0].survey.categories
    assert np.mean([names[leader] not in each.possible for each in found]) <= MOST
    margins = []
    for each, estimate in zip(found, estimates, strict=True):
        gap = theta[int(estimate.frequencies.argmax())] - theta[names.index(each.second)]
        margins.append(abs(each.value - gap) <= each.margin)
    if name == "giant":  # where it is known who leads
        assert {each.possible for each in found} == {("c0",)}
        assert 1 - np.mean(margins) <= MOST


@pytest.mark.parametrize("d", CROWDS)
def test_pairs_each_at_the_level_do_not_hold_together(d):
    """Negative control: intervals of differences that are not adjusted for their number."""
    theta, estimates = crowd(d, "giant")
    misses = 0
    for estimate in estimates:
        above, below = _Comparison(estimate)(0.025)
        misses += wrong((1 + above, d - below), theta)
    assert misses / REPEATS > 0.1


@pytest.mark.parametrize(
    "mechanism",
    [GeometricNoise(8, 1.0), HashedRR(8, 1.0), Interval(8, 1.0), LocalHash(8, 1.0), OneBit(8, 1.0)],
    ids=repr,
)
@pytest.mark.parametrize("most", [300, 2])
def test_every_kind_of_mechanism(mechanism, most, monkeypatch):
    """Equal shares; with exact errors of differences, and with those of the categories alone."""
    monkeypatch.setattr(MODULE, "_MOST_EXACT", most)
    rng, survey, theta = np.random.default_rng(52), survey_of(mechanism), np.full(8, 1 / 8)
    misses = np.zeros(2)
    for _ in range(REPEATS):
        counts = simulate.counts(mechanism, rng.multinomial(500, theta), rng)
        estimate = Estimate(survey, 500, counts)
        misses += wrong(ranks(estimate), theta), "c0" not in lead(estimate).possible
    assert (misses / REPEATS <= MOST).all()
    theta = np.array([0.65, *[0.05] * 7])
    counts = simulate.counts(mechanism, rng.multinomial(20_000, theta), rng)
    estimate = Estimate(survey, 20_000, counts)
    assert lead(estimate).possible == top(estimate, 1).certain == ("c0",)
    assert [end[0] for end in ranks(estimate)] == [1, 1]


@pytest.mark.parametrize(
    "mechanism",
    [KSubset(6, 1.0, k=2), KSubset(6, 5.0, k=3), MultivariateRR(6, 3.0), OptimizedUnary(6, 3.0)],
    ids=repr,
)
def test_the_ranks_of_those_who_took_part_lie_there_too(mechanism):
    """Always the same people, none of whose answers is more frequent than another."""
    rng, survey, people = np.random.default_rng(53), survey_of(mechanism), np.full(6, 50)
    draws = [simulate.counts(mechanism, people, rng) for _ in range(REPEATS)]
    found = [wrong(Estimate(survey, 300, counts).ranks(), people / 300) for counts in draws]
    assert np.mean(found) <= MOST


def test_what_is_said_is_of_one_mind():
    """The larger a count, the better its rank; the leader may be of rank 1, and the first."""
    for _, estimates in (crowd(40, "zipf"), crowd(5, "zipf"), crowd(244, "zipf")):
        estimate = estimates[0]
        low, high = estimate.ranks()
        order = np.argsort(-estimate.frequencies, kind="stable")
        assert (np.diff(low[order]) >= 0).all()
        assert (np.diff(high[order]) >= 0).all()
        assert (low <= high).all()
        assert lead(estimate).possible == estimate.top(1).possible
        names = [estimate.survey.categories[i] for i in order]
        assert estimate.top(3).possible == tuple(names[: len(estimate.top(3).possible)])


def test_four_thousand_categories_take_a_moment():
    mechanism = KSubset(4000, 2.0)
    counts = simulate.counts(mechanism, np.random.default_rng(1).multinomial(10**7, zipf(4000)), 2)
    low, high = Estimate(survey_of(mechanism), 10**7, counts).ranks()
    assert low[0] == high[0] == 1
    assert not wrong((low, high), zipf(4000))


def test_bad_arguments():
    estimate = Estimate(survey_of(KSubset(4, 1.0)), 100, np.array([40, 30, 20, 10]))
    for k in (0, 4, 1.5):
        with refused_argument("k", "top", value=k):
            estimate.top(k)
    for call in (estimate.ranks, lambda level: estimate.top(1, level)):
        with refused_argument("level", value=1):
            call(1)
    with pytest.raises(NoReports):
        ranks(estimate.survey.tally())
    with refused_argument("estimate", "lead", value=3):
        lead(3)


def test_no_tied_leader_is_left_out():
    """Of 20 equal shares, all may lead: as many as the level of surveys say so."""
    mechanism, n, rng = KSubset(20, 2.0), 3000, np.random.default_rng(5)
    survey, all_lead, all_possible, before = survey_of(mechanism), 0, 0, 0
    for _ in range(REPEATS):
        counts = simulate.counts(mechanism, rng.multinomial(n, np.full(20, 1 / 20)), rng)
        estimate = Estimate(survey, n, counts)
        found = lead(estimate)
        all_lead += len(found.possible) == 20
        all_possible += len(top(estimate, 4).possible) == 20
        largest = counts[[int(counts.argmax())]]
        before += (counts > _surely_less(mechanism, n, largest, 0.05 / (2 * 19))).all()
    assert all_lead / REPEATS >= 1 - MOST
    assert all_possible / REPEATS >= 1 - MOST
    assert before / REPEATS < 1 - MOST  # where all were compared with the largest alone


@pytest.mark.parametrize("mechanism", [KSubset(6, 1.0), HashedRR(6, 1.0)], ids=repr)
def test_the_leader_is_the_top_one(mechanism):
    rng, survey = np.random.default_rng(6), survey_of(mechanism)
    for n in (300, 3000, 30_000):
        crowd = rng.multinomial(n, [0.3, 0.25, 0.2, 0.15, 0.05, 0.05])
        estimate = Estimate(survey, n, simulate.counts(mechanism, crowd, rng))
        assert lead(estimate).possible == top(estimate, 1).possible
