"""The families of mechanisms: importing a family registers its analyst's half."""

from . import (  # noqa: F401
    asked,
    bits,
    cohorts,
    designs,
    hashes,
    listed,
    noise,
    paged,
    scales,
    sets,
    subsets,
)
from .analyst import half_of as analyst_of

__all__ = ["analyst_of"]
