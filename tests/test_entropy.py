"""The draws, by enumeration of the bytes behind them."""

import copy
import hashlib
import hmac
import os
import pickle
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from privet.device import entropy
from privet.device.entropy import Stream
from refusing import refused_argument


class Ran(Exception):
    """The prepared bytes are used up."""


def stream_of(*data):
    """A stream of exactly these bytes, in one piece."""
    pieces = [bytes(data)]

    def read(size):
        if not pieces:
            raise Ran
        return pieces.pop()

    return Stream(read, len(data))


def word(value):
    return value.to_bytes(8, "little")


def test_coin_compares_little_endian_words_with_exact_bounds():
    heads, total = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    assert stream_of(*word(0)).coin(heads, total) == 1
    assert stream_of(*word(heads - 1)).coin(heads, total) == 1
    assert stream_of(*word(heads)).coin(heads, total) == 0
    assert stream_of(*word(total - 1)).coin(heads, total) == 0
    # Words at or above the total are drawn again, whatever follows.
    for rejected in (total, 2**64 - 1):
        assert stream_of(*word(rejected), *word(0)).coin(heads, total) == 1
        assert stream_of(*word(rejected), *word(heads)).coin(heads, total) == 0
        with pytest.raises(Ran):
            stream_of(*word(rejected)).coin(heads, total)


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_a_streak_is_coins_in_a_row(most):
    heads, total = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    words = [0, heads - 1, heads, total - 1, total, 2**64 - 1]
    for drawn in product(words, repeat=4):
        data = b"".join(map(word, (*drawn, heads)))  # of which the last one ends every streak
        streaks, coins = stream_of(*data), stream_of(*data)
        length = 0
        while length < most and coins.coin(heads, total):
            length += 1
        assert streaks.streak(heads, total, most) == length
        assert streaks._at == coins._at


