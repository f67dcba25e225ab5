"""Counters: reports are checked and added chunk by chunk, and rows counted over all of them."""

import numpy as np
import pytest

from privet.analysis import counter
from privet.entropy import seeded
from privet.errors import InvalidReport
from privet.mechanisms import KSubset, OneBit


@pytest.mark.parametrize("mechanism", [KSubset(20, 1.0), OneBit(20, 1.0)], ids=lambda m: m.name)
@pytest.mark.parametrize("few", [True, False])
def test_chunks_make_no_difference(mechanism, few, monkeypatch):
    reports = mechanism.randomize(np.arange(40) % 20, entropy=seeded(1))
    _, expected = mechanism.aggregate(reports)
    rows = 7
    monkeypatch.setattr(counter.Counter, "_are_few", lambda self, reports: few)
    size = mechanism.analyst.counter.entries, mechanism.report_bytes
    monkeypatch.setattr(counter, "_ENTRIES_AT_ONCE", rows * max(size))
    monkeypatch.setattr(counter, "_CHUNK_BYTES", rows * mechanism.report_bytes)
    n, aggregate = mechanism.aggregate(reports)
    assert n == 40
    assert np.array_equal(aggregate, expected)
    reports[[16, 39]] = 255
    with pytest.raises(InvalidReport) as caught:
        mechanism.aggregate(reports)
    assert caught.value.row == 16
