"""Values into reports, many at a time: what a kind of answer does, and then the mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.entropy import Entropy
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..errors import InvalidArgument
from .kinds import kind_of
from .paged import OnPages

__all__ = ["randomize"]


def randomize(
    contract: Survey | Questionnaire,
    values: Any,
    entropy: Entropy | None = None,
    workers: int | None = None,
) -> NDArray[np.uint8]:
    """Return one report per row for the values of a survey's answers, or of a questionnaire's."""
    if entropy is not None and not isinstance(entropy, Entropy):
        rule = "an Entropy, such as privet.entropy.seeded(1)"
        raise InvalidArgument("randomize_batch", "entropy", rule, entropy)
    settled = _settled(contract, values, entropy)
    return contract.mechanism.randomize(settled, entropy=entropy, workers=workers)


def _settled(contract: Survey | Questionnaire, values: Any, entropy: Entropy | None) -> Any:
    """Return what the mechanism randomizes."""
    if isinstance(contract, Survey):
        return kind_of(contract.answers).settled(values, entropy)
    pages = zip(contract.pages, values.values, strict=True)
    parts = (kind_of(page.answers).settled(some, entropy) for page, some in pages)
    return OnPages(values.pages, tuple(parts))
