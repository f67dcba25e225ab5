"""Post-stratification: unbiased, with errors and intervals that hold, and known groups only."""

import numpy as np
import pytest

from crowds import survey_of, zipf
from privet import Estimate, simulate
from privet.errors import InvalidArgument, NoReports, SurveyMismatch
from privet.mechanisms import Cyclotomic, GeometricNoise, KSubset
from privet.sums import poststratify
from refusing import refused_argument

WEIGHTS = {"north": 0.5, "south": 0.3, "east": 0.2}
# The smaller a group is here, the fewer of it answered, and the more unlike the others it is.
SIZES = {"north": 40, "south": 300, "east": 1000}
TRUTHS = {"north": zipf(6)[::-1], "south": zipf(6), "east": np.full(6, 1 / 6)}
TRUTH = sum(WEIGHTS[group] * TRUTHS[group] for group in WEIGHTS)


def draw(survey, sizes, truths, rng, people=None):
    """An estimate of each group: of people drawn from a truth, or from so many people of it."""
    estimates = {}
    for group, n in sizes.items():
        if people is None:
            took_part = rng.multinomial(n, truths[group])
        else:
            took_part = rng.multivariate_hypergeometric(people[group], n)
        estimates[group] = Estimate(survey, n, simulate.counts(survey.mechanism, took_part, rng))
    return estimates


@pytest.mark.parametrize("mechanism", [KSubset(6, 1.0), KSubset(6, 5.0), GeometricNoise(6, 2.0)])
def test_shares_are_unbiased_and_intervals_cover(mechanism):
    """400 repeats, with a heavy group of forty."""
    survey, rng, repeats = survey_of(mechanism), np.random.default_rng(1), 400
    shares, hits, together, totals, errors, of_total = [], 0.0, 0.0, 0.0, 0.0, []
    for _ in range(repeats):
        whole = poststratify(draw(survey, SIZES, TRUTHS, rng), WEIGHTS)
        shares.append(whole.frequencies)
        errors += np.square(whole.standard_errors) / repeats
        low, high = whole.interval()
        hits += ((low <= TRUTH) & (high >= TRUTH)).mean() / repeats
        low, high = whole.interval(0.9, simultaneous=True)
        together += ((low <= TRUTH) & (high >= TRUTH)).all() / repeats
        total = whole.total(["c1", "c4", "c5"])
        of_total.append((total.value, total.standard_error**2))
        low, high = total.interval()
        totals += (low <= TRUTH[[1, 4, 5]].sum() <= high) / repeats
    assert 0.94 <= hits <= 0.985
    assert together >= 0.9 - 3 * (0.9 * 0.1 / repeats) ** 0.5
    assert 0.95 - 3 * (0.95 * 0.05 / repeats) ** 0.5 <= totals
    off = (np.mean(shares, axis=0) - TRUTH) / np.sqrt(errors / repeats)
    assert np.abs(off).max() < 4.9
    assert np.var(shares, axis=0) == pytest.approx(errors, rel=4.9 * (2 / repeats) ** 0.5)
    values, squares = np.array(of_total).T
    assert values.var() == pytest.approx(squares.mean(), rel=4.9 * (2 / repeats) ** 0.5)


def test_the_unweighted_estimate_is_far_off():
    """The negative control: what everyone said is not what they would all say."""
    survey, rng = survey_of(KSubset(6, 5.0)), np.random.default_rng(2)
    whole = poststratify(draw(survey, SIZES, TRUTHS, rng), WEIGHTS)
    pooled = Estimate(survey, whole.n, whole.counts)
    low, high = pooled.interval(0.999)
    assert not ((low <= TRUTH) & (high >= TRUTH)).all()
    low, high = whole.interval(0.999)
    assert ((low <= TRUTH) & (high >= TRUTH)).all()


@pytest.mark.parametrize("times", [1, 1.1, 2])
def test_finite_groups(times):
    """400 repeats of groups of whom a half or more took part."""
    survey, rng, repeats = survey_of(KSubset(6, 4.0)), np.random.default_rng(3), 400
    sizes = {"north": 60, "south": 200, "east": 120}
    people = {g: rng.multinomial(int(times * n), TRUTHS[g]) for g, n in sizes.items()}
    known = {group: int(one.sum()) for group, one in people.items()}
    truth, hits, totals = sum(people.values()) / sum(known.values()), 0.0, 0.0
    for _ in range(repeats):
        whole = poststratify(draw(survey, sizes, TRUTHS, rng, people), known)
        assert whole.people == sum(known.values())
        low, high = whole.interval(target=whole.people)
        hits += ((low <= truth) & (truth <= high)).mean() / repeats
        low, high = whole.total(["c1", "c4"], target=whole.people).interval()
        totals += (low <= truth[[1, 4]].sum() <= high) / repeats
    assert 0.945 <= hits <= 0.995
    assert totals >= 0.95 - 3 * (0.95 * 0.05 / repeats) ** 0.5


