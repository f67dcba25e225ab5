"""Tallies of files: the same over any number of files, parts and threads, and by groups."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet import Survey
from privet.bulk import ReportsWriter, randomize_files, tally_files, tally_groups, tallying
from privet.errors import InvalidFile, InvalidReport, SurveyMismatch
from privet.mechanisms import KSubset
from refusing import assert_names, refused

SURVEY = Survey("?", [f"c{i}" for i in range(20)], 1.0, mechanism=KSubset(20, 1.0))
REPORTS = SURVEY.mechanism.randomize(np.arange(30_000) % 20)
WHOLE = SURVEY.tally()
WHOLE.update(REPORTS)


def write(path, reports, rows=1000, **columns):
    size = SURVEY.mechanism.report_bytes
    column = pa.array([row.tobytes() for row in reports], pa.binary(size))
    parquet.write_table(pa.table({"report": column, **columns}), path, row_group_size=rows)
    return path


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("rows", [100_000, 999])
def test_the_tally_depends_on_neither_threads_nor_parts(tmp_path, monkeypatch, threads, rows):
    monkeypatch.setattr(tallying, "cores", lambda: threads)
    paths = [
        write(tmp_path / f"{i}.parquet", some, rows)
        for i, some in enumerate(np.split(REPORTS, [10, 10_000, 10_000]))
    ]
    assert tally_files(paths, SURVEY) == WHOLE


def test_files_of_tallies_are_merged(tmp_path):
    half = SURVEY.tally()
    half.update(REPORTS[:15_000])
    (tmp_path / "half.tally").write_bytes(half.to_bytes())
    rest = write(tmp_path / "rest.parquet", REPORTS[15_000:])
    assert tally_files([tmp_path / "half.tally", rest], SURVEY) == WHOLE
    assert tally_files([], SURVEY).n == 0
    with refused(InvalidFile, "half.tally", "columns", "groups by a"):
        tally_groups([tmp_path / "half.tally"], SURVEY, ["a"])


def test_a_tally_that_is_too_large_is_refused_without_being_read(tmp_path):
    path = tmp_path / "large.tally"
    path.write_bytes(WHOLE.to_bytes())
    os.truncate(path, 1 << 31)  # a hole, which takes no room on the disk
    code = (
        "import resource, sys; from pathlib import Path; from privet import Survey\n"
        "from privet.bulk import tally_files\n"
        "survey = Survey.from_json(sys.argv[1])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: tally_files([Path(sys.argv[2])], survey)\n"
        "except ValueError as error: print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    command = [sys.executable, "-c", code, SURVEY.to_json(), path]
    done = subprocess.run(command, capture_output=True, text=True)
    said, kilobytes = done.stdout.splitlines()
    assert_names(said, path, "212 bytes", 1 << 31)
    assert int(kilobytes) < 50_000


@pytest.mark.parametrize("d", [3, 20, 200])
def test_a_tally_of_another_survey_is_refused_as_such(tmp_path, d):
    other = Survey("Other?", [f"c{i}" for i in range(d)], 1.0, mechanism=KSubset(d, 1.0))
    (tmp_path / "other.tally").write_bytes(other.tally().to_bytes())
    with refused(SurveyMismatch, "other.tally"):
        tally_files([tmp_path / "other.tally"], SURVEY)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_bad_report_is_named_whichever_thread_sees_one(tmp_path, monkeypatch, threads):
    monkeypatch.setattr(tallying, "cores", lambda: threads)
    bad = REPORTS.copy()
    bad[[4321, 4999, 20_000, 29_999]] = 255
    path = write(tmp_path / "r.parquet", bad, 500)
    for _ in range(20):
        with refused(InvalidReport, path, "report 4322"):
            tally_files([path], SURVEY)


def test_every_group_has_the_tally_of_its_own_reports(tmp_path):
    rng = np.random.default_rng(2)
    country = rng.choice(["FR", "DE", "IT"], 30_000)
    year = rng.integers(2024, 2026, 30_000)
    known = country != "IT"
    path = write(
        tmp_path / "r.parquet",
        REPORTS,
        country=pa.array(country, mask=~known),
        year=pa.array(year),
    )
    found = tally_groups([path], SURVEY, ["country", "year"])
    keys = [(c, str(y)) for c in ("DE", "FR", None) for y in (2024, 2025)]
    assert list(found) == keys
    for place, when in keys:
        rows = (np.where(known, country, None) == place) & (year == int(when))
        expected = SURVEY.tally()
        expected.update(REPORTS[rows])
        assert found[place, when] == expected
    assert sum(found.values(), start=SURVEY.tally()) == WHOLE


def test_a_bad_report_of_a_group_is_named_by_its_place_in_the_file(tmp_path):
    bad = REPORTS[:9].copy()
    bad[7] = 255
    path = write(tmp_path / "r.parquet", bad, a=pa.array(list("xyzxyzxyz")))
    with refused(InvalidReport, path, "report 8"):
        tally_groups([path], SURVEY, ["a"])


def test_a_missing_column_is_named(tmp_path):
    path = write(tmp_path / "r.parquet", REPORTS[:9], a=pa.array(list("xyzxyzxyz")))
    with refused(InvalidFile, path, "column 'country'", "'report', 'a'"):
        tally_groups([path], SURVEY, ["country"])


def test_reports_and_groups_stay_together_in_random_order(tmp_path):
    """At ε = 30 a report is the answer, so that each can be seen beside its group."""
    survey = Survey("Which?", [f"c{i}" for i in range(200)], 30.0, mechanism="multivariate-rr")
    answers = tmp_path / "a.csv"
    rows = [f"c{i % 200},g{i % 7},h{i % 3}\n" for i in range(50_000)]
    answers.write_text("answer,g,h\n" + "".join(rows))
    out = tmp_path / "r.parquet"
    assert randomize_files([answers], survey, out, by=["g", "h"]).n == 50_000
    table = parquet.read_table(out)
    found = sorted(
        (report[0], g, h)
        for report, g, h in zip(*(table[c].to_pylist() for c in ("report", "g", "h")), strict=True)
    )
    assert found == sorted((i % 200, f"g{i % 7}", f"h{i % 3}") for i in range(50_000))
    assert table["report"].to_pylist()[:100] != [bytes([i]) for i in range(100)]


def test_few_reports_are_one_part_and_many_are_several(tmp_path):
    path = tmp_path / "r.parquet"
    with ReportsWriter(path, SURVEY) as writer:
        for some in np.split(REPORTS, 10):
            writer.write(some)
    assert parquet.read_metadata(path).num_row_groups == 1
    with ReportsWriter(path, SURVEY) as writer:
        for _ in range(300):
            writer.write(REPORTS)
    assert 3 <= parquet.read_metadata(path).num_row_groups <= 4
    assert tally_files([path], SURVEY).n == 300 * len(REPORTS)
