"""The numbers that the pages quote are those of the code."""

import re
from pathlib import Path

import numpy as np
import pytest

from privet.mechanisms import (
    Cyclotomic,
    Hadamard,
    KSubset,
    Projective,
    compare,
)
from privet.plan import compare_for_sets

DOCS = Path(__file__).parents[1] / "docs"


def rows(page, cells):
    """Yield the cells of a page's table rows that have as many as that."""
    for line in (DOCS / page).read_text().splitlines():
        found = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(found) == cells and not line.startswith("|--"):
            yield found


def test_the_comparison_of_mechanisms():
    quoted = {
        re.match("`([a-z-]+)`", row[0])[1]: (float(row[1]), int(row[2].split()[0]), int(row[3]))
        for row in rows("mechanisms.md", 4)
        if row[0].startswith("`")
    }
    measured = {
        row.mechanism.name: (
            round(row.relative_error, 3),
            row.report_bytes,
            max(1, int(row.counting_steps + 0.5)),
        )
        for row in compare(100, 1.0, 10_000)
    }
    assert quoted == measured


def test_several_choices_side_by_side():
    """Three mechanisms, and one of the padded choices reported of each person."""
    seen = 0
    for options, most, epsilon, *quoted, one in rows("mechanisms.md", 7):
        if not options.isdigit():
            continue
        d, m, level = int(options), int(most), float(epsilon)
        found = {
            row.mechanism.name: f"{row.deviation:.2f}, {row.report_bytes} byte"
            for row in compare_for_sets(d, level, m)
        }
        names = "set-subset", "one-option", "listed-sets"
        assert [cell.removesuffix("s") for cell in quoted] == [found.get(n, "–") for n in names]
        share = m / (2 * d)
        noise = float(KSubset(d + m, level).variance(np.array(share / m), 1, "sample"))
        assert f"{np.sqrt(m**2 * noise + (m - 1) * share):.2f}" == one
        seen += 1
    assert seen == 8
    # The chance that none of 20 people for each option is asked about one.
    assert all((1 - 1 / d) ** (20 * d) < 1e-8 for d in (2, 10, 100, 4096))


def test_the_reports_and_errors_of_designs():
    seen = 0
    for d, epsilon, subset, *designs in rows("designs.md", 6):
        if not d.replace(",", "").isdigit():
            continue
        size, level = int(d.replace(",", "")), float(epsilon)
        best = KSubset(size, level)
        assert best.report_bytes == int(subset.replace(",", ""))
        for kind, cell in zip((Cyclotomic, Projective, Hadamard), designs, strict=True):
            mechanism = kind(size, level)
            excess = 100 * (total(mechanism) / total(best) - 1)
            if cell == "–":
                assert excess > 100
                continue
            length, percent = cell.removesuffix(" %").split(", ")
            assert mechanism.report_bytes == int(length)
            digits = len(percent.partition(".")[2])
            assert excess == pytest.approx(float(percent), abs=0.51 * 10**-digits)
            seen += 1
    assert seen > 30


def test_where_designs_cost_more():
    """What section 3 of the page says of gaps between primes, and of too many blocks."""
    text = " ".join((DOCS / "designs.md").read_text().split())
    assert "0.25 % at ε = 1, 0.9 % at ε = 3, 7 % at ε = 5" in text
    for epsilon, percent in ((1.0, 0.25), (3.0, 0.9), (5.0, 7)):
        digits = len(str(percent).partition(".")[2])
        assert round(excess(Cyclotomic, 114, epsilon), digits) == percent
    for d in (350, 527, 1000, 65_536, 1_000_000):
        assert all(excess(Cyclotomic, d, epsilon) < 0.1 for epsilon in (0.1, 1.0, 2.0, 3.0))
    assert (
        "at d = 65,536 above ε = 7.1, at d = 10^6 above ε = 4.3, at d = 10^7 above ε = 1.8" in text
    )
    for d, epsilon in ((65_536, 7.1), (10**6, 4.3), (10**7, 1.8)):
        assert excess(Cyclotomic, d, epsilon) < 1 < excess(Cyclotomic, d, epsilon + 0.1)


def excess(kind, d, epsilon):
    """By how many percent the squared error is above the least."""
    return 100 * (total(kind(d, epsilon)) / total(KSubset(d, epsilon)) - 1)


def total(mechanism):
    own, other = (float(mechanism.variance(share, 1, "sample")) for share in (1.0, 0.0))
    return own + (mechanism.d - 1) * other
