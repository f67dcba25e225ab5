"""Sums and comparisons of shares, with the mechanism's exact covariances."""

from .homogeneity import Homogeneity, homogeneity
from .totals import Difference, Total, change, difference, total

__all__ = [
    "Difference",
    "Homogeneity",
    "Total",
    "change",
    "difference",
    "homogeneity",
    "total",
]
