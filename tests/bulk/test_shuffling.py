"""Reports in random order: all of them, in any order alike, and none after an error."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from privet.bulk import shuffling
from privet.bulk.shuffling import Shuffling


class Listing:
    """A writer that keeps what it is given."""

    def __init__(self):
        self.rows = []

    def write(self, reports):
        self.rows += [tuple(row) for row in reports.tolist()]


def shuffled(*batches):
    listing = Listing()
    with Shuffling(listing) as writer:
        for batch in batches:
            writer.write(batch)
    return listing.rows


def test_every_order_is_as_likely_as_any_other(monkeypatch):
    monkeypatch.setattr(shuffling, "_PILES", 2)
    four = np.arange(4, dtype=np.uint8).reshape(4, 1)
    seen = Counter(tuple(row[0] for row in shuffled(four[:3], four[3:])) for _ in range(4800))
    assert set(seen) == set(permutations(range(4)))
    statistic = sum((count - 200) ** 2 / 200 for count in seen.values())
    assert chi2.sf(statistic, 23) > 1e-6


def test_nothing_is_lost_and_little_stays_in_place(monkeypatch):
    monkeypatch.setattr(shuffling, "_PILE_BYTES", 1000)  # most of it on disk
    rows = np.arange(60_000, dtype="<u4").view(np.uint8).reshape(-1, 4)
    found = shuffled(*np.split(rows, 6))
    assert Counter(found) == Counter(map(tuple, rows.tolist()))
    stayed = sum(a == tuple(b) for a, b in zip(found, rows.tolist(), strict=True))
    assert stayed < 15  # a Poisson number of mean 1


def test_no_reports_give_none():
    assert shuffled() == []


def interrupted(listing):
    with Shuffling(listing) as writer:
        writer.write(np.zeros((5, 2), np.uint8))
        raise KeyboardInterrupt


def test_after_an_error_nothing_is_handed_on():
    listing = Listing()
    with pytest.raises(KeyboardInterrupt):
        interrupted(listing)
    assert listing.rows == []
