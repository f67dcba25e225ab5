"""The paper's theorems as functions, accurate to the last digits."""

from .formulas import *  # noqa: F403
from .formulas import __all__ as __all__
