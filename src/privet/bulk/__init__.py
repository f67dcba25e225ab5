"""Files of answers and reports, streamed through Apache Arrow in bounded memory."""

from .answers import read_answers
from .reports import ReportsWriter, read_reports
from .shuffling import Shuffling
from .tallying import tally_files

__all__ = ["ReportsWriter", "Shuffling", "read_answers", "read_reports", "tally_files"]
