"""A report's likelihood is that of what it supports: exactly, for every report of every kind."""

import numpy as np
import pytest

from kinds import SMALL, small, tables, usual
from privet.analysis.regression import supports
from privet.analysis.regression.supports import supports_of
from privet.entropy import seeded
from privet.mechanisms import GeometricNoise, KSubset, Rappor, SetSubset
from refusing import refused_argument

OTHERS = {GeometricNoise, Rappor}
SUPPORTING = pytest.mark.parametrize(
    "cls", [one for one in SMALL if one not in OTHERS], ids=lambda cls: cls.name
)


def rows(reports):
    return np.array([[*report] for report in reports], dtype=np.uint8)


@SUPPORTING
def test_chances_are_in_proportion_to_the_odds_of_what_is_supported(cls):
    mechanism, laws = small(cls), tables(cls)
    reports = sorted(set().union(*laws))
    odds = supports_of("fit", mechanism, rows(reports)).odds(slice(None))
    chances = np.array([[float(law.get(report, 0)) for law in laws] for report in reports])
    base = chances / odds
    assert np.allclose(base, base[:, :1], rtol=1e-12, atol=0)
    assert set(np.unique(odds)) <= {1.0, 1 + float(mechanism.likelihood_ratio - 1)}


@SUPPORTING
def test_counts_of_what_is_supported_are_those_of_the_tally(cls, monkeypatch):
    mechanism = usual(cls)
    reports = mechanism.randomize(np.arange(500) % 37, entropy=seeded(1))
    monkeypatch.setattr(supports, "_ENTRIES_AT_ONCE", 1000)
    held = supports_of("fit", mechanism, reports).odds(slice(None)) > 1
    if cls.name != "hashed-rr":  # whose counts are of cells
        assert np.array_equal(held.sum(axis=0), mechanism.tally(reports))
    again = supports_of("fit", mechanism, reports[100:103]).odds(slice(1, 3)) > 1
    assert np.array_equal(again, held[101:103])


def test_sets_that_are_listed_are_sets_as_well():
    mechanism = KSubset(300, 4.0)
    assert mechanism.index_bits
    reports = mechanism.randomize(np.arange(300), entropy=seeded(1))
    held = supports_of("fit", mechanism, reports).odds(slice(None)) > 1
    assert [np.flatnonzero(row).tolist() for row in held] == [
        mechanism.members(bytes(report)) for report in reports
    ]


@pytest.mark.parametrize("mechanism", [*map(small, sorted(OTHERS, key=str)), SetSubset(4, 1.0, 2)])
def test_others_are_refused(mechanism):
    with refused_argument("survey", "fit", value=mechanism):
        supports_of("fit", mechanism, np.zeros((1, mechanism.report_bytes), np.uint8))
