"""The families of mechanisms: importing a family registers its analyst's half."""

from . import (  # noqa: F401
    bits,
    choices,
    cohorts,
    designs,
    hashes,
    noise,
    paged,
    scales,
    subsets,
)
from .analyst import half_of as analyst_of

__all__ = ["analyst_of"]
