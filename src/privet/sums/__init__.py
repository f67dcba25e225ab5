"""Sums and comparisons of shares, with the mechanism's exact covariances."""

from .homogeneity import Homogeneity, homogeneity
from .strata import Poststratified, WeightedTotal, poststratify
from .totals import Difference, Total, change, difference, total

__all__ = [
    "Difference",
    "Homogeneity",
    "Poststratified",
    "Total",
    "WeightedTotal",
    "change",
    "difference",
    "homogeneity",
    "poststratify",
    "total",
]
