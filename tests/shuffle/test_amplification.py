"""Central ε of shuffled reports: the vectors, the truth by enumeration, and what must follow."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb, exp, lcm, log, nextafter
from pathlib import Path

import pytest

from exact import laws
from privet import Questionnaire, Survey
from privet.device.mechanisms.paged import Paged
from privet.errors import InvalidArgument
from privet.mechanisms import (
    BinaryRR,
    Cyclotomic,
    Hadamard,
    Interval,
    KSubset,
    ListedSets,
    LocalHash,
    MultivariateRR,
    OneOption,
    Projective,
    SetSubset,
)
from privet.shuffle import amplify, closed_form, delta_at, local_epsilon
from privet.shuffle.blankets import blanket
from refusing import refused_argument

VECTORS = Path(__file__).parents[1] / "vectors" / "shuffle.csv"
ROWS = [
    {k: float(v) for k, v in row.items()}
    for row in csv.DictReader(VECTORS.read_text().splitlines())
]


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['eps0']:g}-{r['n']:g}-{r['d']:g}")
def test_the_vectors_are_met_to_four_digits(row):
    mechanism, n = KSubset(int(row["d"]), row["eps0"], k=int(row["k"])), int(row["n"])
    found = amplify(mechanism, n, row["delta"])
    assert found == pytest.approx(row["blanket_numeric"], rel=5e-5)
    assert closed_form(row["eps0"], n, row["delta"]) == pytest.approx(row["fmt21_closed"])


# --- the truth, by enumeration --------------------------------------------------------------------


def weights_of(mechanism):
    """The chance of each report under each value, as integers, and what they add up to."""
    if isinstance(mechanism, Paged):
        parts = [laws(part) for part in mechanism.parts]
        tables = [
            {
                (page, z): Fraction(weight, sum(mechanism.weights)) * chance
                for page, (weight, law) in enumerate(zip(mechanism.weights, chosen, strict=True))
                for z, chance in law.items()
            }
            for chosen in product(*parts)
        ]
    else:
        tables = laws(mechanism)
    total = lcm(*(chance.denominator for table in tables for chance in table.values()))
    reports = sorted(set().union(*tables))
    return [[int(table.get(z, 0) * total) for z in reports] for table in tables], total


def mixed_in(law, weights):
    """The law of a multiset of reports, as counts, with one report more."""
    after = Counter()
    for counts, weight in law.items():
        for z, factor in enumerate(weights):
            if factor:
                after[(*counts[:z], counts[z] + 1, *counts[z + 1 :])] += weight * factor
    return after


def true_delta(mechanism, n, factor):
    """The largest Σ (P − e^ε P')_+ over all pairs of values and all answers of the others."""
    tables, total = weights_of(mechanism)
    worst = Fraction(0)
    for others in combinations_with_replacement(range(len(tables)), n - 1):
        law = {(0,) * len(tables[0]): 1}
        for value in others:
            law = mixed_in(law, tables[value])
        ends = [mixed_in(law, table) for table in tables]
        for one, other in permutations(ends, 2):
            excess = (factor.denominator * one[z] - factor.numerator * other[z] for z in one)
            worst = max(worst, Fraction(sum(x for x in excess if x > 0), factor.denominator))
    return worst / total**n


SMALL = [
    (KSubset(3, 1.0, k=1), 6),
    (KSubset(2, 2.0), 6),
    (KSubset(4, 1.0, k=2), 4),
    (MultivariateRR(4, 1.5), 4),
    (Projective(4, 1.0, q=2), 3),
    (Hadamard(3, 0.5), 5),
    (Cyclotomic(3, 1.0, p=7, m=3, u=1), 2),
    (Interval(3, 1.0, window=2), 4),
    (Interval(3, 1.0, window=3), 3),
    (SetSubset(3, 1.0, most=1, k=2), 3),
    (SetSubset(2, 1.0, most=2, k=2), 3),
    (ListedSets(2, 1.0, most=1, k=1), 5),
    (Paged([KSubset(2, 1.0), Interval(2, 1.0, window=1)], [2, 1]), 4),
]


@pytest.mark.parametrize(("mechanism", "most"), SMALL, ids=str)
def test_the_truth_is_never_above_the_bound(mechanism, most):
    for n in range(1, most + 1):
        for factor in (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2)):
            epsilon = max(nextafter(log(factor), 0), 0.0)  # at or below log(factor)
            truth, bound = true_delta(mechanism, n, factor), delta_at(mechanism, n, epsilon)
            if factor < mechanism.likelihood_ratio:
                assert truth <= Fraction(bound)
            else:
                assert truth == 0


