"""Pictures of estimates, plans and experiments, by matplotlib, which is imported late."""

from .changes import plot_changes, save_changes
from .estimates import plot_estimate, plot_groups, save_estimate, save_groups
from .experiments import plot_experiment, save_experiment
from .plans import plot_plan, save_plan
from .scales import plot_below, plot_scale, plot_scale_groups, save_scale, save_scale_groups
from .tables import plot_table, save_table

__all__ = [
    "plot_below",
    "plot_changes",
    "plot_estimate",
    "plot_experiment",
    "plot_groups",
    "plot_plan",
    "plot_scale",
    "plot_scale_groups",
    "plot_table",
    "save_changes",
    "save_estimate",
    "save_experiment",
    "save_groups",
    "save_plan",
    "save_scale",
    "save_scale_groups",
    "save_table",
]
