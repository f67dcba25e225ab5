"""From unbiased frequencies to a distribution. Post-processing costs no privacy.

`project_simplex` is the paper's way, the nearest distribution; `shrink` learns from the counts how
the shares are spread, and errs less, `shrink_groups` also from other groups; `maximum_likelihood`
asks the reports themselves, with a certificate that there is no likelier distribution. For cells
that have an order, the module `smooth` finds a smooth one.
"""

from .analysis.refine.grouped_shrinkage import shrink_groups
from .analysis.refine.likelihood import Likelihood, maximum_likelihood
from .analysis.refine.shrinkage import Shrunk, shrink
from .analysis.refine.simplex import project_simplex

__all__ = [
    "Likelihood",
    "Shrunk",
    "maximum_likelihood",
    "project_simplex",
    "shrink",
    "shrink_groups",
]
