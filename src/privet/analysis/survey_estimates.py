"""From the aggregate of a survey's reports to the estimate that goes with its kind of answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..device.answers.scale import Scale
from ..device.survey import Survey
from .estimate import Estimate
from .scale_estimate import ScaleEstimate

__all__ = ["estimate_survey"]


def estimate_survey(
    survey: Survey[Any], n: int, aggregate: NDArray[np.int64]
) -> Estimate | ScaleEstimate:
    """Return what n reports with this aggregate say."""
    if isinstance(survey.answers, Scale):
        return ScaleEstimate(survey, n, aggregate)
    return Estimate(survey, n, survey.mechanism.counts(aggregate))
