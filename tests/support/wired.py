"""The batch path's plain twin: `sample`, run on the same random words in the batch's order.

A chunk of reports has two streams. One is for blocks of rows: a coin of 8 bytes for each row, some
spare ones for rows whose coin was too large, the starting coins digit by digit, and for small
domains a byte for each row in each round. The other is a tail for whatever else is needed, in order
of need. Side by side, a tile of rows lies together; a set that began too large has no rounds.
"""

from __future__ import annotations

import naive
from privet.analysis.kernels import MOST_WORDS, TILE


class Wired:
    """The draws of one report."""

    def __init__(self, size, tail, toss, planes, offers):
        self.size, self.tail = size, tail
        self.toss, self.planes, self.offers = toss, planes, list(offers)

    def coin(self, heads, total):
        assert self.toss < total
        return self.toss < heads

    def coins(self, count, numerator, bits):
        result = 0
        for position in range(count):
            for i in range(bits):
                digit = numerator >> (bits - 1 - i) & 1
                if i == len(self.planes):
                    rest = numerator % 2 ** (bits - i) * 2**i
                    result |= (self.tail.take(8) < rest) << position
                    break
                if self.planes[i] >> position & 1 == digit:
                    result |= digit << position
                    break
        if result.bit_count() > self.size:
            self.offers = []
        return result

    def members(self, n, population, count):
        chosen = bit = 0
        while chosen.bit_count() < count:
            bit = 1 << self._position(n)
            chosen |= bit & population
        return chosen, bit

    def distinct(self, n, count):
        drawn = []
        while len(drawn) < count:
            position = self._position(n)
            if position < n and position not in drawn:
                drawn.append(position)
        return drawn

    def _position(self, n):
        if self.offers:
            return self.offers.pop(0) % 2 ** (n - 1).bit_length()
        return naive.position(self.tail, n)


def chunk(mechanism, values, entropy, limit=1 << 20):
    """Return the reports of one chunk, one by one."""
    blocks, tail = (naive.Bytes(entropy.keystream().read(limit)) for _ in range(2))
    rows = mechanism.analyst.batches.rows
    twin = mechanism
    if mechanism.name != "binary-rr":
        parameters = {**mechanism.parameters, "start": list(mechanism.analyst.batches.start[:2])}
        twin = type(mechanism).from_parameters(mechanism.d, mechanism.epsilon, parameters)
    reports = []
    for at in range(0, len(values), rows):
        block = values[at : at + rows]
        wires = words_of_block(mechanism, len(block), blocks)
        for value, wire in zip(block, zip(*wires, strict=True), strict=True):
            size = getattr(twin, "before_last", 0)
            reports.append(twin.sample(int(value), Wired(size, tail, *wire)))
    return reports


def words_of_block(mechanism, rows, blocks):
    """Return, for each row of a block, its coin, its planes and the positions offered to it."""
    size = 8 * ((mechanism.d + 63) // 64)
    if mechanism.name == "binary-rr":
        by_digit = [[blocks.take(size) for _ in range(rows)] for _ in range(8)]
        return [None] * rows, list(zip(*by_digit, strict=True)), [[]] * rows
    _, bits, turns = mechanism.analyst.batches.start
    tosses = [blocks.take(8) for _ in range(rows)]
    spare = [blocks.take(8) for _ in range(rows // 64 + 16)]
    width, tiles = size // 8, -(-rows // TILE)
    if width <= MOST_WORDS:
        planes = [[take_tile(blocks, 8) for _ in range(bits * width)] for _ in range(tiles)]
        rounds = [[take_tile(blocks, 1) for _ in range(turns)] for _ in range(tiles)]
        words = [
            [
                sum(planes[i // TILE][j * width + w][i % TILE] << 64 * w for w in range(width))
                for j in reversed(range(bits))
            ]
            for i in range(rows)
        ]
        offers = [[turn[i % TILE] for turn in rounds[i // TILE]] for i in range(rows)]
    else:
        words = [[blocks.take(size) for _ in range(bits)][::-1] for _ in range(rows)]
        offers = [[]] * rows
    for i in range(rows):
        while tosses[i] >= mechanism.coin[1]:
            tosses[i] = spare.pop(0) if spare else blocks.take(8)
    return tosses, words, offers


def take_tile(blocks, size):
    """Return a number for each row of a tile."""
    return [blocks.take(size) for _ in range(TILE)]
