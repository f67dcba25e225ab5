"""The families of mechanisms: importing a family registers its analyst's half."""

from .analyst import half_of as analyst_of

__all__ = ["analyst_of"]
