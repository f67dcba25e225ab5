"""privet estimate: files, groups, tables, pictures, and bad reports."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import (
    BAD_DATA,
    SHARES,
    SURVEY,
    USAGE,
    assert_is_a_picture,
    fails,
    run,
    shares,
    succeeds,
    write_reports,
)
from privet import Survey
from privet.analysis.presence import discoveries
from privet.bulk import ReportsWriter
from refusing import assert_names


def wrong_size(reports, members):
    """The same reports, of which number 123 has another number of members."""
    reports = reports.copy()
    reports[122] = (1 << members) - 1
    return reports


@pytest.mark.parametrize("members", [0, 2, 3])
def test_a_report_of_a_wrong_size_is_named_in_its_own_file(out, members):
    good = SURVEY.randomize_batch(["tea"] * 1000)
    write_reports("bad.parquet", wrong_size(good, members))
    Path("more.parquet").write_bytes(Path("reports.parquet").read_bytes())
    files = ["reports.parquet", "bad.parquet", "more.parquet"]
    line = fails(BAD_DATA, "estimate", "survey.json", *files, "--figure", out)
    assert_names(line, "bad.parquet", "report 123", "1 members", members)


def test_a_report_is_counted_across_batches(folder):
    survey = Survey("?", [f"c{i}" for i in range(1000)], 1.0)
    reports = survey.randomize_batch(["c0"] * 80_000)
    reports[70_000, :8] ^= 255
    reports[70_000, 0] ^= 1
    Path("wide.json").write_text(survey.to_json())
    write_reports("wide.parquet", reports, survey)
    line = fails(BAD_DATA, "estimate", "wide.json", "wide.parquet")
    assert line.startswith("wide.parquet, report 70001: ")


def test_bad_reports(out):
    other = Survey(SURVEY.question, list(SHARES), 2.0, id="second-wave")
    write_reports("other.parquet", other.randomize_batch(["tea"]), other)
    Path("cut.parquet").write_bytes(Path("reports.parquet").read_bytes()[:-100])
    parquet.write_table(pa.table({"a": [1]}), "column.parquet")
    parquet.write_table(pa.table({"report": pa.array([b"\1\1"], pa.binary(2))}), "wide.parquet")
    parquet.write_table(pa.table({"report": pa.array([b"\1", None], pa.binary(1))}), "null.parquet")
    for name, names in {
        "other.parquet": ["'second-wave'"],
        "cut.parquet": ["not a Parquet file"],
        "column.parquet": ["'report'", "'a'"],
        "wide.parquet": ["fixed_size_binary[1]", "fixed_size_binary[2]"],
        "null.parquet": ["report 2", "null"],
        "answers.csv": ["not a Parquet file", "privet randomize"],
    }.items():
        line = fails(BAD_DATA, "estimate", "survey.json", "reports.parquet", name, "--figure", out)
        assert_names(line, name, *names)


def test_folders_and_patterns(folder):
    Path("days/parts").mkdir(parents=True)
    data = Path("reports.parquet").read_bytes()
    for name in ("days/1.parquet", "days/2.parquet", "days/parts/3.parquet", "days/_SUCCESS"):
        Path(name).write_bytes(data if name.endswith("t") else b"")
    assert shares("days")["n"] == 2000
    assert shares("days/*.parquet")["n"] == 2000
    assert shares("days/**/*.parquet")["n"] == 3000
    assert shares("days/[12].parquet", "reports.parquet")["n"] == 3000
    document = json.loads(succeeds("tally", "survey.json", "days", "-o", "w.tally", "--json"))
    assert document["reports"] == 2000
    assert shares("w.tally", "days")["n"] == 4000


def test_a_file_whose_name_looks_like_a_pattern(folder):
    Path("reports[1].parquet").write_bytes(Path("reports.parquet").read_bytes())
    assert shares("reports[1].parquet")["n"] == 1000


def test_reports_of_other_engines(folder):
    """A folder of parts, the column of any length, with nothing said of the survey."""
    Path("lake").mkdir()
    reports = [row.tobytes() for row in SURVEY.randomize_batch(["tea"] * 100)]
    for i in range(3):
        parquet.write_table(pa.table({"report": reports}), f"lake/part-{i}.parquet")
    Path("lake/_SUCCESS").touch()
    Path("lake/.part-0.crc").touch()
    assert shares("lake")["n"] == 300


def test_one_estimate_a_group(grouped):
    document = shares("g.parquet", "--by", "country")
    groups = {group["group"]["country"]: group for group in document["groups"]}
    assert {name: group["n"] for name, group in groups.items()} == {"DE": 250, "FR": 500, "IT": 250}
    whole = shares("g.parquet")
    for i, row in enumerate(whole["categories"]):
        assert row["count"] == sum(group["categories"][i]["count"] for group in groups.values())
    table = succeeds("estimate", "survey.json", "g.parquet", "--by", "country")
    for name in ("country = DE", "250 reports", "country = FR", "500 reports", "1,000 reports"):
        assert name in table


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.parquet"])
def test_tables_of_groups(grouped, name):
    succeeds("estimate", "survey.json", "g.parquet", "--by", "country", "--out", name)
    if name.endswith("json"):
        rows = [
            {**group["group"], "n": group["n"], **row}
            for group in json.loads(Path(name).read_text())["groups"]
            for row in group["categories"]
        ]
    elif name.endswith("csv"):
        with Path(name).open(newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = parquet.read_table(name).to_pylist()
    assert [(row["country"], row["category"]) for row in rows] == [
        (country, category) for country in ("DE", "FR", "IT") for category in SHARES
    ]
    assert [int(row["n"]) for row in rows] == [250] * 4 + [500] * 4 + [250] * 4
    for row in rows:
        assert float(row["low"]) <= max(float(row["frequency"]), 0) <= float(row["high"])


def test_a_table_without_groups(folder):
    succeeds("estimate", "survey.json", "reports.parquet", "-o", "out.parquet")
    table = parquet.read_table("out.parquet")
    assert table["category"].to_pylist() == list(SHARES)
    assert set(table["n"].to_pylist()) == {1000}
    assert abs(np.sum(table["frequency"]) - 1) < 1e-9


def test_a_picture_of_groups(grouped):
    succeeds("estimate", "survey.json", "g.parquet", "--by", "country", "--figure", "g.svg")
    text = Path("g.svg").read_text()
    assert text.count("<svg") == 1


def test_groups_of_no_reports(folder):
    Path("none.csv").write_text("answer,country\n")
    succeeds("randomize", "survey.json", "none.csv", "-o", "none.parquet", "--by", "country")
    line = fails(BAD_DATA, "estimate", "survey.json", "none.parquet", "--by", "country")
    assert_names(line, "no reports")


def test_groups_may_lack_a_value_or_have_one_that_is_no_word(folder, crowd):
    values = [None, "", "\x1b[31m\n", "FR"]
    column = pa.array([values[i % 4] for i in range(len(crowd))])
    parquet.write_table(crowd.set_column(1, "country", column), "a.parquet")
    succeeds("randomize", "survey.json", "a.parquet", "--by", "country", "-o", "by.parquet")
    groups = shares("by.parquet", "--by", "country")["groups"]
    assert [group["group"]["country"] for group in groups] == ["", "\x1b[31m\n", "FR", None]
    shown = succeeds("estimate", "survey.json", "by.parquet", "--by", "country")
    titles = [line.split(" ·")[0] for line in shown.splitlines() if line.startswith("country =")]
    named = ["(empty)", "\\x1b[31m\\n", "FR", "(none)"]
    assert titles == [f"country = {name}" for name in named]


def test_groups_by_columns_named_like_the_tables_own(folder, crowd):
    own = crowd.rename_columns({"country": "n"}).append_column("category", crowd["country"])
    parquet.write_table(own, "a.parquet")
    by = ["--by", "n", "--by", "category"]
    succeeds("randomize", "survey.json", "a.parquet", *by, "-o", "by.parquet")
    succeeds("estimate", "survey.json", "by.parquet", *by, "--out", "shares.parquet")
    table = parquet.read_table("shares.parquet").to_pydict()
    assert list(table)[:4] == ["by_n", "by_category", "n", "category"]
    assert set(table["by_n"]) == set(table["by_category"]) == {"FR", "DE", "IT"}
    assert set(table["n"]) == {250, 500}
    assert set(table["category"]) == set(SHARES)


def test_pictures_in_other_formats(folder):
    for name in ("shares.svg", "shares.pdf", "shares.PNG"):
        succeeds("estimate", "survey.json", "reports.parquet", "--figure", name)
    assert ElementTree.parse("shares.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    pdf = Path("shares.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert_is_a_picture("shares.PNG")


def test_the_table_shows_the_largest_first(folder):
    table = succeeds("estimate", "survey.json", "reports.parquet", "--top", "2", "--level", "0.9")
    lines = [line.split() for line in table.splitlines() if "█" in line]
    assert lines[0][0] == "tea"
    for name in ("90 %", "2 categories", "1,000 reports", "epsilon = 2", repr(SURVEY.mechanism)):
        assert name in table


def test_the_sample_is_known_better_than_the_population(folder):
    write_reports("reports.parquet", SURVEY.randomize_batch(["tea", "coffee"] * 1000))
    width = {}
    for target in ("population", "sample"):
        text = succeeds("estimate", "survey.json", "reports.parquet", "--json", "--target", target)
        document = json.loads(text)
        assert document["target"] == target
        width[target] = [row["high"] - row["low"] for row in document["categories"]]
    assert sum(width["sample"]) < sum(width["population"])


def test_files_have_intervals_that_hold_together_on_request(folder):
    rows = {}
    for option in ("--simultaneous", "--separate"):
        text = succeeds("estimate", "survey.json", "reports.parquet", "--json", option)
        document = json.loads(text)
        assert document["simultaneous"] is (option == "--simultaneous")
        rows[option] = document["categories"]
    for wide, narrow in zip(*rows.values(), strict=True):
        assert wide["low"] <= narrow["low"] <= narrow["high"] <= wide["high"]
        assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]
    for some in rows.values():
        p_values = np.array([row["p_value"] for row in some])
        assert [row["found"] for row in some] == discoveries(p_values, 0.05).tolist()


def test_words_are_shown_as_they_are_and_never_as_markup(folder):
    question, category = "[/b] or [red]? :smile:", "[/] :tea:"
    succeeds("survey", "new", "-q", question, "-c", category, "-c", "b", "-e", "1", "-o", "s.json")
    Path("a.csv").write_text(f"answer\n{category}\n")
    succeeds("randomize", "s.json", "a.csv", "-o", "r.parquet")
    table = succeeds("estimate", "s.json", "r.parquet")
    assert question in table
    assert category in table


def test_no_answers_make_an_empty_file_of_which_nothing_can_be_said(folder):
    Path("a.csv").write_text("answer\n")
    said = run("randomize", "survey.json", "a.csv", "-o", "r.parquet").stderr
    assert_names(said.splitlines()[0], "a.csv", "0 rows", "0 different", "0 missing")
    assert parquet.read_metadata("r.parquet").num_rows == 0
    assert "no reports" in fails(BAD_DATA, "estimate", "survey.json", "r.parquet")
    text = succeeds("estimate", "survey.json", "r.parquet", "reports.parquet", "--json")
    assert json.loads(text)["n"] == 1000


def test_ranks_in_tables_and_files(grouped):
    document = shares("g.parquet", "--ranks")
    ends = [(row["rank_low"], row["rank_high"]) for row in document["categories"]]
    assert ends[0] == (1, 1)
    assert all(1 <= low <= high <= 4 for low, high in ends)
    assert "rank_low" not in shares("g.parquet")["categories"][0]
    said = succeeds("estimate", "g.parquet", "--ranks", "--by", "country", "-o", "out.parquet")
    assert said.count("rank") == 3
    columns = parquet.read_table("out.parquet").to_pydict()
    assert len(columns["rank_low"]) == len(columns["rank_high"]) == 12


def test_shares_in_people(folder):
    document = shares("reports.parquet", "--people", "83200000")
    assert document["target"] == 83_200_000
    low, high = SURVEY.mechanism.interval(
        np.array([row["count"] for row in document["categories"]]), 1000, 0.05, 83_200_000
    )
    for row, a, b in zip(document["categories"], low, high, strict=True):
        assert row["people"] == pytest.approx(83_200_000 * row["frequency"])
        assert row["people_low"] == pytest.approx(83_200_000 * np.clip(a, 0, 1), abs=1e-6)
        assert row["people_high"] == pytest.approx(83_200_000 * np.clip(b, 0, 1), abs=1e-6)
    table = succeeds("estimate", "survey.json", "reports.parquet", "--people", "83200000")
    assert table.splitlines()[2].split()[-3:] == ["people", "interval", "shrunk"]
    assert f"{document['categories'][0]['people']:,.0f}" in table
    for name in ("1,000 reports", "83,200,000 people", "epsilon = 2"):
        assert name in table


def test_fewer_people_than_reports(grouped):
    asked = ["estimate", "survey.json", "g.parquet", "--people"]
    assert_names(fails(USAGE, *asked, "999"), "1,000 reports", "--people 999")
    for other in (["--by", "country"], ["--target", "sample"]):
        assert_names(fails(USAGE, *asked, "2000", *other), "--people", "--by")


def test_false_reports_are_looked_for(folder):
    survey = Survey("?", [f"c{i}" for i in range(50)], 1.0, mechanism="projective", id="canaries")
    survey.write("canaries.json")
    honest = survey.randomize_batch(["c1"] * 3000)
    false = np.tile(honest[:1], (200, 1))
    for name, reports in {"honest": honest, "false": np.concatenate((honest, false))}.items():
        with ReportsWriter(f"{name}.parquet", survey) as writer:
            writer.write(reports)
    words = ["estimate", "canaries.json"]
    (row,) = json.loads(succeeds(*words, "false.parquet", "--check", "--json"))["checks"]
    assert (row["test"], row["group"]) == ("canaries", {})
    assert row["p_value"] < 1e-6
    assert "canaries: χ² = " in succeeds(*words, "false.parquet", "--check")
    assert "checks" not in json.loads(succeeds(*words, "honest.parquet", "--json"))


def test_reports_of_sets_are_looked_at_themselves_and_their_tallies_cannot_be(folder):
    survey = Survey("?", [f"c{i}" for i in range(12)], 1.0, mechanism="k-subset", id="sets")
    survey.write("sets.json")
    with ReportsWriter("sets.parquet", survey) as writer:
        writer.write(survey.randomize_batch(["c1"] * 500))
    found = json.loads(succeeds("estimate", "sets.json", "sets.parquet", "--check", "--json"))
    assert [row["test"] for row in found["checks"]] == ["pairs"]
    succeeds("tally", "sets.json", "sets.parquet", "-o", "sets.tally")
    found = json.loads(succeeds("estimate", "sets.json", "sets.tally", "--check", "--json"))
    assert found["checks"] == []
