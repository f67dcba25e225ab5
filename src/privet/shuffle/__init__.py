"""Shuffling: how much more private n reports are that nobody can link to people.

Each report is ε0-private by itself. If n people send one each and someone mixes them before anyone
looks, all of them together are (ε, δ)-private with a much smaller central ε: whoever knows what the
other n − 1 people answered still cannot tell a person's answer from another.

`amplify` certifies the central ε, `delta_at` the δ of one; `local_epsilon` says which ε0 a wanted
central one allows, and `closed_form` is the bound that is known best, of ε0 alone. None of them is
ever below the truth. They assume that

- nobody who looks can link a report to a person, by its place, time, address or a keyed repeat;
- each of the n people sends exactly one report, and n says nothing about anyone;
- the reports are looked at once, all together. Estimates that come in live, and a tally that is
  read twice while it grows, are outside: they show batches of fewer people, or of one.
"""

from .amplification import amplify, closed_form, delta_at, local_epsilon

__all__ = ["amplify", "closed_form", "delta_at", "local_epsilon"]
