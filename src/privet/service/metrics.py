"""Counts of what the service does, in the text format of Prometheus. None is of a person."""

from __future__ import annotations

from collections import Counter
from threading import Lock

__all__ = ["MEDIA_TYPE", "Metrics"]

MEDIA_TYPE = "text/plain; version=0.0.4"


class Metrics:
    """Numbers that only grow, each with labels."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[str, Counter[str]] = {
            "privet_requests_total": Counter(),
            "privet_refused_total": Counter(),
            "privet_reports_total": Counter(),
            "privet_commits_total": Counter(),
            "privet_commit_requests_total": Counter(),
            "privet_commit_seconds_total": Counter(),
        }

    def answered(self, method: str, path: str, status: int) -> None:
        """Count a request, by the path's pattern."""
        labels = f'{{method="{method}",path="{path}",status="{status}"}}'
        self._add("privet_requests_total", labels)

    def refused(self, reason: str) -> None:
        """Count a request that was refused."""
        self._add("privet_refused_total", f'{{reason="{reason}"}}')

    def accepted(self, outcome: str, reports: int) -> None:
        """Count reports that were counted, now or before."""
        self._add("privet_reports_total", f'{{outcome="{outcome}"}}', reports)

    def committed(self, requests: int, seconds: float) -> None:
        """Count a commit, its requests and how long it took."""
        self._add("privet_commits_total", "")
        self._add("privet_commit_requests_total", "", requests)
        self._add("privet_commit_seconds_total", "", seconds)

    def text(self) -> str:
        """Return all numbers."""
        lines = []
        with self._lock:
            for name, counts in self._counts.items():
                lines.append(f"# TYPE {name} counter")
                lines += [f"{name}{labels} {value!r}" for labels, value in sorted(counts.items())]
        return "\n".join(lines) + "\n"

    def _add(self, name: str, labels: str, much: float = 1) -> None:
        with self._lock:
            self._counts[name][labels] += much  # type: ignore[assignment]
