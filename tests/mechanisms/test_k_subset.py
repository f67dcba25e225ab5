"""What a k-subset mechanism is made of: sizes, integers, packed reports, and what is refused."""

from contextlib import nullcontext
from fractions import Fraction
from math import comb, log2

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from privet import theory
from privet.device.mechanisms.odds import floor_exp, floor_log
from privet.errors import InvalidReport, InvalidSurvey
from privet.mechanisms import BinaryRR, KSubset, MultivariateRR
from refusing import refused_argument


def test_sizes_are_the_papers():
    assert KSubset(100, 1.0).k == KSubset(100, 1.0, k="l2").k == 27
    assert KSubset(100, 1.0, k="information").k == 34
    assert KSubset(100, 1.0, k=5).k == 5
    assert KSubset(1000, 2.0).k == 119


def test_the_integers_of_the_worked_example():
    # e at 32 bits, and the hit of d = 100, k = 27 with it.
    assert floor_exp(1.0, 32) == 11674931554
    mechanism = KSubset.from_parameters(
        100, 1.0, {"k": 27, "odds": "11674931554", "scale": 32, "start": [1, 2]}
    )
    assert mechanism.total == 628755764566
    assert mechanism.hit_rates[0] == Fraction(315223151958, 628755764566)


@given(st.floats(1e-9, 60), st.integers(0, 64))
def test_floor_exp_never_exceeds(epsilon, scale):
    exact = mpmath.exp(mpmath.mpf(epsilon)) * mpmath.mpf(2) ** scale
    value = floor_exp(epsilon, scale)
    assert value <= exact < value + 1


@pytest.mark.parametrize("root", [1, 2, 7])
def test_floor_exp_is_too_small_where_its_digits_cannot_tell(root):
    with mpmath.workdps(250):
        digits = int(mpmath.floor(root * mpmath.log(2) * mpmath.mpf(10) ** 200))
    below, above = Fraction(digits, 10**200), Fraction(digits + 1, 10**200)
    assert floor_exp(below, 0, root) == floor_exp(above, 0, root) == 1  # e^above is just over 2
    wider = Fraction(1, 10**140)
    assert (floor_exp(below - wider, 0, root), floor_exp(above + wider, 0, root)) == (1, 2)


@given(st.fractions(1, 10**15, max_denominator=10**15))
def test_floor_log_is_the_float_below(ratio):
    exact = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
    value = floor_log(ratio)
    assert mpmath.mpf(value) <= exact
    assert mpmath.mpf(np.nextafter(value, np.inf)) > exact or ratio == 1


@pytest.mark.parametrize("mechanism", [KSubset, MultivariateRR, BinaryRR])
@given(d=st.integers(2, 5000), epsilon=st.floats(1e-5, 25))
def test_realized_epsilon_is_below_and_close(mechanism, d, epsilon):
    made = mechanism(d, epsilon)
    ratio = made.likelihood_ratio
    assert mpmath.mpf(ratio.numerator) / ratio.denominator <= mpmath.exp(mpmath.mpf(epsilon))
    assert made.realized_epsilon <= epsilon
    assert made.realized_epsilon == pytest.approx(epsilon, rel=1e-6)
    g, h = made.hit_rates
    assert 0 < h < g < 1
    assert (made.g, made.h) == (float(g), float(h))


def test_every_report_counts_k_members_in_the_mean():
    for d, k in [(10, 3), (100, 27), (4097, 1000)]:
        g, h = KSubset(d, 1.0, k).hit_rates
        assert g + (d - 1) * h == k


