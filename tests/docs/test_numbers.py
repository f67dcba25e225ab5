"""The numbers in the pages' tables are those of the code."""

import re
from math import exp
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from commands import succeeds
from privet import Estimate, Survey, theory
from privet.analysis import tally
from privet.device import entropy
from privet.device.mechanisms.base import MAX_D, MIN_EPSILON
from privet.device.mechanisms.choices import MOST_OPTIONS
from privet.device.mechanisms.subsets.design import MOST_BLOCKS
from privet.device.mechanisms.subsets.listed_sets import MOST_SETS
from privet.errors import InvalidArgument
from privet.mechanisms import (
    Cyclotomic,
    Hadamard,
    HashedRR,
    Interval,
    KSubset,
    ListedSets,
    MultivariateRR,
    Projective,
    Rappor,
    TwoLevelUnary,
    choose,
)
from privet.plan import plan
from privet.simulate import averaging, counts
from privet.simulate.population import MOST_PEOPLE
from privet.tables import compare

DOCS = Path(__file__).parents[2] / "docs"


def prose(page):
    """Return a page as one line, so that a sentence is found however it is broken."""
    return " ".join((DOCS / page).read_text().split())


def assert_together(page, *names):
    """Check that some paragraph of a page has all of these numbers and names, as whole words."""
    patterns = [rf"(?<![\w.]){re.escape(name)}(?!\w)" for name in names]
    paragraphs = [" ".join(part.split()) for part in (DOCS / page).read_text().split("\n\n")]
    assert any(all(re.search(one, part) for one in patterns) for part in paragraphs), names


