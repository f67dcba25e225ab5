"""Files of answers and reports, streamed through Apache Arrow in bounded memory."""

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
