"""Counts of what the service does, in the text format of Prometheus. None is of a person."""

from __future__ import annotations

__all__ = ["MEDIA_TYPE", "Metrics"]

MEDIA_TYPE = "text/plain; version=0.0.4"
_LABELS = {
    "privet_requests_total": ("method", "path", "status"),  # the path is a pattern
    "privet_refused_total": ("reason",),
    "privet_reports_total": ("outcome",),  # of those that were counted, now or before
    "privet_commits_total": (),
    "privet_commit_requests_total": (),
    "privet_commit_seconds_total": (),
}


class Metrics:
    """Numbers that only grow, each with labels; and one that does not.

    Commits are counted by the thread that writes, and all the rest by the event loop.
    """

    def __init__(self) -> None:
        self._counts: dict[str, dict[tuple[object, ...], float]] = {
            name: {} if labels else {(): 0} for name, labels in _LABELS.items()
        }

    def count(self, name: str, *labels: object, by: float = 1) -> None:
        """Count something more, which has these labels."""
        counts = self._counts[name]
        counts[labels] = counts.get(labels, 0) + by

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
