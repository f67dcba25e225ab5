"""What notebooks show: well-formed, escaped, and the numbers of the estimate."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from privet import Survey, simulate
from privet.analysis.estimate import Estimate

EVIL = ["<script>alert(1)</script>", 'a "quoted" & <b>bold</b> one', "plain"]


def parsed(page):
    """The page as a tree, which only well-formed text has."""
    return ElementTree.fromstring(page)


def estimate_of(d, n=20_000):
    survey = Survey("Which?", [f"c{i}" for i in range(d)], 2.0)
    truth = 1 / np.arange(1, d + 1)
    people = np.random.default_rng(1).multinomial(n, truth / truth.sum())
    return Estimate(survey, n, simulate.counts(survey.mechanism, people, 1))


def test_what_people_wrote_is_escaped():
    survey = Survey("Is 1 < 2 & 3 > 2? <img src=x>", EVIL, 1.0)
    tally = survey.tally()
    empty = tally._repr_html_()
    tally.update(survey.randomize_batch(EVIL * 50))
    for page in (survey._repr_html_(), empty, tally._repr_html_()):
        tags = {element.tag for element in parsed(page).iter()}
        assert tags <= {"div", "ul", "li", "table", "tr", "th", "td", "svg", "rect", "path"}
        assert survey.question in "".join(parsed(page).itertext())
    assert "no reports yet" in empty
    assert EVIL[0] in "".join(parsed(survey._repr_html_()).itertext())


@pytest.mark.parametrize("d", [3, 40, 4000])
def test_an_estimate_shows_its_largest_categories_with_their_numbers(d):
    estimate = estimate_of(d)
    page = parsed(estimate._repr_html_())
    rows = page.findall(".//tr")[1:]
    order = estimate.order(20)
    assert len(rows) == len(order)
    low, high = estimate.interval(simultaneous=d > 20)
    for row, i in zip(rows, order, strict=True):
        name, _, share, ends, shrunk = ("".join(cell.itertext()) for cell in row)
        assert name == f"c{i}"
        bare = f"{100 * estimate.frequencies[i]:.2f} %"
        assert share == (bare if estimate.found()[i] else f"({bare})")
        assert ends == f"{100 * low[i]:.2f} – {100 * high[i]:.2f} %"
        assert shrunk == f"{100 * estimate.shrink()[i]:.2f} %"
    text = "".join(page.itertext())
    assert (f"{d - 20:,} more" in text) is (d > 20)
    assert ("from zero" in text) is (not estimate.found().all())


def test_bars_stay_inside_and_pale_ones_are_not_found():
    estimate = estimate_of(40, 3000)
    found = [bool(estimate.found()[i]) for i in estimate.order(20)]
    assert set(found) == {True, False}
    bars = parsed(estimate._repr_html_()).findall(".//rect")
    assert [bar.get("opacity") == "1" for bar in bars] == found
    assert all(0 <= float(bar.get("width")) <= 140 for bar in bars)
    drawn = parsed(estimate._repr_html_()).findall(".//path")
    ends = [[float(x) for x in re.findall(r"[MH]([\d.]+)", path.get("d"))] for path in drawn]
    assert all(0 <= left <= mark <= right <= 140 for left, right, mark in ends)


def test_mechanisms_that_do_not_shrink_have_no_such_column():
    survey = Survey("Which?", ["a", "b"], 1.0, mechanism="geometric-noise")
    tally = survey.tally()
    tally.update(survey.randomize_batch(["a", "b"] * 50))
    heads = [head.text for head in parsed(tally._repr_html_()).findall(".//th")]
    assert heads == ["category", None, "share", "95 % interval"]