def exact_blanket(mechanism, n, factor):
    """E[(Y_1 + … + Y_n)_+] / n, with fractions."""
    gamma, atoms = blanket(mechanism)
    rows = [(a - factor * b, gamma * p) for (a, b), p in atoms.items()] + [(Fraction(0), 1 - gamma)]
    law = {Fraction(0): Fraction(1)}
    for _ in range(n):
        after = Counter()
        for (total, p), (y, q) in product(law.items(), rows):
            after[total + y] += p * q
        law = after
    return sum(p * max(total, 0) for total, p in law.items()) / n


@pytest.mark.parametrize(("mechanism", "most"), SMALL, ids=str)
def test_the_bound_is_the_blankets_and_a_little_more(mechanism, most):
    for n in range(1, most + 1):
        exactly = exact_blanket(mechanism, n, Fraction(exp(0.25)))
        bound = Fraction(delta_at(mechanism, n, 0.25))
        assert exactly <= bound <= exactly * Fraction(1001, 1000)


def test_a_small_delta_is_as_exact_as_a_large_one():
    mechanism = KSubset(5, 1.0, k=2)
    for epsilon in (0.6, 0.8, 0.95):
        exactly = exact_blanket(mechanism, 9, Fraction(exp(epsilon)))
        assert exactly <= Fraction(delta_at(mechanism, 9, epsilon)) <= exactly * Fraction(101, 100)


def variation_ratio(n, d, ratio, factor):
    """The bound of the stronger clones, for randomized response: not one that holds."""
    clone = Fraction(1, 1) / (ratio + d - 1)

    def law(first, second):
        found = Counter()
        for c in range(n):
            crowd = comb(n - 1, c) * (2 * clone) ** c * (1 - 2 * clone) ** (n - 1 - c)
            for a in range(c + 1):
                chance = crowd * Fraction(comb(c, a), 2**c)
                found[a + 1, c - a] += chance * first
                found[a, c - a + 1] += chance * second
                found[a, c - a] += chance * (1 - first - second)
        return found

    one, other = law(ratio * clone, clone), law(clone, ratio * clone)
    return sum(max(one[z] - factor * other[z], 0) for z in one)


def test_the_stronger_clones_do_not_hold_and_are_not_used():
    mechanism, factor = MultivariateRR(4, 1.5), Fraction("1.49182")  # at or below e^0.4
    truth = true_delta(mechanism, 4, factor)
    clones = variation_ratio(4, 4, mechanism.likelihood_ratio, factor)
    assert float(truth) == pytest.approx(0.2279088, abs=2e-7)
    assert float(clones) == pytest.approx(0.2277192, abs=2e-7)
    assert clones < truth <= Fraction(delta_at(mechanism, 4, log(factor)))


# --- the worst pair -------------------------------------------------------------------------------


@pytest.mark.parametrize(("mechanism", "most"), SMALL, ids=str)
def test_blankets_are_those_of_the_law_and_of_its_worst_pair(mechanism, most):
    tables, total = weights_of(mechanism)
    reports = range(len(tables[0]))
    gamma, atoms = blanket(mechanism)
    least = [min(table[z] for table in tables) for z in reports]
    surplus = isinstance(mechanism, Interval) and mechanism.window == mechanism.d
    surplus |= isinstance(mechanism, SetSubset) and mechanism.d - mechanism.k + 1 < mechanism.most
    assert gamma <= Fraction(sum(least), total)
    assert surplus or gamma == Fraction(sum(least), total)
    assert sum(atoms.values()) == 1
    # Seen from the common part of the pair that differs most, the atoms have the same spread.
    spread = sum(p * (a - b) ** 2 for (a, b), p in atoms.items())
    common = [min(least)] * len(least) if surplus else least
    apart = [
        sum(Fraction((x - y) ** 2, low) for x, y, low in zip(one, other, common, strict=True))
        for one, other in permutations(tables, 2)
    ]
    assert gamma * spread == max(apart) / total


