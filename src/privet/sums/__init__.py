"""Sums and comparisons of shares, with the mechanism's exact covariances."""

from .changes import Changes, change, changes
from .fit import Fit, fit
from .homogeneity import Homogeneity, homogeneity
from .independent import Change, Uncertain
from .pairs import Pairs, pair_counts, pair_shares, together
from .ranks import Lead, Top, lead, ranks, top
from .scale_changes import ScaleChanges, scale_changes
from .strata import Poststratified, WeightedTotal, poststratify
from .totals import Difference, Total, difference, total

__all__ = [
    "Change",
    "Changes",
    "Difference",
    "Fit",
    "Homogeneity",
    "Lead",
    "Pairs",
    "Poststratified",
    "ScaleChanges",
    "Top",
    "Total",
    "Uncertain",
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
    "scale_changes",
    "together",
    "top",
    "total",
]
