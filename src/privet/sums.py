"""Sums and comparisons of shares, with the mechanism's exact covariances."""

from .analysis.sums.changes import Changes, change, changes
from .analysis.sums.fit import Fit, fit
from .analysis.sums.homogeneity import Homogeneity, homogeneity
from .analysis.sums.independent import Change, Uncertain
from .analysis.sums.pairs import Pairs, pair_counts, pair_shares, together
from .analysis.sums.ranks import Lead, Top, lead, ranks, top
from .analysis.sums.scale_changes import ScaleChanges, scale_changes
from .analysis.sums.strata import Poststratified, WeightedTotal, poststratify
from .analysis.sums.totals import Difference, Total, difference, total

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