def test_a_report_takes_the_fewer_bytes_of_bitmap_and_indices():
    for d in [2, 3, 8, 9, 16, 17, 64, 65, 100, 1000, 65_536]:
        for k in {1, 2, 3, d // 4 or 1, d // 2} & set(range(1, d)):
            width = max(1, (d - 1).bit_length())
            expected = min((d + 7) // 8, (k * width + 7) // 8)
            assert KSubset(d, 1.0, k).report_bytes == expected
            assert expected * 8 >= log2(comb(d, k)) if d <= 1000 else True
    assert BinaryRR(100, 1.0).report_bytes == 13


def test_members_reads_what_naive_packs():
    for d, k, members in [(10, 3, [0, 2, 9]), (100, 3, [5, 64, 99]), (300, 1, [299])]:
        mechanism = KSubset(d, 1.0, k)
        assert mechanism.members(naive.pack(members, d, k)) == members


def test_every_list_of_members_has_one_encoding():
    """Of all pairs of bytes, just as many are reports as there are sets, and none says the same."""
    mechanism = KSubset(17, 1.0, 2)
    assert (mechanism.index_bits, mechanism.report_bytes) == (5, 2)
    everything = (number.to_bytes(2, "little") for number in range(2**16))
    good = [report for report in everything if mechanism.problem(report) is None]
    assert len({tuple(mechanism.members(report)) for report in good}) == len(good) == comb(17, 2)


def test_mechanisms_are_values():
    assert KSubset(10, 1.0) == KSubset(10, 1.0, k=3)
    assert hash(KSubset(10, 1.0)) == hash(KSubset(10, 1.0, k=3))
    assert KSubset(10, 1.0) != KSubset(10, 1.0, k=2) != KSubset(10, 2.0, k=2)
    assert KSubset(10, 1.0, k=1) != MultivariateRR(10, 1.0)
    assert repr(BinaryRR(10, 1.0)) == "BinaryRR(d=10, epsilon=1.0)"
    with pytest.raises(AttributeError, match="immutable"):
        KSubset(10, 1.0).k = 5


@pytest.mark.parametrize("mechanism", [KSubset(50, 1.0), MultivariateRR(50, 2.0), BinaryRR(50, 1)])
def test_parameters_rebuild_the_mechanism(mechanism):
    rebuilt = type(mechanism).from_parameters(50, mechanism.epsilon, mechanism.parameters)
    assert rebuilt == mechanism


def test_odds_may_be_so_large_that_they_are_whole_numbers():
    mechanism = KSubset(2, 38.5)
    assert mechanism.scale == 0
    assert KSubset.from_parameters(2, 38.5, mechanism.parameters) == mechanism


@pytest.mark.parametrize("mechanism", [KSubset, MultivariateRR, BinaryRR])
@pytest.mark.parametrize(
    ("d", "epsilon", "parameter"),
    [
        (1, 1.0, "d"),
        (2.5, 1.0, "d"),
        (True, 1.0, "d"),
        ("3", 1.0, "d"),
        (10, 0, "epsilon"),
        (10, -1.0, "epsilon"),
        (10, float("nan"), "epsilon"),
        (10, float("inf"), "epsilon"),
        (10, "1", "epsilon"),
        (10, None, "epsilon"),
        (10, 99.0, "epsilon"),
        (10, 1e-30, "epsilon"),
    ],
)
def test_bad_domains_are_refused(mechanism, d, epsilon, parameter):
    with refused_argument(
        parameter, mechanism.__name__, value={"d": d, "epsilon": epsilon}[parameter]
    ):
        mechanism(d, epsilon)


@pytest.mark.parametrize("k", [0, 10, 12, -1, 2.0, True, "L2", None])
def test_bad_sizes_are_refused(k):
    with refused_argument("k", "KSubset", value=k):
        KSubset(10, 1.0, k=k)


def test_the_largest_epsilon_that_can_be_realized_is_said_and_works():
    with refused_argument("epsilon", "KSubset", value=38.9, naming=r"38\.82"):
        KSubset(2, 38.9)
    mechanism = KSubset(2, 38.81)
    assert mechanism.scale == 0
    assert mechanism.realized_epsilon == pytest.approx(38.81, rel=1e-15)


def test_an_epsilon_that_integers_cannot_tell_from_0_is_refused():
    least = 1.00000001 * 2**-24
    assert KSubset(2**32 - 2**24, least, k=1).odds == 2**24 + 1
    with refused_argument("epsilon", "KSubset", value=0.99 * least, naming=r"2\^-24"):
        KSubset(2**32 - 2**24, 0.99 * least, k=1)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"odds": str(floor_exp(1.0, 55) + 1), "scale": 55}, "private"),
        ({"odds": "1", "scale": 0}, r"1\.0.* private"),
        ({"scale": -1}, "private"),
        ({"scale": 61}, "private"),
        ({"odds": 5}, r"odds of .*\b5\b"),
        ({"odds": "-5"}, "odds of k-subset"),
        ({"odds": "٣"}, "odds of k-subset"),
        ({"odds": "9" * 5000}, "odds of k-subset"),
        ({"scale": True}, "k, odds"),
        ({"k": 0}, "k of k-subset.*99"),
        ({"k": 100}, "k of k-subset.*99"),
        ({"start": [1]}, "k, odds"),
        ({"start": [4, 2]}, r"start \[4, 2\]"),
        ({"start": [1, 65]}, r"start \[1, 65\]"),
        ({"extra": 1}, "k, odds"),
    ],
)
def test_tampered_parameters_are_refused(change, named):
    parameters = {**KSubset(100, 1.0).parameters, **change}
    with pytest.raises(InvalidSurvey, match=named):
        KSubset.from_parameters(100, 1.0, parameters)


def test_lists_of_members_start_from_nothing():
    parameters = {**KSubset(100, 1.0, k=1).parameters, "start": [0, 1]}
    with pytest.raises(InvalidSurvey, match=r"start \[0, 1\]"):
        KSubset.from_parameters(100, 1.0, parameters)


