"""The numbers in the pages' tables are those of the code."""

import re
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from math import exp
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from commands import succeeds
from privet import Estimate, Survey, entropy, theory
from privet.analysis import tally
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
from privet.mechanisms.base import MAX_D, MIN_EPSILON
from privet.mechanisms.choices import MOST_OPTIONS
from privet.mechanisms.subsets.design import MOST_BLOCKS
from privet.mechanisms.subsets.listed_sets import MOST_SETS
from privet.plan import plan
from privet.simulate import counts
from privet.simulate.population import MOST_PEOPLE

DOCS = Path(__file__).parents[2] / "docs"


def picture(name):
    """Return a module of the folder that draws the pages' pictures."""
    if "pictures" not in sys.modules:
        spec = spec_from_file_location("pictures", DOCS / "pictures" / "__init__.py")
        sys.modules["pictures"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return import_module(f"pictures.{name}")


def prose(page):
    """Return a page as one line, so that a sentence is found however it is broken."""
    return " ".join((DOCS / page).read_text().split())


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
    assert f"at least {100 * least:.1f} %" in prose("concepts/epsilon.md")


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
    measured = picture("attacks").identified(100, 1.0, max(times), people, seed=7)
    for at, percent in zip(times, found, strict=True):
        share = percent / 100
        spread = (share * (1 - share) / people) ** 0.5
        assert measured[at - 1] == pytest.approx(share, abs=0.006 + 5 * spread)
    # The control: with a secret, all reports are the first, and no more is found.
    survey = Survey("Which?", [f"c{i}" for i in range(100)], 1.0, mechanism="k-subset")
    for person in range(20):
        secret, answer = bytes([person] * 16), f"c{person}"
        assert len({survey.randomize(answer, secret=secret) for _ in range(max(times))}) == 1
    assert len({survey.randomize("c7") for _ in range(max(times))}) > 1
    assert measured[0] < 0.04
    assert "half of all values after about 25 reports" in prose("guides/telemetry.md")


def test_the_size_of_reports_and_tallies():
    guide = prose("guides/telemetry.md")
    thousand, million = (choose(d, 1.0) for d in (1000, 1_000_000))
    assert (thousand.report_bytes, million.report_bytes) == (2, 3)
    sizes = [8 * mechanism.aggregate_size for mechanism in (thousand, million)]
    assert [round(size, 1 - len(str(size)) + 1) for size in sizes] == [11_000, 11_000_000]
    assert "takes 2 bytes with a thousand categories and 3 with a million" in guide
    assert "about 11 kB for a thousand categories, 11 MB for a million" in guide


def test_how_often_a_change_is_found():
    words = "about four times out of five, each wave needs a margin of half that size"
    assert words in prose("guides/planning.md")
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
    assert "most of those from the 5th to the 12th are too small" in prose("concepts/estimates.md")


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
    assert f"| options of `set-subset` and `one-option` | 2 | {MOST_OPTIONS:,} |" in page
    assert f"| sets of options of `listed-sets` | 3 | {MOST_SETS:,} |" in page
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
    said = "is {:.1f} for 16 cells, {:.1f} for 64 and {:.0f} for 1,024".format(*found)
    assert said in prose("mathematics.md")
