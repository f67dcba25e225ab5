"""Planning a survey: of people, ε and margin of error, any two give the third.

`compare` lists the mechanisms side by side; `choose` picks one for a survey that names none. For
several choices, `compare_for_sets` and `choose_for_sets` do. `plan_questionnaire` says what people
tell of each question of a questionnaire, and what tables cost.
"""

from ..device.mechanisms.choosing import choose, choose_for_sets
from .comparison import Comparison, SetComparison, compare, compare_for_sets
from .planning import plan
from .plans import Plan, ScalePlan
from .questionnaires import PlannedQuestion, plan_questionnaire

__all__ = [
    "Comparison",
    "Plan",
    "PlannedQuestion",
    "ScalePlan",
    "SetComparison",
    "choose",
    "choose_for_sets",
    "compare",
    "compare_for_sets",
    "plan",
    "plan_questionnaire",
]
