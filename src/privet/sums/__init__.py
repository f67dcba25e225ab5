"""Sums and comparisons of shares, with the mechanism's exact covariances."""

from .changes import Changes, changes
from .fit import Fit, fit
from .homogeneity import Homogeneity, homogeneity
from .ranks import Lead, Top, lead, ranks, top
from .totals import Difference, Total, change, difference, total

__all__ = [
    "Changes",
    "Difference",
    "Fit",
    "Homogeneity",
    "Lead",
    "Top",
    "Total",
    "change",
    "changes",
    "difference",
    "fit",
    "homogeneity",
    "lead",
    "ranks",
    "top",
    "total",
]
