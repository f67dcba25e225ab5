"""Polars: turn a column of answers into a column of reports, and estimate the shares by group."""

import numpy as np
import polars as pl

import privet

survey = privet.Survey("Tea or coffee?", ["tea", "coffee", "neither"], epsilon=2.0)

rng = np.random.default_rng()
people = pl.DataFrame(
    {
        "country": rng.choice(["FR", "IE"], 20_000),
        "drink": rng.choice(["tea", "coffee", "neither"], 20_000, p=[0.5, 0.4, 0.1]),
    }
)

# On the people's side: the answers become reports, in random order.
reports = survey.randomize_batch(people["drink"])
sent = people.select("country", report=pl.Series(map(bytes, reports))).sample(
    fraction=1, shuffle=True
)
print(sent.head(3))

# On the server: a tally for each group.
for (country,), group in sent.group_by("country", maintain_order=True):
    tally = survey.tally()
    tally.update(group["report"])
    shares = pl.DataFrame(tally.estimate().to_arrow())
    print(country, shares.select("category", "frequency", "low", "high", "shrunk"))
