"""From unbiased frequencies to a distribution. Post-processing costs no privacy.

`project_simplex` is the paper's way, the nearest distribution; `shrink` learns from the counts how
the shares are spread, and errs less.
"""

from .shrink import Shrunk, shrink
from .simplex import project_simplex

__all__ = ["Shrunk", "project_simplex", "shrink"]
