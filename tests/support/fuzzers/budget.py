"""Targets driven by hypothesis, where atheris is not installed and in the suite."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzzers import Target


@st.composite
def mutants(draw, seeds):
    """Draw a seed with some bytes changed, removed, put in or repeated."""
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        to = at + draw(st.integers(0, 8))
        data[at:to] = draw(st.binary(max_size=8) | st.just(bytes(data[at:to]) * 2))
    return bytes(data)


def spend(target: Target, examples: int) -> None:
    """Give a target so many inputs, always the same ones."""

    @settings(
        max_examples=examples, derandomize=True, database=None, deadline=None,
        suppress_health_check=[*HealthCheck],
    )  # fmt: skip
    @given(mutants(sorted(target.seeds)) | st.binary(max_size=target.most // 8))
    def holds(data):
        target(data)

    holds()
