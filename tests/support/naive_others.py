"""The mechanisms that the k-subset mechanism is compared with, once more, slowly and obviously.

docs/algorithm.md, section 6, with lists and dictionaries. Nothing here is shared with the package.
"""

from __future__ import annotations

from hashlib import sha256

import naive


def coin(stream, heads, total):
    """True with probability heads / total."""
    word = total
    while word >= total:
        word = stream.take(8)
    return word < heads


def below(stream, n):
    """A uniform integer of [0, n)."""
    limit = 2**64 - 2**64 % n
    word = limit
    while word >= limit:
        word = stream.take(8)
    return word % n


def number(value, largest):
    """The bytes of a number, as many as the largest one has."""
    size = 0
    while 256**size <= largest:
        size += 1
    return bytes(value // 256**i % 256 for i in range(size))


def cohort_cell(function, value, cells):
    digest = sha256(f"privet cohort {function}".encode()).digest()
    a = sum(byte * 256**i for i, byte in enumerate(digest[:8])) % (2**31 - 2) + 1
    b = sum(byte * 256**i for i, byte in enumerate(digest[8:16])) % (2**31 - 1)
    return (a * value + b) % (2**31 - 1) % cells


def optimized_unary(stream, value, d, integers):
    bits = naive.coins(stream, d, int(integers["flip"]), 64)
    if naive.coins(stream, 1, 1, 1)[0]:
        bits[value] = 1 - bits[value]
    return naive.pack([i for i, bit in enumerate(bits) if bit], d)


def two_level_unary(stream, value, d, integers, fresh=None):
    permanent = naive.coins(stream, d, int(integers["flip"]), 64)
    if naive.coins(stream, 1, 1, 1)[0]:
        permanent[value] = 1 - permanent[value]
    flips = naive.coins(fresh or stream, d, int(integers["noise"]), 64)
    return naive.pack([i for i in range(d) if permanent[i] != flips[i]], d)


def hashed(stream, value, d, integers, functions, buckets, bucket):
    odds, scale = int(integers["odds"]), integers["scale"]
    total = odds + (buckets - 1) * 2**scale
    factor = (2**64 - 1) // total
    truth = coin(stream, factor * odds, factor * total)
    drawn = below(stream, functions * (buckets - 1))
    function, shift = drawn // (buckets - 1), drawn % (buckets - 1)
    own = bucket(function, value)
    reported = own if truth else (own + 1 + shift) % buckets
    return number(function * buckets + reported, functions * buckets - 1)


def local_hash(stream, value, d, integers):
    prime, buckets = integers["prime"], integers["buckets"]

    def bucket(function, x):
        a, b = function // prime + 1, function % prime
        return (a * x + b) % prime % buckets

    return hashed(stream, value, d, integers, prime * (prime - 1), buckets, bucket)


def one_bit(stream, value, d, integers):
    rows = 1
    while rows < d:
        rows *= 2
    return hashed(stream, value, d, integers, rows, 2, lambda row, x: bin(row & x).count("1") % 2)


def hashed_rr(stream, value, d, integers):
    cohorts, buckets = integers["cohorts"], integers["buckets"]

    def bucket(cohort, x):
        return cohort_cell(cohort, x, buckets)

    return hashed(stream, value, d, integers, cohorts, buckets, bucket)


def rappor(stream, value, d, integers):
    cohorts, bits, hashes = (integers[name] for name in ("cohorts", "bits", "hashes"))
    cohort = below(stream, cohorts)
    own = {cohort_cell(cohort * hashes + i, value, bits) for i in range(hashes)}
    flips = naive.coins(stream, bits, int(integers["flip"]), 64)
    members = [i for i in range(bits) if flips[i] != (i in own)]
    return number(cohort, cohorts - 1) + naive.pack(members, bits)


def geometric_noise(stream, value, d, integers):
    flip, limit = int(integers["flip"]), integers["limit"]
    entries = b""
    for j in range(d):
        up = coin(stream, flip, 2**64) != (j == value)
        steps = 0
        while steps < limit and coin(stream, flip, 2**64 - flip):
            steps += 1
        entries += number(
            limit + 1 + steps if up else limit - steps, 255 if limit <= 127 else 2**15
        )
    return entries


def interval(stream, value, d, integers):
    window, odds, scale = integers["window"], int(integers["odds"]), integers["scale"]
    total = window * odds + (d - 1) * 2**scale
    factor = (2**64 - 1) // total
    windows = range(d + window - 1)
    covering = [z for z in windows if z - window < value <= z]
    others = [z for z in windows if z > covering[-1]] + [z for z in windows if z < covering[0]]
    hit = coin(stream, factor * window * odds, factor * total)
    drawn = covering[below(stream, window)] if hit else others[below(stream, d - 1)]
    return number(drawn, d + window - 2)


SAMPLERS = {
    "optimized-unary": optimized_unary,
    "two-level-unary": two_level_unary,
    "local-hash": local_hash,
    "one-bit": one_bit,
    "hashed-rr": hashed_rr,
    "rappor": rappor,
    "interval": interval,
    "geometric-noise": geometric_noise,
}
