"""What JSON output says of the survey or questionnaire that it is about."""

from __future__ import annotations

from typing import Any

from ..device.contract import Contract


def describe_survey(survey: Contract) -> dict[str, Any]:
    """Return what JSON output says of the survey or questionnaire that it is about."""
    return {
        "survey": survey.id,
        "fingerprint": survey.fingerprint,
        "question": survey.heading,
        "epsilon": survey.epsilon,
        "mechanism": repr(survey.mechanism),
    }
