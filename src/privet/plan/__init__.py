"""Planning a survey: of people, ε and margin of error, any two give the third.

`comparison` sets the mechanisms side by side and chooses one for a survey that names none.
"""

from .comparison import Comparison, choose, compare
from .planning import Plan, plan

__all__ = ["Comparison", "Plan", "choose", "compare", "plan"]
