"""What commands write: JSON, tables that no spreadsheet runs, files for the right readers."""

import csv
import json
import os
from math import inf
from pathlib import Path
from stat import S_IMODE

import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import SYSTEM, fails, run, shares, succeeds
from privet import Survey
from privet.cli.output import as_json
from refusing import assert_names

FORMULAS = ["=HYPERLINK(1)", "+1 or more", "- none", "@home", "＝1"]
HARMLESS = ["-2", "+1.5", "-1,5", "a=b", "'quoted"]


@pytest.fixture
def formulas(folder):
    """Reports of categories and groups that look like formulas."""
    survey = Survey("Which?", [*FORMULAS, *HARMLESS], 8.0)
    Path("survey.json").write_text(survey.to_json())
    groups = ["\tcmd", "FR"] * 5
    parquet.write_table(pa.table({"answer": survey.categories, "=place": groups}), "a.parquet")
    succeeds("randomize", "survey.json", "a.parquet", "-o", "f.parquet", "--by", "=place")


def table(*options):
    """The cells of a CSV file, and the notes on stderr."""
    args = ["estimate", "survey.json", "f.parquet", "--by", "=place", "-o", "out.csv", *options]
    result = run(*args)
    assert result.exit_code == 0, result.output
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), result.stderr


def test_no_cell_is_a_formula(formulas):
    rows, notes = table()
    names = {row["category"] for row in rows}
    assert names == {*(f"'{name}" for name in FORMULAS), *HARMLESS}
    assert {row["'=place"] for row in rows} == {"'\tcmd", "FR"}
    assert "apostrophe" in notes
    assert "21 cells" in notes


def test_cells_are_as_they_are_if_that_is_asked_for(formulas):
    rows, notes = table("--exact-csv")
    assert {row["category"] for row in rows} == {*FORMULAS, *HARMLESS}
    assert {row["=place"] for row in rows} == {"\tcmd", "FR"}
    assert "apostrophe" not in notes


@pytest.mark.parametrize("name", ["out.json", "out.parquet"])
def test_only_csv_is_changed(formulas, name):
    succeeds("estimate", "survey.json", "f.parquet", "-o", name)
    read = parquet.read_table(name).to_pylist() if name.endswith("parquet") else None
    rows = read or json.loads(Path(name).read_text("utf-8"))["categories"]
    assert {row["category"] for row in rows} == {*FORMULAS, *HARMLESS}


def test_numbers_of_a_table_are_not_formulas(folder):
    succeeds("estimate", "survey.json", "reports.parquet", "-o", "out.csv")
    with Path("out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["frequency"]) for row in rows] == [
        row["frequency"] for row in shares("reports.parquet")["categories"]
    ]


def test_what_is_not_a_number_is_null():
    written = as_json({"share": float("nan"), "ends": [-inf, (inf, 1.5)], "n": 3, "name": "nan"})
    assert json.loads(written, parse_constant=pytest.fail) == {
        "share": None,
        "ends": [None, [None, 1.5]],
        "n": 3,
        "name": "nan",
    }


# --- who may read what is written -----------------------------------------------------------

MAKE = {
    "r.parquet": ["randomize", "survey.json", "answers.csv", "-o"],
    "t.tally": ["tally", "survey.json", "reports.parquet", "-o"],
    "shares.csv": ["estimate", "survey.json", "reports.parquet", "-o"],
    "shares.png": ["estimate", "survey.json", "reports.parquet", "--figure"],
    "new.json": ["survey", "new", "-q", "?", "-c", "a", "-c", "b", "-e", "1", "-o"],
}
PRIVATE = {"r.parquet", "t.tally"}


@pytest.mark.parametrize("name", MAKE)
def test_reports_and_tallies_are_for_their_owner(folder, name):
    before = os.umask(0o022)
    try:
        succeeds(*MAKE[name], name)
    finally:
        os.umask(before)
    assert S_IMODE(Path(name).stat().st_mode) == (0o600 if name in PRIVATE else 0o644)


@pytest.mark.parametrize("name", MAKE)
def test_a_replaced_output_keeps_its_mode(folder, name):
    Path(name).touch()
    Path(name).chmod(0o640)
    succeeds(*MAKE[name], name)
    assert Path(name).stat().st_size > 0
    assert S_IMODE(Path(name).stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make links of other users")
@pytest.mark.parametrize("name", MAKE)
def test_an_output_is_not_written_through_a_planted_link(folder, name):
    Path("public").mkdir()
    Path("public").chmod(0o1777)
    link = Path("public", name)
    Path("precious").touch()
    link.symlink_to("../precious")
    os.chown(link, 65534, 65534, follow_symlinks=False)
    line = fails(SYSTEM, *MAKE[name], link)
    assert line.startswith(f"{link}: ")
    assert_names(line, "another user")
    assert link.is_symlink()
