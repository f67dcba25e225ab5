"""Words of 64 bits against Python's integers."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from privet.analysis.kernels import words

WORDS = st.integers(0, 2**64 - 1)


@given(WORDS)
@example(0)
@example(2**64 - 1)
@example(2**63)
def test_bits_are_those_of_the_number(number):
    assert words.popcount(np.uint64(number)) == number.bit_count()
    if number:
        assert words.lowest(np.uint64(number)) == (number & -number).bit_length() - 1


@given(st.integers(1, 2**63))
@example(1)
@example(2**63)
def test_a_span_is_the_next_power_of_two(number):
    assert words.span(np.uint64(number)) == 1 << (number - 1).bit_length()


@given(WORDS, st.integers(0, 5))
def test_words_are_written_and_read_at_any_byte(number, at):
    data = np.full(16, 7, np.uint8)
    words.store_word(data, np.uint64(at), np.uint64(number))
    rest = 8 - at
    assert data.tobytes() == bytes([7] * at) + number.to_bytes(8, "little") + bytes([7] * rest)
    assert words.word_at(data, np.uint64(at)) == number
