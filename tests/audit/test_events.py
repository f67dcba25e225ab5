"""What reports support: just what their exact law says, for every mechanism."""

import numpy as np
import pytest

from exact import values_of
from kinds import every_mechanism, small, tables
from privet.audit.events import Differences, supports
from privet.device.mechanisms.paged import Paged
from privet.mechanisms import KSubset, Rappor


def as_rows(reports):
    return np.array([list(report) for report in reports], dtype=np.uint8)


@every_mechanism
def test_the_likelihood_ratio_is_a_power_of_the_difference_of_supports(cls):
    mechanism, laws = small(cls), tables(cls)
    values = values_of(mechanism)
    reports = sorted(laws[0])
    seen = supports(mechanism, values)(as_rows(reports)).astype(int)
    ratio = mechanism.likelihood_ratio
    if cls is Rappor:
        p, q = mechanism.telling_rates
        ratio = p / q
    for x in range(len(values)):
        for y in range(len(values)):
            for row, report in enumerate(reports):
                power = seen[row, x] - seen[row, y]
                assert laws[x][report] == laws[y][report] * ratio ** int(power)


@every_mechanism
def test_some_event_is_as_telling_as_the_mechanism_allows(cls):
    mechanism = small(cls)
    laws, values = tables(cls), values_of(mechanism)
    reports = sorted(laws[0])
    found = Differences(mechanism, values)
    assert found.tests == len(values) * (len(values) - 1)
    n = 10**6
    for place, law in enumerate(laws):
        times = [round(n * law[report]) for report in reports]
        found.add(place, np.repeat(as_rows(reports), times, axis=0))
    ratios = [hits / false for _, _, hits, false in found.events(n, 0.01) if false]
    assert max(ratios) == pytest.approx(float(mechanism.likelihood_ratio), rel=2e-3)


def test_pages_have_events_of_their_own_and_one_together():
    parts = [KSubset(3, 1.0), KSubset(4, 1.0)]
    mechanism = Paged(parts, [2, 1])
    found = Differences(mechanism, [(0, 0), (1, 0)])
    assert found.tests == 2 * 3
    reports = as_rows([b"\0\1", b"\0\1", b"\0\2", b"\1\1"])
    found.add(0, reports)
    assert list(found.events(4, 0.01))[:3] == [(0, 1, 2, 0), (0, 1, 0, 0), (0, 1, 2, 0)]


def test_a_mechanism_of_ones_own_has_no_known_event():
    class Own(KSubset):
        pass

    assert supports(Own(5, 1.0), [0, 1]) is not None  # by its kind
    assert supports(object(), [0, 1]) is None
