"""Files that earlier versions wrote still say the same, apart from those refused on purpose."""

import json
from pathlib import Path

import numpy as np
import pytest

from privet import Survey, Tally
from privet.bulk import tally_files, tally_groups
from privet.errors import InvalidFile

OLD = Path(__file__).parent / "upgrades" / "0.1"
SAID = json.loads((OLD / "said.json").read_text())
SECRET = b"a secret of test"
MECHANISMS_OF_0_1 = {
    "k-subset", "cyclotomic", "projective", "hadamard", "multivariate-rr", "binary-rr",
    "optimized-unary", "local-hash", "one-bit", "hashed-rr", "rappor", "geometric-noise",
}  # fmt: skip
REFUSED = {
    "epsilon-too-small": "'epsilon'.* 1e-13",
    "epsilon-too-large": r"'epsilon'.* 101\.0",
    "noise-too-wide": "flip of geometric-noise",
    "design-too-long": r"m of cyclotomic.* 4200\b",
    "category-unseen": r"'categories\[1\]'",
}

every = pytest.mark.parametrize("name", SAID)


@pytest.fixture
def survey(name):
    return Survey.read(OLD / f"{name}.json")


def test_there_are_files_of_every_mechanism():
    assert set(SAID) == {"auto", *MECHANISMS_OF_0_1}


@every
def test_a_survey_is_the_same_survey(survey, name):
    assert survey.version == 1
    assert survey.fingerprint == SAID[name]["fingerprint"]
    assert survey.to_json() + "\n" == (OLD / f"{name}.json").read_text(encoding="utf-8")


@every
def test_keyed_reports_are_the_same_bytes(survey, name):
    keyed = [survey.randomize(answer, secret=SECRET).hex() for answer in survey.categories]
    assert keyed == SAID[name]["keyed"]


@every
def test_a_tally_gives_the_same_numbers(survey, name):
    tally = Tally.read(OLD / f"{name}.tally", survey)
    assert tally.to_bytes() == (OLD / f"{name}.tally").read_bytes()
    said, estimate = SAID[name], tally.estimate()
    assert tally.n == said["n"] == 60
    assert tally.counts.tolist() == said["counts"]
    np.testing.assert_allclose(estimate.frequencies, said["frequencies"], rtol=1e-9)
    # Those of cohorts depend on all shares, which 0.1 scaled to a sum of 1 and 0.2 projects.
    tolerance = 0.02 if name in ("hashed-rr", "rappor") else 1e-9
    np.testing.assert_allclose(estimate.standard_errors, said["standard_errors"], rtol=tolerance)


@every
def test_reports_are_counted_as_they_were(survey, name):
    reports = OLD / f"{name}.parquet"
    assert tally_files([reports], survey) == Tally.read(OLD / f"{name}.tally", survey)
    towns = tally_groups([reports], survey, ["town"])
    assert {group: tally.n for group, tally in towns.items()} == {("A",): 30, ("B",): 30}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_on_purpose(name):
    with pytest.raises(InvalidFile, match=f"{name}.json: .*{REFUSED[name]}"):
        Survey.read(OLD / "refused" / f"{name}.json")


def test_nothing_else_is_refused():
    assert {path.stem for path in (OLD / "refused").iterdir()} == set(REFUSED)
