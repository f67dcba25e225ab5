"""Simulation: whole populations drawn exactly, and experiments over mechanisms and truths.

- `counts`: the number of reports that support each value, for people whose answers are known;
- `truth`: distributions to draw people from, by name, such as "zipf:1.1";
- `averaging`: how many people's answers repeated reports give away;
- `run`: the error of mechanisms over many repeats, as a tidy table.
"""

from .averaging import Averaged, averaging
from .experiment import ESTIMATORS, Experiment, run
from .population import counts
from .truths import truth

__all__ = ["ESTIMATORS", "Averaged", "Experiment", "averaging", "counts", "run", "truth"]
