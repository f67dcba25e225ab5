"""The analyst's side: reports made in batches and counted, and what the counts say of the crowd.

A mechanism's analyst plays three roles (`analyst`), one class each: batches make many reports at a
time, a counter checks and folds them into an aggregate that adds, and an estimator turns counts
into shares with errors. Families of mechanisms have a file each: subsets, designs, bits, hashes,
cohorts, noise. A `Tally` and an `Estimate` are written once against the roles.
"""

from ..errors.extras import require

require("numpy", "analysis", "What an analyst does (batches, tallies, estimates)")
