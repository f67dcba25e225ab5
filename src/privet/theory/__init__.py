"""The paper's theorems as functions, accurate to the last digits, and those of sets."""

from . import formulas, sets
from .formulas import *  # noqa: F403
from .sets import *  # noqa: F403

__all__ = [*formulas.__all__, *sets.__all__]
