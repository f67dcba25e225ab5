"""Counts of what the service does, in the text format of Prometheus. None is of a person."""

from __future__ import annotations

from collections import Counter

__all__ = ["MEDIA_TYPE", "Metrics"]

MEDIA_TYPE = "text/plain; version=0.0.4"
_LABELS = {
    "privet_requests_total": ("method", "path", "status"),
    "privet_refused_total": ("reason",),
    "privet_reports_total": ("outcome",),
    "privet_commits_total": (),
    "privet_commit_requests_total": (),
    "privet_commit_seconds_total": (),
}


class Metrics:
    """Numbers that only grow, each with labels; and one that does not.

    Commits are counted by the thread that writes, and all the rest by the event loop.
    """

    def __init__(self) -> None:
        none: dict[tuple[object, ...], float] = {(): 0}
        self._counts = {name: Counter({} if some else none) for name, some in _LABELS.items()}

    def answered(self, method: str, path: str, status: int) -> None:
        """Count a request, by the path's pattern."""
        self._counts["privet_requests_total"][method, path, status] += 1

    def refused(self, reason: str) -> None:
        """Count a request that was refused."""
        self._counts["privet_refused_total"][(reason,)] += 1

    def accepted(self, outcome: str, reports: int) -> None:
        """Count reports that were counted, now or before."""
        self._counts["privet_reports_total"][(outcome,)] += reports

    def committed(self, requests: int, seconds: float) -> None:
        """Count a commit, its requests and how long it took."""
        self._counts["privet_commits_total"][()] += 1
        self._counts["privet_commit_requests_total"][()] += requests
        self._counts["privet_commit_seconds_total"][()] += seconds  # type: ignore[assignment]

    def text(self, inbox_bytes: int) -> str:
        """Return all numbers, with how many bytes of reports wait to be folded."""
        lines = ["# TYPE privet_inbox_bytes gauge", f"privet_inbox_bytes {inbox_bytes}"]
        for name, counts in self._counts.items():
            lines.append(f"# TYPE {name} counter")
            for values, count in sorted(counts.items(), key=str):
                pairs = zip(_LABELS[name], values, strict=True)
                labels = ",".join(f'{label}="{value}"' for label, value in pairs)
                lines.append(f"{name}{{{labels}}} {count!r}" if labels else f"{name} {count!r}")
        return "\n".join(lines) + "\n"
