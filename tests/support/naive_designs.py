"""Block designs once more, slowly and obviously: docs/designs.md with lists and dictionaries.

A design is given by its name and the integers of its survey. Nothing here is shared with the
package.
"""

from __future__ import annotations

from functools import cache
from math import prod


def sizes(name, shape):
    """Return (points, points in a block, blocks)."""
    if name == "cyclotomic":
        p, m, u = shape["p"], shape["m"], shape["u"]
        return p, u * (p - 1) // m, p * m
    q, t = (shape["q"], shape["t"]) if name == "projective" else (2, shape["t"])
    points, inside = (sum(q**i for i in range(n)) for n in (t, t - 1))
    return points, inside, points


def holds(name, shape, block, point):
    """Tell whether a block holds a point, by the definition."""
    if name == "cyclotomic":
        c, b = divmod(block, shape["p"])
        t = (point + b) % shape["p"]
        return t != 0 and (logarithms(shape["root"], shape["p"])[t] - c) % shape["m"] < shape["u"]
    if name == "projective":
        inside = hyperplane(shape["q"], shape["t"], shape["recurrence"])
        return (point + block) % sizes(name, shape)[0] in inside
    return bin((block + 1) & (point + 1)).count("1") % 2 == 0


@cache
def logarithms(root, p):
    """Return j for each root^j modulo p."""
    table, power = {}, 1
    for j in range(p - 1):
        table[power] = j
        power = power * root % p
    return table


@cache
def hyperplane(q, t, recurrence):
    """Return the points i with s_i = s_{i+v} = … = s_{i+(e−1)v} = 0, in increasing order."""
    p = next(n for n in range(2, q + 1) if q % n == 0)
    e = next(e for e in range(1, 20) if p**e == q)
    n, points = e * t, (q**t - 1) // (q - 1)
    digits = [recurrence // p**i % p for i in range(n)]
    terms = [0] * (n - 1) + [1]
    while len(terms) < e * points:
        terms.append(sum(c * s for c, s in zip(digits, terms[-n:], strict=True)) % p)
    return dict.fromkeys(
        i for i in range(points) if not any(terms[i + j * points] for j in range(e))
    )


def block_at(name, shape, value, place):
    """Return the block at a place of the value's own order."""
    points = sizes(name, shape)[0]
    if name == "cyclotomic":
        p, m = shape["p"], shape["m"]
        turn, j = divmod(place, p - 1)
        element = shape["root"] ** j % p if turn < m else 0
        return (j - turn) % m * p + (element - value) % p
    if name == "projective":
        inside = hyperplane(shape["q"], shape["t"], shape["recurrence"])
        order = [*inside, *(i for i in range(points) if i not in inside)]
        return (order[place] - value) % points
    t, point = shape["t"], value + 1
    bits = [(place + 1) >> i & 1 for i in range(t)]
    pivot = next(i for i in range(t) if point >> i & 1)
    wanted = bits.pop()
    bits.insert(pivot, 0)
    bits[pivot] = (wanted + sum(bit & point >> i for i, bit in enumerate(bits))) % 2
    return sum(bit << i for i, bit in enumerate(bits)) - 1


def sample(stream, value, name, shape, odds, scale):
    """Return the bytes of one report."""
    points, k, blocks = sizes(name, shape)
    total = k * odds + (points - k) * 2**scale
    factor = (2**64 - 1) // total
    holding = blocks * k // points
    hit = below(stream, factor * total, factor * total) < factor * k * odds
    size = holding if hit else blocks - holding
    place = below(stream, size, 2**64 // size * size) + (0 if hit else holding)
    return pack(block_at(name, shape, value, place), blocks)


def below(stream, n, limit):
    """Return the first word below the limit, modulo n."""
    while True:
        word = stream.take(8)
        if word < limit:
            return word % n


def pack(block, blocks):
    """Return the bytes of a block's number."""
    size = next(size for size in range(1, 9) if 256**size >= blocks)
    return bytes(block // 256**i % 256 for i in range(size))


def tally(reports, d, name, shape):
    """Return how many reports hold each value."""
    numbers = [sum(byte * 256**i for i, byte in enumerate(bytes(report))) for report in reports]
    return [sum(holds(name, shape, block, x) for block in numbers) for x in range(d)]


def padded_error(d, E, v, k):
    """Return n times the squared error of the frequencies of d of v points, in closed form."""
    numerator = E * (v - 1) ** 2 + (d - 1) * prod(((k - 1) * E + v - k, k * E + v - k - 1))
    return numerator / (k * (v - k) * (E - 1) ** 2)
