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

from .errors import PrivetError
from .survey import Survey

TYPE_CHECKING = False  # as typing is slow to import
if TYPE_CHECKING:
    from . import (
        audit,
        bulk,
        entropy,
        errors,
        mechanisms,
        paper,
        plan,
        poisoning,
        refine,
        regression,
        shuffle,
        simulate,
        sums,
        tables,
        theory,
    )
    from .analysis.estimate import Estimate
    from .analysis.tally import Tally
    from .answers.scale import Scale
    from .answers.several import Several
    from .client import Client
    from .ledger import Ledger
    from .questionnaire import Questionnaire

__all__ = [
    "Client",
    "Estimate",
    "Ledger",
    "PrivetError",
    "Questionnaire",
    "Scale",
    "Several",
    "Survey",
    "Tally",
    "__version__",
    "audit",
    "bulk",
    "entropy",
    "errors",
    "mechanisms",
    "paper",
    "plan",
    "poisoning",
    "refine",
    "regression",
    "shuffle",
    "simulate",
    "sums",
    "tables",
    "theory",
]

__version__ = "0.2.0"

_PERSONS = {"entropy", "errors", "mechanisms", "theory"}
_HOMES = {
    "Client": "client",
    "Estimate": "analysis.estimate",
    "Ledger": "ledger",
    "Questionnaire": "questionnaire",
    "Scale": "answers.scale",
    "Several": "answers.several",
    "Tally": "analysis.tally",
}


def __getattr__(name: str) -> object:
    """Import what is the analyst's when it is first used: a person's device has no need of it."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name in __all__:
        if name not in _PERSONS:
            from .extras import require

            require("numpy", "analysis", f"privet.{name}")
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
