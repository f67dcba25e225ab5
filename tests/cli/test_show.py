"""What is shown of estimates."""

import re

import numpy as np
import pytest

from privet import Estimate, Survey
from privet.cli.show import print_estimate

ENDS = re.compile(r"([\d.]+) – +([\d.]+) %")


@pytest.mark.parametrize("n", [10**3, 10**7, 10**10])
@pytest.mark.parametrize("target", ["population", "sample"])
def test_an_interval_is_shown_as_empty_only_if_it_is_one(capsys, n, target):
    survey = Survey("Which?", ["most", "some", "few", "none"], 8.0, mechanism="k-subset")
    rates = survey.mechanism.h + np.array([0.9, 0.0999, 0.0001, 0.0]) * survey.mechanism.g
    estimate = Estimate(survey, n, np.rint(n * rates).astype(np.int64))
    print_estimate(estimate, level=0.95, target=target)
    shown = capsys.readouterr().out
    found = [(float(low), float(high)) for low, high in ENDS.findall(shown)]
    low, high = estimate.interval(target=target)
    assert [a < b for a, b in found] == (low < high).tolist()  # the largest share is first
    assert (low < high).sum() >= 2
    assert max(map(len, shown.splitlines())) <= 100
    if n == 10**3:
        assert re.search(r"\d\.\d\d –", shown)
