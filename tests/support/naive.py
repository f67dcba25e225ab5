"""The specification once more, slowly and obviously: docs/algorithm.md with lists and dictionaries.

Nothing here is shared with the package.
"""

from __future__ import annotations

from math import comb


class Bytes:
    """A finite stream of random bytes."""

    def __init__(self, data):
        self.data = list(data)
        self.used = 0

    def take(self, size):
        if self.used + size > len(self.data):
            raise EOFError
        chunk = self.data[self.used : self.used + size]
        self.used += size
        return sum(byte * 256**i for i, byte in enumerate(chunk))


def position(stream, n):
    """One position in [0, 2^w), w the bits of n − 1, from a word of 1, 2 or 4 bytes."""
    width = 0
    while 2**width < n:
        width += 1
    size = 1 if width <= 8 else 2 if width <= 16 else 4
    return stream.take(size) % 2**width


def coins(stream, count, numerator, bits):
    """List of count 0s and 1s."""
    result = [None] * count
    digits = [numerator // 2**i % 2 for i in reversed(range(bits))]
    for digit in digits:
        if None not in result:
            break
        plane = stream.take((count + 7) // 8)
        for i in range(count):
            if result[i] is None and plane // 2**i % 2 == digit:
                result[i] = digit
    return [bit or 0 for bit in result]


def k_subset(stream, value, d, k, odds, scale, start):
    """Return the members of one report, sorted."""
    total = k * odds + (d - k) * 2**scale
    factor = (2**64 - 1) // total
    while True:
        word = stream.take(8)
        if word < factor * total:
            break
    hit = word < factor * k * odds
    if k > d / 2:
        size, inside = d - k, not hit
    else:
        size, inside = k, hit
    others = d - 1
    chosen = {i for i, bit in enumerate(coins(stream, others, *start)) if bit}
    while len(chosen) > size - 1:
        chosen.discard(position(stream, others))
    while True:
        drawn = position(stream, others)
        if drawn < others and drawn not in chosen:
            if len(chosen) == size - 1:
                last = drawn
                break
            chosen.add(drawn)
    members = {others if i == value else i for i in chosen}
    members.add(value if inside else others if last == value else last)
    if k > d / 2:
        members = set(range(d)) - members
    assert len(members) == k
    return sorted(members)


def binary_rr(stream, value, d, flip):
    """Return the set bits of one report."""
    bits = coins(stream, d, flip, 64)
    bits[value] = 1 - bits[value]
    return [i for i, bit in enumerate(bits) if bit]


def pack(members, d, k=None):
    """Return the bytes of a set: a bitmap, or k sorted indices where that takes fewer bytes."""
    width = 0
    while 2**width < d:
        width += 1
    bitmap, packed = (d + 7) // 8, (k * width + 7) // 8 if k is not None else d
    if packed < bitmap:
        return sum(m * 2 ** (width * i) for i, m in enumerate(members)).to_bytes(packed, "little")
    return sum(2**m for m in members).to_bytes(bitmap, "little")


def unpack(report, d, k=None):
    """Return the members of a report."""
    number = int.from_bytes(report, "little")
    width = 0
    while 2**width < d:
        width += 1
    if k is not None and (k * width + 7) // 8 < (d + 7) // 8:
        return [number // 2 ** (width * i) % 2**width for i in range(k)]
    return [i for i in range(d) if number // 2**i % 2]


def tally(reports, d, k=None):
    """Return how many reports hold each value."""
    counts = [0] * d
    for report in reports:
        for member in unpack(bytes(report), d, k):
            counts[member] += 1
    return counts


def subset_law(d, k, E):
    """The paper's Definition 2.1: {members: probability} for every value, E rational."""
    from itertools import combinations

    total = (k * E + d - k) * comb(d, k)
    return [
        {z: (E if x in z else 1) * d / total for z in combinations(range(d), k)} for x in range(d)
    ]


def project(v):
    """Project onto the simplex by bisection on the threshold."""
    low, high = min(v) - 1, max(v)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(x - middle, 0) for x in v) > 1:
            low = middle
        else:
            high = middle
    return [max(x - low, 0) for x in v]
