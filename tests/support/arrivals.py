"""What a service would hand to a store, and how to look at what became of it."""

from collections import Counter
from hashlib import sha256

import numpy as np

from privet import Questionnaire, Scale, Survey
from privet.store import Arrival

SURVEY = Survey(
    "Drink?", ["tea", "coffee", "juice", "neither"], 2.0, id="drinks", mechanism="k-subset"
)
AGE = Survey("Age?", Scale(0, 100), 2.0, id="age")
BOTH = Questionnaire("Both", [SURVEY, AGE], 2.0, id="both")


def answers(contract, n):
    """Return n reports of answers that differ."""
    given = {
        "drinks": list(SURVEY.categories),
        "age": [3.0, 40.5, 99.0],
        "both": [{"drinks": "tea", "age": 30}, {"drinks": "juice", "age": 61}],
    }[contract.id]
    return [contract.randomize(given[i % len(given)]) for i in range(n)]


def arrival(contract, reports, key=None):
    """Return an arrival as the service makes it of a client's key and body."""
    body = b"".join(reports)
    if key is None:
        return Arrival(contract.id, None, None, body)
    return Arrival(contract.id, sha256(key).digest(), sha256(key + body).digest(), body)


def tally_of(contract, reports):
    tally = contract.tally()
    tally.update(reports)
    return tally


def stored(store, contract):
    """Return the reports of a store as a multiset."""
    size = contract.mechanism.report_bytes
    rows = [np.frombuffer(some, np.uint8).reshape(-1, size) for some in store.reports(contract.id)]
    return Counter(row.tobytes() for some in rows for row in some)
