"""Sums and comparisons of shares, with the mechanism's exact covariances."""

from .homogeneity import Homogeneity, homogeneity
from .ranks import Lead, Top, lead, ranks, top
from .totals import Difference, Total, change, difference, total

__all__ = [
    "Difference",
    "Homogeneity",
    "Lead",
    "Top",
    "Total",
    "change",
    "difference",
    "homogeneity",
    "lead",
    "ranks",
    "top",
    "total",
]
