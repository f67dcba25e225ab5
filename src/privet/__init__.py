"""Learn what a crowd answers without learning what anyone answered.

>>> import privet
>>> survey = privet.Survey("Tea or coffee?", ["tea", "coffee", "neither"], epsilon=1.0)
>>> report = survey.randomize("tea")     # on the person's side: safe to send
>>> tally = survey.tally()
>>> tally.update(report)                 # on the server: sees only reports
>>> tally.estimate().n
1
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .analysis.estimate import Estimate
from .analysis.tally import Tally
from .errors import PrivetError
from .survey import Survey

if TYPE_CHECKING:
    from . import entropy, errors, mechanisms, paper, plan, refine, simulate, sums, theory

__all__ = [
    "Estimate",
    "PrivetError",
    "Survey",
    "Tally",
    "__version__",
    "entropy",
    "errors",
    "mechanisms",
    "paper",
    "plan",
    "refine",
    "simulate",
    "sums",
    "theory",
]

__version__ = "0.1.0"

_SUBMODULES = {name for name in __all__ if name.islower() and name.isalpha()}


def __getattr__(name: str) -> object:
    """Import submodules when they are first used: `import privet` stays as quick as numpy's."""
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
