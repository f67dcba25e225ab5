"""Pictures of estimates, plans and experiments, by matplotlib, which is imported late."""

from .estimates import plot_estimate, plot_groups, save_estimate, save_groups
from .experiments import plot_experiment, save_experiment
from .plans import plot_plan, save_plan

__all__ = [
    "plot_estimate",
    "plot_experiment",
    "plot_groups",
    "plot_plan",
    "save_estimate",
    "save_experiment",
    "save_groups",
    "save_plan",
]
