"""Tables of questionnaires: pages combined, questions and tables with errors that hold."""

from .analysis.tables.combining import Combined
from .analysis.tables.independence import Independence
from .analysis.tables.likeness import Likeness
from .analysis.tables.page_counts import PageCounts
from .analysis.tables.ratios import ConditionalShares
from .analysis.tables.sharing import page_shares
from .analysis.tables.table import Margin, Shares, Table
from .analysis.tables.variances import Variances, compare, total_variance

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
