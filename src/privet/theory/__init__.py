"""The paper's theorems as functions, accurate to the last digits, and those of sets."""

from . import formulas, set_formulas
from .formulas import *  # noqa: F403
from .set_formulas import *  # noqa: F403

__all__ = [*formulas.__all__, *set_formulas.__all__]