def tables(page, head):
    """Return the rows of every such table."""
    text = (DOCS / page).read_text()
    return [
        [[cell.strip().removesuffix(" %") for cell in line.strip("|").split("|")]
         for line in part.splitlines()]
        for part in re.findall(rf"^\| {head} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    ]  # fmt: skip


def assert_shown(cell, value):
    """The cell is the value, rounded to as many digits as it has."""
    digits = len(cell.partition(".")[2])
    assert float(cell.replace(",", "")) == pytest.approx(value, abs=0.5001 * 10**-digits)


def test_what_a_neighbour_and_a_guesser_can_conclude():
    beliefs, guesses = tables("concepts/epsilon.md", "ε")
    for level, odds, *most in beliefs:
        E = exp(float(level))
        assert_shown(odds, E)
        for cell, prior in zip(most, (0.5, 0.1, 0.01), strict=True):
            assert_shown(cell, 100 * prior * E / (1 - prior + prior * E))
    for level, k, without, best, bound in guesses:
        E, mechanism = exp(float(level)), KSubset(100, float(level))
        assert int(k) == mechanism.k
        assert without == "1"
        assert_shown(best, 100 * mechanism.g / mechanism.k)
        assert_shown(bound, 100 * E / (E + 99))
    assert len(beliefs) == len(guesses) == 6
    least = 0.1 / (0.1 + 0.9 * exp(1))
    assert_together("concepts/epsilon.md", f"{100 * least:.1f} %")


def test_the_margins():
    (table,) = tables("concepts/noise.md", "categories")
    for d, *cells in table:
        for cell, epsilon in zip(cells, (0.5, 1.0, 2.0, 4.0), strict=True):
            assert_shown(
                cell, 100 * plan(int(d.replace(",", "")), epsilon=epsilon, n=10_000).margin
            )
    assert len(table) == 5


def test_the_theory():
    (table,) = tables("mathematics.md", "d")
    for row in table:
        d, epsilon, k, best = (float(row[at]) for at in (0, 1, 2, 6))
        assert k == theory.l2_optimal_k(d, epsilon)
        assert best == theory.information_optimal_k(d, epsilon)
        values = (*theory.hit_rates(d, epsilon, k), theory.total_variance(d, epsilon, k, 1))
        bound = theory.information_bound(d, epsilon)
        for cell, value in zip((*row[3:6], row[7]), (*values, bound), strict=True):
            assert_shown(cell, value)
    assert len(table) == 4


def test_what_two_levels_cost():
    (table,) = tables("mechanisms.md", "ε of any number of reports")
    for epsilon, report_epsilon, flipped, spread in table:
        levels = float(epsilon), float(report_epsilon.replace("½", "0.5"))
        mechanism = TwoLevelUnary(100, *levels)
        assert_shown(flipped.removesuffix(" %"), 100 * mechanism.noise / 2**64)
        assert_shown(spread, mechanism.variance(np.eye(100)[0], 1)[1] ** 0.5)
    assert len(table) == 4


def test_what_a_lie_is_worth():
    (table,) = tables("attacks.md", "ε")
    for level, subset, categories, response in table:
        mechanism, other = KSubset(100, float(level)), MultivariateRR(100, float(level))
        assert int(categories) == mechanism.k
        assert_shown(subset, (1 - mechanism.h) / (mechanism.g - mechanism.h))
        assert_shown(response, (1 - other.h) / (other.g - other.h))
    assert len(table) == 5


def test_how_soon_fresh_reports_give_an_answer_away():
    text = (DOCS / "attacks.md").read_text()
    times, found = (
        [int(number) for number in re.findall(r"\d+", line)]
        for line in re.findall(r"^\| (?:fresh reports|answers found) \|(.*)$", text, re.MULTILINE)
    )
    people = 4000
    measured = averaging(KSubset(100, 1.0), times, people=people, seed=7)
    for at, percent, share in zip(times, found, measured.found, strict=True):
        spread = (share * (1 - share) / people) ** 0.5
        assert percent / 100 == pytest.approx(share, abs=0.006 + 5 * spread), at
    # The control: with a secret, all reports are the first, and no more is found.
    survey = Survey("Which?", [f"c{i}" for i in range(100)], 1.0, mechanism="k-subset")
    for person in range(20):
        secret, answer = bytes([person] * 16), f"c{person}"
        assert len({survey.randomize(answer, secret=secret) for _ in range(max(times))}) == 1
    assert len({survey.randomize("c7") for _ in range(max(times))}) > 1
    assert measured.found[0] < 0.04
    mechanism = KSubset(100, 1.0)
    assert_together("attacks.md", "thousand", f"{100 * mechanism.g / mechanism.k:.1f} %")
    q1 = TwoLevelUnary(100, 2.0, 1.0).flip / 2**64
    limit = (1 - (1 - q1) ** 100) / (200 * q1) + (1 - q1) ** 99 / 200
    assert_together("attacks.md", f"{100 * limit:.1f} %")
    assert_together("guides/telemetry.md", "half", "25 reports")


def linked(mechanism, crowd, trials, rng):
    """How often the likeliest of a crowd's reports to be the same person's is just that.

    Two reports have the likelihood of bits that come from one permanent response, over that of bits
    from two; a bit is set in it with probability 1/2 if it is the value's, which may be any.
    """
    d, q1, q2 = mechanism.d, mechanism.flip / 2**64, mechanism.noise / 2**64
    copied = np.array([[1 - q2, q2], [q2, 1 - q2]])  # what a bit is copied to, with what chance
    both = np.einsum("cb,by,bz->cyz", [[1 - q1, q1], [0.5, 0.5]], copied, copied)
    one = both.sum(axis=1)

    def log_likelihood(bits, others, own):
        """Of rows of bits, by the chances of a 0 and a 1 at each place."""

        def summed(chances):
            return chances[0].sum() + bits @ (chances[1] - chances[0])

        return summed(np.log(others)) + np.log(summed(own / others))

    right = 0.0
    for _ in range(trials):
        bits = rng.random((crowd, d), np.float32) < q1
        bits[np.arange(crowd), rng.integers(0, d, crowd)] = rng.random(crowd) < 0.5
        monday = (bits[0] ^ (rng.random(d) < q2)).astype(int)
        tuesday = (bits ^ (rng.random((crowd, d), np.float32) < q2)).astype(np.float64)
        same = log_likelihood(tuesday, *(table[monday].T for table in both))
        score = same - log_likelihood(tuesday, *(np.tile(chances, (d, 1)).T for chances in one))
        best = score > score.max() - 1e-9
        right += best[0] / best.sum()
    return right / trials


def test_how_often_copies_of_a_permanent_response_are_recognized():
    (table,) = tables("attacks.md", "categories")
    rng = np.random.default_rng(3)
    for d, *cells in table:
        trials = 20 if d == "1,000" else 200
        for cell, level in zip(cells, (1.0, 0.5), strict=True):
            mechanism = TwoLevelUnary(int(d.replace(",", "")), 2.0, level)
            share = linked(mechanism, 1000, trials, rng)
            shown = float(cell.removesuffix(" %")) / 100
            spread = (shown * (1 - shown) / trials) ** 0.5
            assert share == pytest.approx(shown, abs=0.006 + 4 * spread), (d, level)
    assert len(table) == 4


def test_the_size_of_reports_and_tallies():
    thousand, million = (choose(d, 1.0) for d in (1000, 1_000_000))
    assert (thousand.report_bytes, million.report_bytes) == (2, 3)
    sizes = [8 * mechanism.aggregate_size for mechanism in (thousand, million)]
    assert [round(size, 1 - len(str(size)) + 1) for size in sizes] == [11_000, 11_000_000]
    assert_together("guides/telemetry.md", "2 bytes", "3", "thousand", "million")
    assert_together("guides/telemetry.md", "11 kB", "11 MB", "thousand", "million")


def test_how_often_a_change_is_found():
    assert_together("guides/planning.md", "four times out of five", "half", "0.7 times")
    normal = NormalDist()
    z = normal.inv_cdf(0.975)
    for margin, often in ((0.5, 0.8), (0.7, 0.5)):  # relative to the change
        assert normal.cdf(z / (2**0.5 * margin) - z) == pytest.approx(often, abs=0.02)


def test_which_shrunk_shares_are_too_small():
    truth = 1 / np.arange(1, 65) ** 1.1
    people = np.round(20_000 * truth / truth.sum()).astype(int)
    survey = Survey("Which?", [f"c{i}" for i in range(64)], 1.0, mechanism="k-subset")
    n = int(people.sum())
    estimate = Estimate(survey, n, counts(survey.mechanism, people, seed=1))
    small = 0.7 * people / n > estimate.shrink()
    assert small[4:12].mean() > 0.8
    assert not small[:4].any()
    assert_together("concepts/estimates.md", "5th", "12th")


def test_the_limits():
    page = (DOCS / "reference/limits.md").read_text()
    assert (MAX_D, MOST_BLOCKS, tally.MAX_REPORTS) == (2**32, 2**26, 2**47)
    assert (MOST_PEOPLE, entropy.MIN_SECRET_BYTES) == (10**10, 16)
    for kind, most, shown in (
        (Hadamard, 2**26 - 1, "2^26 − 1"),
        (Projective, 2**26 - 1, "2^26 − 1"),
        (Cyclotomic, 33_554_393, "the last prime below 2^25"),
        (HashedRR, 2048, "2,048"),
        (Rappor, 2048, "2,048"),
    ):
        assert f"`{kind.name}`" in page
        assert f"| 2 | {shown} |" in page
        if most > 2048:  # regression on so many values takes long
            assert kind(most, 0.1).d == most
        with pytest.raises(InvalidArgument):
            kind(most + 1, 0.1)
    for name, least, most in (("one-option", 2, MOST_OPTIONS), ("listed-sets", 3, MOST_SETS)):
        assert re.search(rf"^\|.*`{name}`.*\| {least} \| {most:,} \|$", page, re.MULTILINE)
    assert ListedSets(2, 1.0, 1).points == 3
    assert KSubset(100, 38.8).epsilon == 38.8
    for d, least, most in ((100, MIN_EPSILON, 38.9), (1_000_000, 1e-11, 38.9)):
        assert KSubset(d, 10 * least).d == d
        for epsilon in (0.1 * least, most):
            with pytest.raises(InvalidArgument):
                KSubset(d, epsilon)


def test_the_plan_on_the_first_page():
    shown = succeeds("plan", "--categories", "4", "--epsilon", "1", "--people", "20000")
    page = (DOCS / "start.md").read_text()
    assert shown.strip() in page


def test_errors_of_means_on_a_scale():
    def error(epsilon, window=None):
        mechanism = Interval(1024, epsilon, window)
        chances = mechanism.analyst.estimator.chances.mean(axis=1)
        centres = np.arange(mechanism.numbers) - (mechanism.numbers - 1) / 2
        return np.sqrt(chances @ centres**2) / float(mechanism.slope) / 1024

    def others(epsilon):
        half = exp(epsilon / 2)
        duchi = ((half**2 + 1) / (half**2 - 1)) ** 2
        piecewise = half / (half - 1) / 3 + (half + 3) / (half - 1) ** 2 / 3
        mixed = 1 - 1 / half if epsilon > 0.61 else 0
        return np.sqrt(min(duchi, piecewise, mixed * piecewise + (1 - mixed) * duchi)) / 2

    (table,) = tables("mathematics.md", "ε")
    for level, *shown in table:
        epsilon = float(level)
        found = error(epsilon), error(epsilon, "mean"), others(epsilon)
        assert [f"{value:.3f}" for value in found] == shown
    found = []
    for cells in (16, 64, 1024):
        regression = Interval(cells, 1.0).analyst.estimator
        worth = regression.borders[:, cells // 2]
        found.append(np.sqrt(regression.chances.mean(axis=1) @ worth**2 - 1 / 4))
    errors = [f"{found[0]:.1f}", f"{found[1]:.1f}", f"{found[2]:.0f}"]
    assert_together("mathematics.md", "16 cells", "64", "1,024", *errors)


def test_margins_of_small_groups():
    """Where pages say how little a group of 50 tells, they say what the plan promises."""
    shown = f"± {100 * plan(4, epsilon=1.0, n=50).margin:.0f} %"
    assert_together("guides/comparing.md", "50 people", shown)
    assert_together("attacks.md", "ε = 1", "4 categories", "50 people", shown)


def test_from_where_on_splitting_wins():
    def splitting_wins(sizes, epsilon):
        wanted = [(q,) for q in range(len(sizes))]
        (one, *_) = compare(sizes, wanted, [1000] * len(sizes), epsilon, wanted)
        return one.split < one.one_each

    pages = [prose(page) for page in ("tables.md", "guides/questionnaires.md")]
    pages.append(" ".join((compare.__doc__ or "").split()))
    levels = {4.5: (4,) * 2, 6.4: (4,) * 4, 6.5: (2,) * 10}
    for level, sizes in levels.items():
        assert not splitting_wins(sizes, level - 0.05), sizes
        assert splitting_wins(sizes, level + 0.05), sizes
    told = [{float(one) for one in re.findall(r"from ε = ([\d.]+) on", page)} for page in pages]
    assert told == [{4.5, 6.4, 6.5}, {4.5, 6.4}, {4.5, 6.5}]


def test_the_sections_of_the_mathematics_are_numbered_and_referred_to_by_their_numbers():
    headings = re.findall(r"^## (\d+)\. (.+)$", (DOCS / "mathematics.md").read_text(), re.MULTILINE)
    assert [int(number) for number, _ in headings] == [*range(1, len(headings) + 1)]
    titles = {title: number for number, title in headings}
    for page, title in (
        ("attacks.md", "Shuffled reports"),
        ("guides/regression.md", "Regression"),
        ("mechanisms.md", "Scales"),
        ("proofs/scales.md", "Scales"),
    ):
        pattern = r"\[[\w. ]+\]\([./]*mathematics\.md\), section (\d+)"
        assert titles[title] in re.findall(pattern, prose(page)), page
