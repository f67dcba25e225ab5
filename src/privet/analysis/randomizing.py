"""Values into reports, many at a time: what a kind of answer does, and then the mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.answers.base import Answers
from ..device.answers.scale import FRACTION_BITS, Scale
from ..device.entropy import Entropy, secure
from ..device.keystream import FILL_SLACK
from ..device.questionnaire import Questionnaire
from ..device.survey import Survey
from ..errors import InvalidArgument
from .paged import OnPages

__all__ = ["randomize"]

# So many numbers at a time stay in the processor's cache from one step to the next.
_CACHED = 1 << 14


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
    if isinstance(contract, Survey):
        values = _settled(contract.answers, values, entropy)
    else:
        pages = zip(contract.pages, values.values, strict=True)
        settled = (_settled(page.answers, some, entropy) for page, some in pages)
        values = OnPages(values.pages, tuple(settled))
    return contract.mechanism.randomize(values, entropy=entropy, workers=workers)


def _settled(answers: Answers, values: Any, entropy: Entropy | None) -> Any:
    """Return what the mechanism randomizes, for many values: cells, where they are on a scale."""
    if not isinstance(answers, Scale):
        return values
    cells, stream = values >> FRACTION_BITS, (entropy or secure()).keystream()
    room = np.empty(8 * _CACHED + FILL_SLACK, dtype=np.uint8)
    for at in range(0, len(values), _CACHED):
        some = values[at : at + _CACHED].view(np.uint64) << np.uint64(64 - FRACTION_BITS)
        words = stream.fill(room, 8 * len(some)).view("<u8")
        cells[at : at + _CACHED] += words < some
    return cells
