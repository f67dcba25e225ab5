"""What `make scale` measures, in small; and what it found the last time it ran."""

from pathlib import Path

import pytest
from benchmarks.growth import MACHINE, PEOPLE, Point, Size, kept, serving
from benchmarks.growth.a_day import needs
from benchmarks.growth.exponents import growths
from benchmarks.growth.measuring import measure
from benchmarks.growth.page import markdown
from benchmarks.growth.stages import STAGES


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_measured(stage):
    seconds, megabytes = measure(stage, Size(500, 8))
    assert 0 < seconds < 10
    assert 0 <= megabytes < 100


@pytest.mark.parametrize("stage", ["take", "post"])
def test_the_service_is_measured(stage):
    wall, computed = serving.measured(stage, PEOPLE, Size(1000, 8))
    assert (wall.stage, computed.stage) == (stage, f"{stage}, CPU")
    assert 0 < wall.seconds < 60
    assert 30 < wall.megabytes < 1000


def test_nothing_grew_faster_than_theory():
    _, points = kept.read()
    faster = [growth for growth in growths(points) if not growth.holds]
    assert faster == []
    assert max(point.n for point in points) == 10**9
    assert max(point.d for point in points) == 10**6
    assert len({point.where for point in points}) == 4


def test_control_a_stage_that_grows_too_fast():
    points = [Point(MACHINE, "count", "people", n, 64, n**1.2, 0) for n in (10, 100, 1000)]
    (growth,) = growths(points)
    assert (growth.theory, growth.time, growth.holds) == (1.0, 1.2, False)


def test_what_breaks_first_comes_first():
    shares = [need.share for need in needs(kept.read()[1])]
    assert shares == sorted(shares)
    assert shares[0] < 1


def test_the_page_is_made_of_what_was_measured():
    machine, points = kept.read()
    page = Path(__file__).parents[1] / "benchmarks" / "GROWTH.md"
    assert page.read_text("utf-8") == markdown(points, machine)