@pytest.mark.parametrize("n", [1, 2, 3, 5, 1000, 2**32 + 1, 2**63 + 1, 2**64])
def test_below_takes_remainders_of_words_below_a_multiple(n):
    limit = 2**64 // n * n
    for value in {0, 1, n - 1, n % 2**64, limit // 2, limit - n, limit - 1} - {2**64, limit}:
        assert stream_of(*value.to_bytes(8, "little")).below(n) == value % n
    for rejected in {limit, 2**64 - 1} - {2**64} if limit < 2**64 else ():
        both = *rejected.to_bytes(8, "little"), *(n - 1).to_bytes(8, "little")
        assert stream_of(*both).below(n) == n - 1


@pytest.mark.parametrize("sizes", [(3, 5), (1000, 1), (2**63 + 1, 12), (7, 2**64)])
@pytest.mark.parametrize("which", [0, 1])
def test_below_either_is_below_at_the_size_that_counts(sizes, which):
    for value in (0, 1, 2**63, 2**63 + 1, 2**64 - 1):
        words = *value.to_bytes(8, "little"), *(5).to_bytes(8, "little")
        drawn = stream_of(*words).below_either(sizes, which)
        assert drawn[which] == stream_of(*words).below(sizes[which])
        assert all(0 <= one < size for one, size in zip(drawn, sizes, strict=True))


WORD = 2**64


def digits_of(number, words):
    """The first digits of a number of [0, 1) to the base 2^64, as little-endian bytes."""
    whole = number * WORD**words // 1
    return b"".join(int(whole // WORD**i % WORD).to_bytes(8, "little") for i in range(words)[::-1])


@pytest.mark.parametrize(
    ("numerators", "total"),
    [
        ([1], 2), ([1, 2], 3), ([1, 3, 4], 7), ([1, 2, 3], 2**80), ([1, 2**70], 2**130),
        ([3**99, 3**99 + 1, 3**100], 3**101), ([2**64 - 1], 2**64),
        # Close together, and closer to 1 than a word can say.
        ([3**200 - 2, 3**200 - 1], 3**200),
    ],
)  # fmt: skip
def test_pick_compares_a_uniform_number_with_fractions_exactly(numerators, total):
    """It grows with that number, and by 1 at each fraction: so each part has its exact chance."""
    numbers = [Fraction(numerator, total) for numerator in numerators]
    prepared = entropy.fractions(numerators, total)
    step = Fraction(1, WORD**7)
    around = [n + i * step for n in numbers for i in (-2, -1, 1, 2)]
    for uniform in {Fraction(0), 1 - step, *around, *(n / 2 for n in numbers)} - {*numbers}:
        data = digits_of(uniform, 8)
        stream = stream_of(*data)
        assert stream.pick(*prepared) == sum(number <= uniform for number in numbers)
        read = uniform * WORD ** (stream._at // 8) // 1
        leads = [number * WORD ** (stream._at // 8) // 1 for number in numbers]
        assert read not in leads  # no word more than it takes, and none less
        if stream._at > 8:
            assert read // WORD in [lead // WORD for lead in leads]


def test_pick_takes_no_word_where_there_is_nothing_to_tell():
    assert stream_of(1).pick(*entropy.fractions([], 5)) == 0


@pytest.mark.parametrize(("count", "bits"), [(1, 1), (1, 4), (2, 3), (3, 2), (3, 3)])
def test_coins_are_independent_with_the_exact_probability(count, bits):
    for numerator in range(2**bits):
        outcomes = Counter()
        for planes in product(range(2**count), repeat=bits):
            outcomes[stream_of(*planes).coins(count, numerator, bits)] += 1
        p = Fraction(numerator, 2**bits)
        for pattern in range(2**count):
            ones = pattern.bit_count()
            expected = p**ones * (1 - p) ** (count - ones)
            assert Fraction(outcomes[pattern], 2 ** (count * bits)) == expected


def test_coins_ignore_the_spare_bits_of_a_plane_and_stop_when_decided():
    for low in range(8):
        for high in range(32):
            stream = stream_of(low | high << 3, 0b111 ^ low, 77)
            assert stream.coins(3, 0b10, 2) == low  # digit 1, then 0: plane 1 decides 1s
            assert stream.distinct(256, 1) == [77 if low != 7 else 0b111 ^ low]


def test_a_plane_of_several_bytes_has_the_lowest_first():
    assert stream_of(1, 2, 4).coins(20, 1, 1) == 0x40201


@pytest.mark.parametrize("population", range(1, 16))
def test_one_member_is_uniform(population):
    hits = Counter()
    for byte in range(256):
        try:
            chosen, last = stream_of(byte).members(4, population, 1)
        except Ran:
            hits["again"] += 1
            continue
        assert chosen == last
        hits[chosen] += 1
    members = [1 << i for i in range(4) if population >> i & 1]
    assert {m: hits[m] for m in members} == dict.fromkeys(members, 64)
    assert hits["again"] == 64 * (4 - len(members))


@pytest.mark.parametrize("n", [3, 4])
def test_two_members_are_uniform_and_the_last_is_either(n):
    population = (1 << n) - 1
    seen = Counter()
    for first, second in product(range(256), repeat=2):
        try:
            seen[stream_of(first, second).members(n, population, 2)] += 1
        except Ran:
            seen["again"] += 1
    pairs = {key: times for key, times in seen.items() if key != "again"}
    assert len(pairs) == n * (n - 1)
    assert set(pairs.values()) == {64 * 64}


@pytest.mark.parametrize("n", [257, 300, 512, 65_536])
def test_wide_positions_are_uniform_words_of_two_bytes(n):
    hits = Counter()
    for word in range(65_536):
        try:
            hits[stream_of(*word.to_bytes(2, "little")).distinct(n, 1)[0]] += 1
        except Ran:
            hits["again"] += 1
    span = 1 << (n - 1).bit_length()
    assert {hits[i] for i in range(n)} == {65_536 // span}
    assert hits["again"] == 65_536 // span * (span - n)


def test_very_wide_positions_take_four_bytes():
    stream = stream_of(0x78, 0x56, 0x34, 0x12, 9)
    assert stream.distinct(2**29, 1) == [0x12345678]
    assert stream.distinct(256, 1) == [9]


@given(st.binary(min_size=400, max_size=400), st.integers(2, 600), st.data())
def test_members_and_distinct_draw_alike(data, n, draw):
    count = draw.draw(st.integers(1, min(n, 8)))
    dense, sparse = stream_of(*data), stream_of(*data)
    try:
        chosen, last = dense.members(n, (1 << n) - 1, count)
    except Ran:
        with pytest.raises(Ran):
            sparse.distinct(n, count)
        return
    positions = sparse.distinct(n, count)
    assert chosen == sum(1 << p for p in positions)
    assert last == 1 << positions[-1]
    assert dense._at == sparse._at


@given(st.integers(0, 1000), st.integers(1, 400))
def test_draws_do_not_depend_on_how_the_bytes_come(seed, expected):
    def draws(expected):
        stream = Stream(entropy.seeded(seed).keystream().read, expected)
        for _ in range(5):
            yield stream.coins(190, 5, 4)
            yield stream.coin(2**40, 2**63)
            yield stream.coins(19, 5, 4)
            yield stream.streak(2**63, 2**63 + 2**62, 9)
            yield stream.members(21, (1 << 21) - 1, 2)
            yield stream.distinct(1000, 3)
            yield stream.members(300, (1 << 300) - 1, 2)
            yield stream.distinct(100_000, 2)

    assert list(draws(expected)) == list(draws(10_000))


def test_keystream_is_aes_256_ctr():
    key = bytes(range(32))
    source = entropy.Entropy(key)
    for index in range(3):
        nonce = index.to_bytes(8, "big") + bytes(8)
        expected = Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor().update(bytes(100))
        stream = source.keystream()
        assert stream.read(33) + stream.read(67) == expected


def test_keys_differ_where_they_must_and_only_there():
    first = lambda source: source.keystream().read(32)  # noqa: E731
    keyed = lambda *args: entropy.keyed(*args)(32)  # noqa: E731
    assert first(entropy.secure()) != first(entropy.secure())
    assert first(entropy.seeded(7)) == first(entropy.seeded(7)) != first(entropy.seeded(8))
    secret = os.urandom(16)
    assert keyed(secret, b"a") == keyed(secret, b"a")
    assert keyed(secret, b"a") != keyed(secret, b"b")
    assert keyed(secret, b"a") != keyed(secret + b"x", b"a")
    assert keyed(secret, b"a") != keyed(secret, b"a", entropy.AES_256_CTR)


def test_keys_and_their_bytes_are_these():
    """A client that is asked again in later years must find the same bytes."""
    secret, context = b"sixteen bytes ok", b"a survey"
    key = hmac.digest(secret, b"privet answer a survey", "sha256")
    blocks = b"".join(hmac.digest(key, bytes(7) + bytes([i]), "sha256") for i in range(4))
    assert entropy.keyed(secret, context)(128) == blocks
    aes = entropy.keyed(secret, context, entropy.AES_256_CTR)(32)
    assert aes == entropy.Entropy(key).keystream().read(32)
    seven = entropy.Entropy(hashlib.sha256(b"privet seed 7").digest())
    assert entropy.seeded(7).keystream().read(32) == seven.keystream().read(32)


def test_a_process_draws_one_key_and_a_seed_none(monkeypatch):
    drawn, urandom = [], os.urandom

    def noted(size):
        drawn.append(size)
        return urandom(size)

    monkeypatch.setattr(os, "urandom", noted)
    source = entropy.secure()
    assert source.keystream().read(8) != source.keystream().read(8)
    assert drawn == [32]
    seeds = entropy.seeded(1)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    source.keystream(), source.keystream()
    assert drawn == [32, 32]
    assert seeds.keystream().read(8) == entropy.seeded(1).keystream().read(8)
    assert drawn == [32, 32]


def test_a_stream_asks_for_as_many_bytes_as_last_time_and_for_no_fewer_than_it_needs():
    def asked(expected, draw):
        sizes = []

        def read(size):
            sizes.append(size)
            return bytes(range(size))

        draw(Stream(read, expected))
        return sizes

    assert asked(8, lambda stream: [stream.coin(1, 2**64) for _ in range(3)]) == [8, 8, 8]
    assert asked(0, lambda stream: stream.coin(1, 2**64)) == [0, 8]
    assert asked(0, lambda stream: stream.coins(17, 1, 1)) == [0, 3]
    assert asked(0, lambda stream: stream.members(4, 15, 1)) == [0, 1]
    assert asked(0, lambda stream: stream.distinct(300, 1)) == [0, 2]
    assert asked(0, lambda stream: stream.distinct(2**17, 1)) == [0, 4]


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None])
def test_seed_must_be_a_natural_number(seed):
    with refused_argument("seed", "seeded", value=seed):
        entropy.seeded(seed)


@pytest.mark.parametrize(
    ("secret", "given"),
    [(b"", "0 bytes"), (b"short", "5 bytes"), (b"s" * 15, "15 bytes"), ("s" * 16, "str")],
)
def test_secret_must_be_long_and_is_never_shown(secret, given):
    with refused_argument("secret", "keyed", value=given) as caught:
        entropy.keyed(secret, b"")
    assert str(secret) not in str(caught.value)


def test_numpys_integers_are_seeds():
    assert entropy.seeded(np.int64(7)).keystream().read(8) == entropy.seeded(7).keystream().read(8)


def test_secure_entropy_is_not_pickled_and_seeds_are():
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(entropy.secure())
    with pytest.raises(TypeError, match="pickle"):
        copy.copy(entropy.secure())
    again = pickle.loads(pickle.dumps(entropy.seeded(3)))
    assert again.keystream().read(8) == entropy.seeded(3).keystream().read(8)


def test_a_fork_takes_a_new_key():
    """Two workers that inherit an entropy never make the same reports."""
    source = entropy.secure()
    source.keystream()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, source.keystream().read(32))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    theirs = os.read(read, 32)
    assert len(theirs) == 32
    assert theirs != source.keystream().read(32)


def test_keyed_bytes_do_not_depend_on_how_they_are_read():
    key = bytes(range(32))
    whole = entropy.KeyedBytes(key).read(200)
    source = entropy.KeyedBytes(key)
    assert b"".join(source.read(size) for size in (0, 1, 31, 32, 33, 3, 100)) == whole
    first = hmac.digest(key, bytes(8), "sha256")
    assert whole.startswith(first + hmac.digest(key, bytes(7) + b"\x01", "sha256"))
