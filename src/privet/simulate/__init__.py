"""Simulation: whole populations drawn exactly, and experiments over mechanisms and truths.

- `counts`: how many reports support each value, for people whose answers are known;
- `run`: the error of mechanisms over many repeats, as a tidy table.
"""

from .population import counts

__all__ = ["counts"]
