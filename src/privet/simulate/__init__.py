"""Simulation: whole populations drawn exactly, and experiments over mechanisms and truths.

- `counts`: the number of reports that support each value, for people whose answers are known;
- `truth`: distributions to draw people from, by name, such as "zipf:1.1";
- `run`: the error of mechanisms over many repeats, as a tidy table.
"""

from .experiment import ESTIMATORS, Experiment, run
from .population import counts
from .truths import truth

__all__ = ["ESTIMATORS", "Experiment", "counts", "run", "truth"]
