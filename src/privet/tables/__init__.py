"""Tables of questionnaires: pages combined, questions and tables with errors that hold."""

from .combining import Combined
from .pages import PageCounts
from .table import Margin, Shares, Table

__all__ = ["Combined", "Margin", "PageCounts", "Shares", "Table"]