def test_several_questions_are_a_mixture():
    pages = [KSubset(5, 1.0), Interval(4, 1.0, window=2), SetSubset(4, 1.0, most=2)]
    weights = [3, 2, 1]
    mixed = blanket(Paged(pages, weights))
    shares = [Fraction(w, 6) * blanket(page).gamma for page, w in zip(pages, weights, strict=True)]
    assert mixed.gamma == sum(shares)
    assert sum(mixed.atoms.values()) == 1
    surveys = [
        Survey("Tea?", ["yes", "no"], 1.0, id="tea"),
        Survey("Milk?", ["a", "b"], 1.0, id="m"),
    ]
    both = Questionnaire("Drinks", surveys, 1.0)
    alone = amplify(surveys[0].mechanism, 10_000, 1e-6)
    assert amplify(both.mechanism, 10_000, 1e-6) == pytest.approx(alone, rel=1e-3)


# --- what must follow -----------------------------------------------------------------------------


def test_more_people_a_smaller_epsilon_or_a_larger_delta_are_more_private():
    at = [amplify(KSubset(20, 1.0), n, 1e-6) for n in (10, 100, 1000, 10_000, 10**5, 10**7)]
    assert at == sorted(at, reverse=True)
    at = [amplify(KSubset(20, epsilon), 3000, 1e-6) for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)]
    assert at == sorted(at)
    at = [amplify(KSubset(20, 1.0), 3000, delta) for delta in (1e-15, 1e-9, 1e-6, 1e-3, 0.01)]
    assert at == sorted(at, reverse=True)


def test_designs_are_as_private_as_all_sets_of_as_many_points():
    design = Projective(100, 1.0, q=3)
    assert blanket(design).gamma == blanket(KSubset(121, 1.0, k=40)).gamma
    whole = amplify(KSubset(121, 1.0, k=40), 5000, 1e-6)
    assert amplify(design, 5000, 1e-6) == pytest.approx(whole, rel=1e-5)


def test_it_is_never_above_the_local_level_and_may_be_nothing():
    assert 1 <= amplify(KSubset(5, 1.0), 1, 1e-9) < 1 + 1e-12
    assert amplify(KSubset(5, 0.1), 10**6, 0.4) < 1e-6
    assert delta_at(KSubset(5, 1.0), 10, 1.0) == 0
    assert closed_form(3.0, 100, 1e-6) == 3.0
    assert 0.99 < amplify(KSubset(20, 1.0), 10, 1e-6) < 0.999


@pytest.mark.parametrize("epsilon", [1e-3, 12.0, 30.0])
def test_extreme_levels_are_no_trouble(epsilon):
    assert 0 <= amplify(KSubset(10, epsilon), 1000, 1e-8) <= epsilon + 1e-12


@pytest.mark.parametrize("build", [
    lambda epsilon: KSubset(50, epsilon),
    lambda epsilon: Interval(16, epsilon),
    lambda epsilon: SetSubset(12, epsilon, most=3),
], ids=["subsets", "scale", "sets"])  # fmt: skip
def test_the_local_level_of_a_wanted_central_one_comes_back(build):
    local = local_epsilon(build, 0.1, 4000, 1e-6)
    central = amplify(build(local), 4000, 1e-6)
    assert 0.0995 < central <= 0.1 * (1 + 1e-5)
    assert local_epsilon(build, 25.0, 4000, 1e-6) == 20.0


@pytest.mark.parametrize("mechanism", [
    BinaryRR(5, 1.0), LocalHash(5, 1.0), OneOption(5, 1.0, most=2),
    Paged([KSubset(3, 1.0), OneOption(5, 1.0, most=2)], [1, 1]),
], ids=str)  # fmt: skip
def test_what_is_not_known_is_refused(mechanism):
    unknown = mechanism.parts[1] if isinstance(mechanism, Paged) else mechanism
    with refused_argument("mechanism", "shuffle", value=unknown):
        amplify(mechanism, 100, 1e-6)


@pytest.mark.parametrize(("n", "delta"), [(0, 0.1), (10**13, 0.1), (2.5, 0.1), (5, 0), (5, 1.0)])
def test_senseless_arguments_are_refused(n, delta):
    with pytest.raises(InvalidArgument):
        amplify(KSubset(5, 1.0), n, delta)
    with pytest.raises(InvalidArgument):
        closed_form(1.0, n, delta)
