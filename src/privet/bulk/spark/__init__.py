"""Answers and reports in Spark's frames: randomized and counted on as many machines as there are.

session        the active Spark session, or one that keeps quiet
randomize      a frame of answers to a frame of reports, each answer randomized once
write_reports  a frame of reports to Parquet files
read_reports   Parquet files to a frame of reports
tally          a frame of reports to a tally; tally_groups to one a group
tally_paths    Parquet files to tallies
"""

from .files import read_reports, tally_paths, write_reports
from .randomizing import randomize
from .session import session
from .tallying import tally, tally_groups

__all__ = [
    "randomize",
    "read_reports",
    "session",
    "tally",
    "tally_groups",
    "tally_paths",
    "write_reports",
]
