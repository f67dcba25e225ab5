"""The points of the last measurement, and the machine that they were measured on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from . import Point

if TYPE_CHECKING:
    from collections.abc import Iterable

_FILE = Path(__file__).parents[1] / "growth.json"


def write(machine: Iterable[str], points: Iterable[Point]) -> None:
    """Keep points, until the next measurement."""
    found = {"machine": list(machine), "points": [point._asdict() for point in points]}
    _FILE.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def read() -> tuple[list[str], list[Point]]:
    """Return the machine and its points; nothing where nothing was measured yet."""
    if not _FILE.exists():
        return [], []
    found = json.loads(_FILE.read_text("utf-8"))
    return found["machine"], [Point(**point) for point in found["points"]]
