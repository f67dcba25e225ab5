"""Poisoning: what false reports can do to an estimate, and which of them can be seen.

Anyone who may send a report may send a false one. `gain` says exactly by how much the worst ones
raise the estimate of some values, `mean_gain` that of the mean of numbers on a scale, and `worth`
how many honest answers one of them is worth. `check` looks for false reports in a tally, and
`check_reports` in the reports themselves.

**What can be seen.** The law of honest reports is determined by the people's shares, d − 1 numbers.
Whatever does not fit any shares is seen: liars who send one report again and again, or choose among
a few. **What cannot.** A liar who draws a report at random from all that hold a target sends what
an honest report of that target is, whenever it is not noise. The law of all reports is then that of
other shares, exactly; no test of reports can tell, unless those shares are impossible, below 0.
"""

from .diagnostics import Finding, check, check_reports
from .gains import gain, mean_gain, most_held, worth

__all__ = ["Finding", "check", "check_reports", "gain", "mean_gain", "most_held", "worth"]
