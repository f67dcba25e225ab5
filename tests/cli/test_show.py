"""What is shown of estimates."""

import re

import numpy as np
import pytest

from privet import Estimate, Survey, simulate
from privet.cli.renderings.shares import print_estimate

ENDS = re.compile(r"([\d.]+) – +([\d.]+) %")


@pytest.mark.parametrize("n", [10**3, 10**7, 10**10])
@pytest.mark.parametrize("target", ["population", "sample"])
def test_an_interval_is_shown_as_empty_only_if_it_is_one(capsys, n, target):
    survey = Survey("Which?", ["most", "some", "few", "none"], 8.0, mechanism="k-subset")
    rates = survey.mechanism.h + np.array([0.9, 0.0999, 0.0001, 0.0]) * survey.mechanism.g
    estimate = Estimate(survey, n, np.rint(n * rates).astype(np.int64))
    print_estimate(estimate, level=0.95, target=target)
    shown = capsys.readouterr().out
    found = [(float(low), float(high)) for low, high in ENDS.findall(shown)[:4]]
    low, high = estimate.interval(target=target)
    assert [a < b for a, b in found] == (low < high).tolist()  # the largest share is first
    assert (low < high).sum() >= 2
    assert max(map(len, shown.splitlines())) <= 100
    if n == 10**3:
        assert re.search(r"\d\.\d\d –", shown)


def wide(n=20_000, d=244):
    """An estimate of many categories, of which the first ten hold everyone."""
    survey = Survey("Which?", [f"c{i}" for i in range(d)], 1.0)
    people = np.zeros(d, dtype=np.int64)
    people[:10] = n // 10
    return Estimate(survey, n, simulate.counts(survey.mechanism, people, 1))


def test_what_is_found_is_told_from_what_is_not(capsys):
    estimate = wide()
    print_estimate(estimate, level=0.95, target="population", top=30)
    shown = capsys.readouterr().out
    found = int(estimate.found().sum())
    assert 5 <= found <= 12
    assert shown.count("(") == 30 - found + 2  # and one in the note on --top, one at the end
    assert "all at once" in shown
    rest = estimate.remainder()
    together = f"together {100 * rest.low:.1f} – {100 * rest.high:.1f} %"
    (line,) = [line for line in shown.splitlines() if together in line]
    assert line.startswith(f"{244 - found} categories")


@pytest.mark.parametrize(("simultaneous", "top"), [(True, 300), (False, 30), (None, 300)])
def test_intervals_hold_together_or_each_by_itself(capsys, simultaneous, top):
    estimate = wide()
    options = {"level": 0.95, "target": "population", "top": top}
    print_estimate(estimate, simultaneous=simultaneous, **options)
    shown = capsys.readouterr().out
    assert ("all at once" in shown) is bool(simultaneous)
    low, high = estimate.interval(simultaneous=bool(simultaneous))
    largest = int(estimate.frequencies.argmax())
    first = ENDS.search(shown)
    assert float(first[1]) == pytest.approx(100 * low[largest], abs=0.006)
    assert float(first[2]) == pytest.approx(100 * high[largest], abs=0.006)


def estimate_of(*rates, n=10_000, epsilon=2.0):
    """An estimate of categories A, B, …, whose counts are as expected at these shares."""
    names = [chr(ord("A") + i) for i in range(len(rates))]
    survey = Survey("Which?", names, epsilon, mechanism="k-subset")
    g, h = survey.mechanism.g, survey.mechanism.h
    counts = np.rint(n * (h + np.array(rates) * (g - h))).astype(np.int64)
    return Estimate(survey, n, counts)


@pytest.mark.parametrize(
    ("shares", "n", "leaders", "lead"),
    [
        ([0.5, 0.3, 0.2], 10_000, ["A", "B"], "20.0 ± 2.9"),
        ([0.5, 0.3, 0.2], 10**10, ["A", "B"], "20.0000 ± 0.0029"),
        ([0.3, 0.5, 0.2], 10**6, ["B", "A"], "20.00 ± 0.29"),
        ([0.4, 0.4, 0.2], 10_000, ["A", "B"], ""),
        ([0.2, 0.4, 0.4], 50, ["A", "B", "C"], ""),
        ([0.25, 0.25, 0.25, 0.25], 10_000, [], "4"),
    ],
)
def test_the_table_ends_with_who_leads(capsys, shares, n, leaders, lead):
    print_estimate(estimate_of(*shares, n=n), level=0.95, target="population")
    line = capsys.readouterr().out.splitlines()[-1]
    named = re.findall(r"\b[ABC]\b", line)
    assert (named if lead else sorted(named)) == leaders
    assert lead in line
    assert ("±" in line) is ("±" in lead)


def test_ranks_are_shown_on_request(capsys):
    estimate = estimate_of(0.5, 0.3, 0.1, 0.1)
    print_estimate(estimate, level=0.95, target="population", ranks=True)
    shown = capsys.readouterr().out
    assert [line.split()[-3] for line in shown.splitlines() if "–" in line] == [
        "1",
        "2",
        "3–4",
        "3–4",
    ]
    assert max(map(len, shown.splitlines())) <= 100
    print_estimate(estimate, level=0.95, target="population")
    assert "rank" not in capsys.readouterr().out