def test_coins_that_leave_many_members_too_many_are_refused():
    d, k = 2**20, 52_429  # the smallest sets that are bitmaps
    mechanism = KSubset(d, 1.0, k)
    size, others = k - 1, d - 1
    most = size + 16 * d * size // others  # removing them takes up to 16 draws for every value
    named = rf"\b{k} of {d}\b"
    for members, too_many in ((most, False), (most + 1, True)):
        start = [-(-members * 2**64 // others), 64]
        with pytest.raises(InvalidSurvey, match=named) if too_many else nullcontext():
            KSubset.from_parameters(d, 1.0, {**mechanism.parameters, "start": start})


def test_a_total_beyond_64_bits_is_refused():
    parameters = {"k": 27, "odds": str(floor_exp(1.0, 60)), "scale": 60, "start": [0, 0]}
    with pytest.raises(InvalidSurvey, match="64-bit"):
        KSubset.from_parameters(100, 1.0, parameters)
    for odds, too_large in ((15 << 60, True), ((15 << 60) - 1, False)):  # totals of 2^64 and below
        parameters = {"k": 1, "odds": str(odds), "scale": 60, "start": [0, 0]}
        with pytest.raises(InvalidSurvey, match="64-bit") if too_large else nullcontext():
            KSubset.from_parameters(2, 3.0, parameters)


@pytest.mark.parametrize("flip", ["0", str(2**63), 5, "x", None])
def test_tampered_flips_are_refused(flip):
    with pytest.raises(InvalidSurvey):
        BinaryRR.from_parameters(10, 1.0, {"flip": flip})
    honest = int(BinaryRR(10, 1.0).parameters["flip"])
    with pytest.raises(InvalidSurvey, match="private"):
        BinaryRR.from_parameters(10, 1.0, {"flip": str(honest - 1)})
    assert BinaryRR.from_parameters(10, 1.0, {"flip": str(honest + 1)}).realized_epsilon < 1


def test_multivariate_rr_keeps_its_size():
    parameters = KSubset(10, 1.0, k=2).parameters
    with pytest.raises(InvalidSurvey, match=r"k of .*\b2\b"):
        MultivariateRR.from_parameters(10, 1.0, parameters)


def flip_bit(report, bit):
    number = int.from_bytes(report, "little") ^ 1 << bit
    return number.to_bytes(len(report), "little")


@pytest.mark.parametrize(
    ("mechanism", "report", "named"),
    [
        (KSubset(10, 1.0, k=3), b"\x07\x04", r"\b10\b"),
        (KSubset(10, 1.0, k=3), b"\x03\x00", r"3 members.* 2\b"),
        (KSubset(10, 1.0, k=3), b"\x0f\x00", r"3 members.* 4\b"),
        (KSubset(10, 1.0, k=3), b"\x07", r"2 bytes.* 1\b"),
        (KSubset(10, 1.0, k=3), b"\x07\x00\x00", r"2 bytes.* 3\b"),
        (KSubset(10, 1.0, k=3), b"", r"2 bytes.* 0\b"),
        (KSubset(100, 1.0, k=2), (100 | 3 << 7).to_bytes(2, "little"), r"\b100\b.*\b100\b"),
        (KSubset(100, 1.0, k=2), (7 | 3 << 7).to_bytes(2, "little"), "order"),
        (KSubset(100, 1.0, k=2), (7 | 7 << 7).to_bytes(2, "little"), "order"),
        (KSubset(100, 1.0, k=2), (3 | 7 << 7 | 1 << 14).to_bytes(2, "little"), r"\b14\b"),
        (MultivariateRR(9, 1.0), b"\x09", r"\b9\b.*\b9\b"),
        (MultivariateRR(9, 1.0), b"\x10", r"\b4\b"),
        (BinaryRR(10, 1.0), b"\x00\x04", r"\b10\b"),
        (BinaryRR(10, 1.0), b"\x00", "2 bytes"),
    ],
)
def test_what_is_no_report_is_refused(mechanism, report, named):
    for refuse in (mechanism.check, mechanism.tally, lambda r: mechanism.probability(r, 0)):
        with pytest.raises(InvalidReport, match=named):
            refuse(report)


def test_what_is_not_even_bytes_is_refused():
    with pytest.raises(InvalidReport, match="2 bytes.* list"):
        KSubset(10, 1.0, k=3).probability([7, 0], 1)


@given(st.binary(max_size=4), st.sampled_from([(10, 3), (17, 1), (20, 2), (32, 9)]))
def test_random_bytes_are_counted_right_or_refused(report, shape):
    d, k = shape
    mechanism = KSubset(d, 1.0, k)
    try:
        counts = mechanism.tally(report)
    except InvalidReport:
        members = naive.unpack(report, d, k)
        assert naive.pack(members, d, k) != report or sorted(set(members)) != members or (
            len(members) != k or max(members, default=0) >= d
        )  # fmt: skip
        return
    assert counts.sum() == k
    members = [i for i in range(d) if counts[i]]
    assert naive.pack(members, d, k) == report == naive.pack(mechanism.members(report), d, k)


def test_probability_names_a_bad_value():
    with refused_argument("value", value=10):
        KSubset(10, 1.0, k=3).probability(b"\x07\x00", 10)


def test_theory_and_mechanism_agree_at_scale():
    mechanism = KSubset(1_000_000, 3.0)
    g, h = theory.hit_rates(1_000_000, 3.0, mechanism.k)
    assert mechanism.g == pytest.approx(g, rel=1e-10)
    assert mechanism.h == pytest.approx(h, rel=1e-10)