def test_sizes_of_groups_scale_to_shares_and_effects():
    survey = survey_of(KSubset(3, 1.0))
    counts = np.array([400, 350, 250])
    alike = {group: Estimate(survey, 1000, counts) for group in "abcd"}
    even = poststratify(alike, dict.fromkeys("abcd", 0.25))
    assert even.design_effect == pytest.approx(1)
    assert even.frequencies == pytest.approx(alike["a"].frequencies)
    assert even.standard_errors == pytest.approx(alike["a"].standard_errors / 2)
    uneven = poststratify(alike, {"a": 7, "b": 1, "c": 1, "d": 1})
    # Where all groups are alike it is Kish's, n Σ w²/n_g.
    assert uneven.design_effect == pytest.approx(4 * (0.49 + 0.03))
    assert uneven.people == 10
    assert uneven.n == 4000
    assert uneven.counts.tolist() == [1600, 1400, 1000]


def test_rounded_shares_are_made_up_to_one():
    survey = survey_of(KSubset(3, 1.0))
    three = {group: Estimate(survey, 100, np.array([40, 35, 25])) for group in "abc"}
    whole = poststratify(three, dict.fromkeys("abc", 0.333))
    assert sum(whole.shares.values()) == pytest.approx(1)
    assert whole.people is None
    for figure in ("3 groups", "300 reports", "1.00"):
        assert figure in repr(whole)


def test_totals_of_all_of_one_and_of_most():
    survey = survey_of(Cyclotomic(8, 1.0, p=13, m=4, u=1))
    rng = np.random.default_rng(4)
    truths = {"a": zipf(8), "b": zipf(8)}
    whole = poststratify(draw(survey, {"a": 500, "b": 900}, truths, rng), {"a": 0.4, "b": 0.6})
    every = whole.total([f"c{i}" for i in range(8)])
    assert (every.value, every.interval()) == (1, (1, 1))
    one, low, high = whole.total("c2"), *whole.interval()
    assert one.value == pytest.approx(whole.frequencies[2])
    assert one.interval() == pytest.approx((low[2], high[2]), abs=0.002)
    few, most = whole.total(["c0", "c1"]), whole.total([f"c{i}" for i in range(2, 8)])
    assert most.value == pytest.approx(1 - few.value)
    low, high = few.interval()
    assert most.interval() == pytest.approx((1 - high, 1 - low))
    assert few.standard_error == pytest.approx(most.standard_error)


def test_what_does_not_fit_is_named():
    survey = survey_of(KSubset(3, 1.0))
    one, other = (Estimate(survey, 100, np.array([40, 35, 25])) for _ in range(2))
    both = {"north": one, "south": other}
    good = {"north": 0.5, "south": 0.5}
    for shares, kind, named in (
        (good | {"east": 0.1}, NoReports, r"'east'.*\b0\.1\b"),
        ({"north": 1.0}, InvalidArgument, r"'shares'.*'south'.*\b100\b"),
        ({"north": 0.5, "south": 0.4}, InvalidArgument, r"'shares'.*\b0\.9\b"),
        ({"north": 25.5, "south": 74.5}, InvalidArgument, r"'shares'.*\b100\b"),
        ({"north": 1.2, "south": -0.2}, InvalidArgument, r"shares\['south'\].* -0\.2\b"),
        ({"north": True, "south": 1}, InvalidArgument, r"shares\['north'\]"),
        ({"north": float("nan"), "south": 1}, InvalidArgument, r"shares\['north'\]"),
    ):
        with pytest.raises(kind, match=named):
            poststratify(both, shares)
    with pytest.raises(NoReports):
        poststratify({}, {})
    with pytest.raises(NoReports):
        poststratify({"north": Estimate(survey, 0, np.zeros(3, dtype=int))}, {"north": 1})
    second = Estimate(survey_of(KSubset(3, 2.0)), 100, np.array([40, 35, 25]))
    with pytest.raises(SurveyMismatch):
        poststratify({"north": one, "south": second}, good)


def test_targets():
    survey = survey_of(KSubset(3, 4.0))
    both = {g: Estimate(survey, 100, np.array([60, 25, 15])) for g in ("north", "south")}
    whole = poststratify(both, {"north": 900, "south": 100})
    widths = [np.ptp(whole.interval(target=t), axis=0) for t in (1000, 10**5, "population")]
    assert (np.diff(widths, axis=0) > 0).all()
    assert whole.columns(target=1000)["people"] == pytest.approx(1000 * whole.frequencies)
    with refused_argument("target", value="sample"):
        whole.interval(target="sample")
    with refused_argument("target", value=900):
        whole.total("c0", target=900)
