"""Bytes that nobody would write, to every reader: refused in privet's own words, or read.

The short form of `make fuzz`, by hypothesis instead of atheris: seeds with a few changes.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzzers import TARGETS, target

NAMES = [name for some in TARGETS.values() for name in some]
# Starting a program takes long, and so does choosing mechanisms.
EXAMPLES = {"commands": 20, "drafts": 30, "bodies": 60, "estimates": 60}


@st.composite
def mutants(draw, seeds):
    """A seed with some bytes changed, removed, put in or repeated; or anything at all."""
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        to = at + draw(st.integers(0, 8))
        data[at:to] = draw(st.binary(max_size=8) | st.just(bytes(data[at:to]) * 2))
    return bytes(data)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::privet.errors.Clamped")
def test_a_reader_refuses_or_reads_any_bytes(name):
    found = target(name)
    seeds = sorted(found.seeds)

    @settings(
        max_examples=EXAMPLES.get(name, 150),
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[*HealthCheck],
    )
    @given(mutants(seeds) | st.binary(max_size=found.most // 8))
    def holds(data):
        found(data)

    holds()
