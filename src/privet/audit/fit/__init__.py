"""Whether reports follow the contract's law: a few looks at all reports of one value.

A defect may keep ε and still be wrong: a biased generator, a hit that is rarer than it should be.
So reports are held against their exact law: how often they support the person's value; how often
each other thing is in them, given that; and how things go together, by the joint law of a few of
them. Where there are few different reports, that is all of them, one by one. A family of mechanisms
has a file each, found by the mechanism's class; statistics.py has the p-values.
"""

from . import bits, numbers, pages, sets
from .base import FitToLaw, fit_of
from .statistics import Check

__all__ = ["Check", "FitToLaw", "bits", "fit_of", "numbers", "pages", "sets"]
