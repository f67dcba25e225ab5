"""Lower bounds on ε: as published vectors have them, and wrong as seldom as they say."""

import csv
from math import inf, log
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from privet.audit.bounds import expected_bound, lower_bound
from privet.mechanisms import KSubset, MultivariateRR

VECTORS = Path(__file__).parents[1] / "vectors" / "audit.csv"
ROWS = list(csv.DictReader(VECTORS.read_text().splitlines()))


def event_rates(mechanism):
    """How likely a report holds one value and not another, if the one is the person's, or that."""
    rate = mechanism.g * (mechanism.d - mechanism.k) / (mechanism.d - 1)
    return rate, rate / float(mechanism.likelihood_ratio)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['d']}-{row['eps']}")
def test_vectors(row):
    mechanism = KSubset(int(row["d"]), float(row["eps"]))
    assert mechanism.k == int(row["k"])
    assert log(mechanism.g / mechanism.h) == pytest.approx(float(row["ln_g_over_h"]), abs=1e-12)
    rate, false_rate = event_rates(mechanism)
    assert rate == pytest.approx(float(row["best_event_TPR"]), abs=1e-12)
    assert false_rate == pytest.approx(float(row["best_event_FPR"]), abs=1e-12)
    # Counts are whole numbers there.
    bound = expected_bound(rate, false_rate, 10**6, 0.01)
    assert bound == pytest.approx(float(row["best_exp"]), abs=5e-5)
    naive = expected_bound(mechanism.g, mechanism.h, 10**6, 0.01)
    assert naive < log(mechanism.g / mechanism.h) < bound


def test_a_single_value_tells_less():
    mechanism = MultivariateRR(100, 1.0)
    assert expected_bound(mechanism.g, mechanism.h, 10**6, 0.01) == pytest.approx(0.959, abs=5e-4)


def test_extreme_counts():
    assert lower_bound(0, 100, 0, 100, 0.01) == -inf
    assert lower_bound(100, 100, 100, 100, 0.01) < 0
    assert lower_bound(100, 100, 0, 100, 0.01) == pytest.approx(
        log(0.005 ** (1 / 100) / (1 - 0.005 ** (1 / 100)))
    )


def test_the_bound_is_wrong_as_seldom_as_it_says():
    """At the edge, where the ratio is just e^ε: 4,000 audits at a level of 1 %."""
    rng, n = np.random.default_rng(1), 5000
    rate, false_rate = event_rates(KSubset(25, 0.5))
    claimed = log(rate / false_rate)
    pairs = zip(rng.binomial(n, rate, 4000), rng.binomial(n, false_rate, 4000), strict=True)
    wrong = sum(lower_bound(hits, n, false, n, 0.01) > claimed for hits, false in pairs)
    assert wrong <= binom.isf(1e-6, 4000, 0.01)
    assert all(lower_bound(n * rate, n, n * false_rate, n, a) < claimed for a in (0.5, 0.1, 0.01))
