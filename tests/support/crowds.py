"""Crowds and surveys that several tests ask."""

import numpy as np

from privet import Survey


def zipf(d):
    """Shares that fall as 1/rank."""
    weights = 1 / np.arange(1, d + 1)
    return weights / weights.sum()


def survey_of(mechanism):
    """A survey with this mechanism."""
    categories = [f"c{i}" for i in range(mechanism.d)]
    return Survey("Q", categories, mechanism.epsilon, mechanism=mechanism)
