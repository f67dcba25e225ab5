"""privet tally, and tallies where reports are expected."""

import json
from pathlib import Path

import numpy as np
import pytest

from commands import BAD_DATA, SURVEY, fails, succeeds, write_reports
from privet import Survey, Tally
from refusing import assert_names

pytestmark = pytest.mark.usefixtures("folder")


def test_tallies_and_reports_add_up_to_the_same_estimate():
    for name, people in (("monday", 300), ("tuesday", 200)):
        write_reports(f"{name}.parquet", SURVEY.randomize_batch(["tea"] * people))
    succeeds("tally", "survey.json", "monday.parquet", "-o", "monday.tally")
    succeeds("tally", "survey.json", "monday.tally", "tuesday.parquet", "-o", "both.tally")
    both = Tally.from_bytes(Path("both.tally").read_bytes(), SURVEY)
    assert both.n == 500
    shown = [
        json.loads(succeeds("estimate", "survey.json", *files, "--json"))
        for files in (["both.tally"], ["monday.tally", "tuesday.parquet"])
    ]
    assert shown[0] == shown[1]
    assert shown[0]["n"] == 500
    assert [row["count"] for row in shown[0]["categories"]] == both.counts.tolist()


def test_damaged_tallies_and_those_of_other_surveys_are_refused():
    succeeds("tally", "survey.json", "reports.parquet", "-o", "all.tally")
    data = bytearray(Path("all.tally").read_bytes())
    data[50] ^= 1
    Path("damaged.tally").write_bytes(data)
    line = fails(BAD_DATA, "estimate", "survey.json", "damaged.tally")
    assert_names(line.removeprefix("damaged.tally"), "damaged")
    data[7] += 1
    Path("later.tally").write_bytes(data)
    said = fails(BAD_DATA, "estimate", "survey.json", "later.tally")
    assert "later.tally: " in said
    assert "Parquet" not in said
    other = Survey(SURVEY.question, SURVEY.categories, SURVEY.epsilon, id="second")
    Path("other.json").write_text(other.to_json())
    line = fails(BAD_DATA, "tally", "other.json", "all.tally", "-o", "new.tally")
    assert_names(line, "all.tally", "another survey")


def test_a_bad_report_leaves_no_tally():
    write_reports("bad.parquet", np.zeros((3, SURVEY.mechanism.report_bytes), np.uint8))
    said = fails(BAD_DATA, "tally", "survey.json", "bad.parquet", "-o", "new.tally")
    assert_names(said, "bad.parquet", "report 1")
