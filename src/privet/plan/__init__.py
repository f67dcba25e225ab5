"""Planning a survey: of people, ε and margin of error, any two give the third.

`compare` lists the mechanisms side by side; `choose` picks one for a survey that names none. For
several choices, `compare_for_sets` and `choose_for_sets` do.
"""

from .comparison import Comparison, choose, compare
from .planning import Plan, plan
from .sets import SetComparison, choose_for_sets, compare_for_sets

__all__ = [
    "Comparison",
    "Plan",
    "SetComparison",
    "choose",
    "choose_for_sets",
    "compare",
    "compare_for_sets",
    "plan",
]
