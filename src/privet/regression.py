"""Regression on randomized reports: how answers depend on what is known of people in the clear.

    fit(survey, reports, covariates)

A survey of categories gets a multinomial logit of the answers that nobody has seen, by maximum
likelihood (`logit.py`); numbers on a scale get a linear regression of their mean (`linear.py`).
Only the answers are protected: covariates, such as a region or the version of an app, are known in
the clear for each report.
"""

from .analysis.regression.fitted import Fitted, Linear, Logit
from .analysis.regression.fitting import fit

__all__ = ["Fitted", "Linear", "Logit", "fit"]
