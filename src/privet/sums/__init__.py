"""Sums and comparisons of shares, with the mechanism's exact covariances."""

from .changes import Changes, changes
from .fit import Fit, fit
from .homogeneity import Homogeneity, homogeneity
from .pairs import Pairs, pair_counts, pair_shares, together
from .ranks import Lead, Top, lead, ranks, top
from .strata import Poststratified, WeightedTotal, poststratify
from .totals import Difference, Total, change, difference, total

__all__ = [
    "Changes",
    "Difference",
    "Fit",
    "Homogeneity",
    "Lead",
    "Pairs",
    "Poststratified",
    "Top",
    "Total",
    "WeightedTotal",
    "change",
    "changes",
    "difference",
    "fit",
    "homogeneity",
    "lead",
    "pair_counts",
    "pair_shares",
    "poststratify",
    "ranks",
    "together",
    "top",
    "total",
]
