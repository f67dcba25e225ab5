"""From unbiased frequencies to a distribution. Post-processing costs no privacy.

`project_simplex` is the paper's way, the nearest distribution; `shrink` learns from the counts how
the shares are spread, and errs less, `shrink_groups` also from other groups; `maximum_likelihood`
asks the reports themselves, with a certificate that there is no likelier distribution. For cells
that have an order, the module `smooth` finds a smooth one.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .simplex import project_simplex

if TYPE_CHECKING:
    from .groups import shrink_groups
    from .likelihood import Likelihood, maximum_likelihood
    from .shrinkage import Shrunk, shrink

__all__ = [
    "Likelihood",
    "Shrunk",
    "maximum_likelihood",
    "project_simplex",
    "shrink",
    "shrink_groups",
]

# Not needed for every estimate, so imported when asked for.
_HOMES = {
    "Likelihood": "likelihood",
    "Shrunk": "shrinkage",
    "maximum_likelihood": "likelihood",
    "shrink": "shrinkage",
    "shrink_groups": "groups",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
