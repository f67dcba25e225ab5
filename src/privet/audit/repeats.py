"""Whether a device that is asked again says no more: the same, or copies of one response."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import binomtest

from ..device.mechanisms.base import Randomizer
from ..device.mechanisms.bits.two_level_unary import TwoLevelUnary
from ..device.mechanisms.flips import ONE
from .clients import Client
from .result import Verdict
from .subjects import Probe

__all__ = ["repeats_verdict"]


def repeats_verdict(
    client: Client, mechanism: Randomizer, probes: Sequence[Probe], times: int, alpha: float
) -> Verdict:
    """Return whether each answer's reports by one device are all the same.

    No chance is involved, but where reports are fresh copies of a permanent response: then these
    must be copies of one.
    """
    if isinstance(mechanism, TwoLevelUnary):
        return _copies_verdict(client, mechanism, probes, times, alpha)
    if mechanism.needs_secret:
        return Verdict("repeats", None, "some pages have a permanent response, and others none")
    most, worst = 1, None
    for probe in probes:
        reports = client.repeats(probe.answer, times)
        if not reports:
            return Verdict("repeats", None, "the client takes no secret")
        if (different := len(set(reports))) > most:
            most, worst = different, probe.answer
    figures = {"times": times, "different": most}
    if most > 1:
        said = f"{most} different reports of {worst!r}, asked {times} times"
        return Verdict("repeats", False, said, figures)
    return Verdict("repeats", True, f"{len(probes)} answers, asked {times} times each", figures)


def _copies_verdict(
    client: Client, mechanism: TwoLevelUnary, probes: Sequence[Probe], times: int, alpha: float
) -> Verdict:
    """Return whether reports are fresh copies of one permanent response for each answer.

    Whatever that is, two copies agree in each bit with the probability q2² + (1 − q2)², and the
    agreements of separate pairs of reports are independent: their number is binomial.
    """
    alike, bits = 0, 0
    for probe in probes:
        reports = client.repeats(probe.answer, times // 2 * 2)
        if not reports:
            return Verdict("repeats", None, "the client takes no secret")
        joined = np.frombuffer(b"".join(reports), dtype=np.uint8).reshape(-1, 2, len(reports[0]))
        apart = int(np.bitwise_count(joined[:, 0] ^ joined[:, 1]).sum())
        bits += len(joined) * mechanism.d
        alike += len(joined) * mechanism.d - apart
    noise = mechanism.noise / ONE
    expected = noise**2 + (1 - noise) ** 2
    p_value = float(binomtest(alike, bits, expected).pvalue)
    said = f"bits of two reports agree in {alike / bits:.4f}, expected {expected:.4f}"
    figures = {"times": times, "agreement": alike / bits, "expected": expected, "p_value": p_value}
    return Verdict("repeats", p_value >= alpha, f"{said} (p = {p_value:.2g})", figures)
