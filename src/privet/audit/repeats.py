"""Whether a device that is asked again sends the same report again: no chance is involved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .result import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .clients import Client
    from .subjects import Probe

__all__ = ["repeats_verdict"]


def repeats_verdict(client: Client, probes: Sequence[Probe], times: int) -> Verdict:
    """Return whether each answer's reports by one device are all the same."""
    different = 1
    for probe in probes:
        reports = client.repeats(probe.answer, times)
        if not reports:
            return Verdict("repeats", None, "the client takes no secret")
        if len(set(reports)) > different:
            different, worst = len(set(reports)), probe.answer
    figures = {"times": times, "different": different}
    if different > 1:
        said = f"{different} different reports of {worst!r}, asked {times} times"
        return Verdict("repeats", False, said, figures)
    return Verdict("repeats", True, f"{len(probes)} answers, asked {times} times each", figures)
