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

from .device.answers.scale import Scale
from .device.answers.several import Several
from .device.questionnaire import Questionnaire
from .device.survey import Survey
from .errors import PrivetError
from .errors.extras import require

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
    from .analysis.questionnaire_estimate import QuestionnaireEstimate
    from .analysis.scale_estimate import ScaleEstimate
    from .analysis.tally import Tally
    from .device.client import Client
    from .device.ledger import Ledger

__all__ = [
    "Client",
    "Estimate",
    "Ledger",
    "PrivetError",
    "Questionnaire",
    "QuestionnaireEstimate",
    "Scale",
    "ScaleEstimate",
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

_ON_A_DEVICE = {"entropy", "errors", "mechanisms", "theory"}
_HOMES = {
    "Client": "device.client",
    "Estimate": "analysis.estimate",
    "Ledger": "device.ledger",
    "QuestionnaireEstimate": "analysis.questionnaire_estimate",
    "ScaleEstimate": "analysis.scale_estimate",
    "Tally": "analysis.tally",
}


def __getattr__(name: str) -> object:
    """Import a name when it is first used, because a device needs few of them."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name in __all__:
        if name not in _ON_A_DEVICE:
            require("numpy", "analysis", f"privet.{name}")
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
