"""Dealing to piles and random order, against plain twins; the draws are exactly uniform."""

from collections import Counter

import numpy as np
import pytest

from privet.analysis import kernels


@pytest.mark.parametrize("width", [1, 3, 8, 100])
@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_dealing_sorts_by_pile_and_keeps_the_order_within(n, width):
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 256, (n, width), dtype=np.uint8)
    pile_of = rng.integers(0, 16, n, dtype=np.uint8)
    dealt, ends = np.empty_like(rows), np.zeros(16, dtype=np.int64)
    kernels.row_orders.deal(rows, pile_of, dealt, ends)
    assert np.array_equal(dealt, rows[np.argsort(pile_of, kind="stable")])
    assert np.array_equal(ends, np.cumsum(np.bincount(pile_of, minlength=16)))


def plain_permute(rows, left, words, bits):
    """The same, in the plainest way: a word stands for floor(word * left / 2^bits)."""
    for word in words.tolist():
        if left <= 1:
            break
        product = word * left
        if product % 2**bits < 2**bits % left:
            continue
        left -= 1
        other = product >> bits
        rows[[left, other]] = rows[[other, left]]
    return left


@pytest.mark.parametrize(("kind", "bits"), [("u1", 8), ("<u2", 16), ("<u4", 32)])
@pytest.mark.parametrize("n", [1, 2, 10, 200])
def test_permuting_is_the_plain_one(n, kind, bits):
    rng = np.random.default_rng(n)
    rows = np.arange(2 * n, dtype="<u2").view(np.uint8).reshape(n, 4)
    words = rng.integers(0, 2**bits, n, dtype=kind)
    fast, slow = rows.copy(), rows.copy()
    left = kernels.row_orders.permute(fast, n, words, bits)
    assert left == plain_permute(slow, n, words, bits)
    assert np.array_equal(fast, slow)


@pytest.mark.parametrize("left", range(2, 200))
def test_a_word_draws_every_row_alike_or_none(left):
    """All words of 8 bits: as many of them draw one row as another, and few draw none."""
    drawn = Counter()
    for word in range(256):
        rows = np.arange(left, dtype=np.uint8).reshape(-1, 1)
        if kernels.row_orders.permute(rows, left, np.array([word], np.uint8), 8) < left:
            drawn[int(rows[-1, 0])] += 1
    assert drawn == dict.fromkeys(range(left), 256 // left)


def test_all_rows_are_drawn_from_when_words_run_out():
    rows = np.arange(100, dtype=np.uint8).reshape(-1, 1)
    assert kernels.row_orders.permute(rows, 100, np.array([7, 2**31], "<u4"), 32) == 98
    assert sorted(rows.ravel().tolist()) == list(range(100))
