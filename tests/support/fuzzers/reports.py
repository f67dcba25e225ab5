"""Reports of every mechanism, one by one and in batches, and the tallies of them."""

import struct
from binascii import crc32

import numpy as np

from fuzzers import Choices, Target, must
from fuzzers.contracts import BOTH, CONTRACTS, answer
from kinds import SEVERAL, SMALL, small, usual
from privet import Survey
from privet.analysis.tally import MAGIC, MAX_REPORTS, Tally
from privet.entropy import seeded
from privet.errors import InvalidReport
from privet.mechanisms import Exclusive

LITTLE = [small(cls) for cls in (*SMALL, *SEVERAL)]
MECHANISMS = [*LITTLE, *(usual(cls) for cls in (*SMALL, *SEVERAL)), BOTH.mechanism]


OWN = {one.fingerprint: one.randomize(answer(one), secret=bytes(32)) for one in CONTRACTS}


def report(data: bytes) -> None:
    """Check one report; one that is valid has a chance, and perhaps points that it supports."""
    choices = Choices(data)
    number, exact, given = choices.below(len(MECHANISMS)), choices.below(8), choices.bytes()
    mechanism = MECHANISMS[number]
    size = mechanism.report_bytes
    if exact:
        given = given[:size].ljust(size, b"\0")
    if number < len(LITTLE):  # as chances of many values are long fractions
        assert (
            0 <= mechanism.probability(given, 0 if isinstance(mechanism, Exclusive) else [0]) <= 1
        )
    elif len(given) == size and mechanism.problem(given) is None and hasattr(mechanism, "members"):
        assert min(mechanism.members(given), default=0) >= 0


def batch(data: bytes) -> None:
    """Count reports; many at once are refused where any one of them would be."""
    choices = Choices(data)
    mechanism = choices.of(MECHANISMS)
    size, given = mechanism.report_bytes, choices.bytes()
    reports = [given[at : at + size] for at in range(0, max(1, len(given)), size)]
    if choices.below(4) == 0:
        reports[-1] = reports[-1].ljust(size, b"\0")
    whole = all(len(one) == size and mechanism.problem(one) is None for one in reports)
    try:
        n, aggregate = mechanism.aggregate(reports)
    except InvalidReport:
        assert not whole
        return
    assert whole
    assert n == len(reports)
    assert mechanism.check_aggregate(aggregate, n) is None
    mechanism.counts(aggregate)


def _tally(choices: Choices) -> Tally:
    """Return what bytes say that a tally is, with the mark, the survey and the checksum right."""
    contract = choices.of(CONTRACTS)
    n = int.from_bytes(choices.bytes(1 + choices.below(8)), "little")
    size = contract.mechanism.aggregate_size
    width = 1 + choices.below(8)
    entries = [int.from_bytes(choices.bytes(width), "little", signed=True) for _ in range(size)]
    body = MAGIC + bytes.fromhex(contract.fingerprint) + n.to_bytes(8, "little")
    body += np.array(entries, "<i8").tobytes()
    return Tally.from_bytes(body + struct.pack("<I", crc32(body)), contract)


def tally(data: bytes) -> None:
    """Read a tally; one that is accepted is written as it was, and counts."""
    choices = Choices(data)
    if choices.below(16) == 0:
        Tally.from_bytes(choices.bytes(), CONTRACTS[0])
        return
    found = _tally(choices)
    assert must(Tally.from_bytes, found.to_bytes(), found.survey) == found
    if found.n <= MAX_REPORTS // 2:
        assert must(found.merge, found).n % 2 == 0
    assert found.counts.shape


def estimate(data: bytes) -> None:
    """Estimate from a tally that is accepted, whatever its counts are."""
    choices = Choices(data)
    contract = choices.of(CONTRACTS)
    if choices.below(2):
        found = _tally(choices)
    else:
        found = contract.tally()
        size, given = contract.mechanism.report_bytes, choices.bytes()
        for at in range(0, len(given), size):
            try:
                found.update(given[at : at + size])
            except InvalidReport:
                found.update(OWN[contract.fingerprint])
    if not found.n:
        return
    said = must(found.estimate)
    if isinstance(found.survey, Survey) and found.survey.answers.kind != "scale":
        assert np.isfinite(said.frequencies).all()
    assert found._repr_html_()


def _sample(mechanism) -> bytes:
    """Return a report of a mechanism, always the same."""
    if mechanism is BOTH.mechanism:
        return OWN[BOTH.fingerprint]
    values = np.array([0]) if isinstance(mechanism, Exclusive) else np.array([[0]])
    return mechanism.randomize(values, entropy=seeded(1)).tobytes()


REPORTS = [(number, _sample(mechanism)) for number, mechanism in enumerate(MECHANISMS)]
TALLIES = [bytes([5, i, 0, 3, 0, *[1] * 12]) for i in range(len(CONTRACTS))]
TARGETS = {
    "reports": Target(report, [bytes([i, 1]) + one for i, one in REPORTS], 128),
    "batches": Target(batch, [bytes([i]) + one + one for i, one in REPORTS], 256),
    "tallies": Target(tally, [b"\0" + MAGIC, *TALLIES], 512),
    "estimates": Target(estimate, [*(one[1:] for one in TALLIES), b"\3\0" + bytes(20)], 256),
}
