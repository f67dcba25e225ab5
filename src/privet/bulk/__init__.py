"""Files of answers and reports, streamed through Apache Arrow in bounded memory.

The first bytes of a file decide its format, and every file is read in one pass, so a pipe works and
answers never touch a disk. Each distinct answer is looked up once per batch. Reports are written in
random order (`shuffling`). A reports file is counted by several threads, one row group each; the
error is the same whichever thread finds the first bad report. Files, Spark and memory give the same
tally, bit for bit.
"""

from ..analysis.cleaning import Cleaning
from .answers import count_answers, read_answers
from .known import read_known
from .randomizing import randomize_files
from .reports import ReportsWriter, read_reports
from .tallying import tally_files, tally_groups

__all__ = [
    "Cleaning",
    "ReportsWriter",
    "count_answers",
    "randomize_files",
    "read_answers",
    "read_known",
    "read_reports",
    "tally_files",
    "tally_groups",
]
