"""Tables of questionnaires: pages combined, questions and tables with errors that hold."""

from .combining import Combined
from .independence import Independence
from .likeness import Likeness
from .pages import PageCounts
from .ratios import ConditionalShares
from .sharing import page_shares
from .table import Margin, Shares, Table
from .variances import Variances, compare, total_variance

__all__ = [
    "Combined",
    "ConditionalShares",
    "Independence",
    "Likeness",
    "Margin",
    "PageCounts",
    "Shares",
    "Table",
    "Variances",
    "compare",
    "page_shares",
    "total_variance",
]
