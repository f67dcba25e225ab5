"""The service: reports in, estimates out, over HTTP.

No endpoint takes an answer, and nothing is kept or logged of who sent a report. `routes` is the
table of everything that can be asked; `ingest` takes reports, which `gathering` commits in groups.
"""

from __future__ import annotations

from .app import make_app

__all__ = ["make_app"]
