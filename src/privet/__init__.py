"""Learn what a crowd answers without learning what anyone answered.

>>> import privet
>>> survey = privet.Survey("Tea or coffee?", ["tea", "coffee", "neither"], epsilon=1.0)
>>> report = survey.randomize("tea")     # on the person's side: safe to send
>>> tally = survey.tally()
>>> tally.update(report)                 # on the server: sees only reports
>>> tally.estimate().n
1
"""

from . import entropy, errors, mechanisms, refine, theory
from .errors import PrivetError
from .estimate import Estimate
from .survey import Survey
from .tally import Tally

__all__ = [
    "Estimate",
    "PrivetError",
    "Survey",
    "Tally",
    "__version__",
    "entropy",
    "errors",
    "mechanisms",
    "refine",
    "theory",
]

__version__ = "0.1.0"
