"""Planning a survey: of people, ε and margin of error, any two give the third.

`compare` lists the mechanisms side by side; `choose` picks one for a survey that names none.
"""

from .comparison import Comparison, choose, compare
from .planning import Plan, plan

__all__ = ["Comparison", "Plan", "choose", "compare", "plan"]
