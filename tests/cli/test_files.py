"""Real files on the command line: formats, pipes, folders, patterns, groups, tables out."""

import csv
import gzip
import json
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from commands import BAD_DATA, PRIVET, SHARES, SURVEY, USAGE, fails, run, succeeds
from pyarrow import feather, parquet

from privet import Survey

COUNTRIES = ["FR", "DE", "FR", "IT"]


@pytest.fixture
def crowd(folder):
    """Answers with a country each, as a table."""
    answers = Path("answers.csv").read_text().split()[1:]
    country = [COUNTRIES[i % 4] for i in range(len(answers))]
    return pa.table({"answer": answers, "country": country})


def shares(*args):
    return json.loads(succeeds("estimate", "survey.json", *args, "--json"))


def test_every_format_on_the_command_line(folder, crowd):
    parquet.write_table(crowd, "a.parquet")
    feather.write_feather(crowd, "a.feather")
    Path("a.ndjson").write_text("".join(json.dumps(row) + "\n" for row in crowd.to_pylist()))
    with Path("a.tsv").open("w") as file:
        csv.writer(file, delimiter="\t").writerows(
            [crowd.column_names, *zip(*crowd.to_pydict().values(), strict=True)]
        )
    Path("a.csv.gz").write_bytes(gzip.compress(Path("answers.csv").read_bytes()))
    names = ["a.parquet", "a.feather", "a.ndjson", "a.tsv", "a.csv.gz"]
    for name in names:
        succeeds("randomize", "survey.json", name, "-o", f"{name}.reports")
        assert parquet.read_metadata(f"{name}.reports").num_rows == len(crowd)
    succeeds("randomize", "survey.json", *names, "-o", "all.parquet")
    assert shares("all.parquet")["n"] == 5 * len(crowd)
    assert shares(*(f"{name}.reports" for name in names))["n"] == 5 * len(crowd)


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


@pytest.mark.parametrize("source", ["< answers.csv", "cat answers.csv |", "gzip -c answers.csv |"])
def test_answers_through_a_pipe(folder, source):
    command = f"{PRIVET} randomize survey.json - -o out.parquet"
    line = f"{command} {source}" if source.startswith("<") else f"{source} {command}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("out.parquet: 1,000 reports")


def test_an_answer_through_a_pipe_is_told_by_its_row(folder):
    done = subprocess.run(
        [PRIVET, "randomize", "survey.json", "-", "-o", "out.parquet"],
        input="answer\ntea\ntee\n", capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == BAD_DATA
    said = "Error: stdin, row 3: 'tee' is not a category of this survey. Did you mean 'tea'?\n"
    assert done.stderr == said
    assert not Path("out.parquet").exists()


# --- unknown answers ------------------------------------------------------------------------


@pytest.fixture
def strange(folder):
    """One answer in a hundred is no category, and one is empty."""
    rows = ["tea"] * 990 + ["mate"] * 9 + [""]
    Path("strange.csv").write_text(
        "id,answer\n" + "".join(f"{i},{a}\n" for i, a in enumerate(rows))
    )


def test_unknown_answers_are_an_error_by_default(strange):
    line = fails(BAD_DATA, "randomize", "survey.json", "strange.csv", "-o", "out.parquet")
    assert line == "strange.csv, row 992: 'mate' is not a category of this survey."


def test_unknown_answers_are_left_out_and_counted(strange):
    result = run(
        "randomize", "survey.json", "strange.csv", "-o", "out.parquet", "--unknown", "drop"
    )
    assert result.exit_code == 0
    assert "990 reports" in result.stderr
    assert "10 answers (1.00%) of no category: left out." in result.stderr


def test_unknown_answers_count_as_a_category(strange):
    options = ["--unknown", "neither", "--json"]
    text = succeeds("randomize", "survey.json", "strange.csv", "-o", "out.parquet", *options)
    document = json.loads(text)
    assert document["reports"] == 1000
    assert document["unknown_answers"] == 10


# --- categories from the data ---------------------------------------------------------------


def new(*args):
    return run("survey", "new", "-q", "Which?", "-e", "1", *args)


def test_categories_from_a_column(folder, crowd):
    parquet.write_table(crowd, "a.parquet")
    result = new("--from", "a.parquet", "--column", "country", "-o", "new.json")
    assert result.exit_code == 0
    assert "Whoever sees the survey learns that each of them was given" in result.stderr
    made = Survey.from_json(Path("new.json").read_text())
    assert made.categories == ("DE", "FR", "IT")  # and not by how frequent they are


def test_the_most_frequent_categories_and_one_for_the_rest(folder):
    result = new("--from", "answers.csv", "--top", "2", "--other", "-o", "new.json")
    assert result.exit_code == 0, result.output
    made = Survey.from_json(Path("new.json").read_text())
    assert made.categories == ("coffee", "tea", "other")
    args = ["new.json", "answers.csv", "-o", "new.parquet", "--unknown", "other"]
    assert "count" in run("randomize", *args).stderr
    named = new("-c", "tea", "--from", "answers.csv", "--top", "2", "--other", "else")
    assert Survey.from_json(named.stdout).categories == ("tea", "coffee", "else")


def test_rows_without_an_answer_make_no_category(folder):
    Path("gaps.csv").write_text("id,answer\n1,tea\n2,\n3,milk\n4,\n")
    result = new("--from", "gaps.csv")
    assert "2 rows without an answer." in result.stderr
    assert Survey.from_json(result.stdout).categories == ("milk", "tea")


# --- groups ---------------------------------------------------------------------------------


@pytest.fixture
def grouped(folder, crowd):
    parquet.write_table(crowd, "a.parquet")
    succeeds("randomize", "survey.json", "a.parquet", "-o", "g.parquet", "--by", "country")


def test_one_estimate_a_group(grouped):
    document = shares("g.parquet", "--by", "country")
    groups = {group["group"]["country"]: group for group in document["groups"]}
    assert {name: group["n"] for name, group in groups.items()} == {"DE": 250, "FR": 500, "IT": 250}
    whole = shares("g.parquet")
    for i, row in enumerate(whole["categories"]):
        assert row["count"] == sum(group["categories"][i]["count"] for group in groups.values())
    table = succeeds("estimate", "survey.json", "g.parquet", "--by", "country")
    for name in ("country = DE · 250 reports", "country = FR · 500 reports", "1,000 reports in 3"):
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
    assert line == "There are no reports in these files, and so no groups."


def test_reports_of_other_engines(folder):
    """A folder of parts, the column of any length, with nothing said of the survey."""
    Path("lake").mkdir()
    reports = [row.tobytes() for row in SURVEY.randomize_batch(["tea"] * 100)]
    for i in range(3):
        parquet.write_table(pa.table({"report": reports}), f"lake/part-{i}.parquet")
    Path("lake/_SUCCESS").touch()
    Path("lake/.part-0.crc").touch()
    assert shares("lake")["n"] == 300


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
    assert set(table["by_n"]) == set(table["by_category"]) == set(COUNTRIES)
    assert set(table["n"]) == {250, 500}
    assert set(table["category"]) == set(SHARES)


def test_a_column_that_cannot_make_groups_is_named(folder, crowd):
    column = pa.array([[1]] * len(crowd))
    parquet.write_table(crowd.set_column(1, "country", column), "a.parquet")
    line = fails(BAD_DATA, "randomize", "survey.json", "a.parquet", "--by", "country", "-o", "new")
    assert line.startswith("a.parquet: the column 'country' is not text")


def test_letters_that_are_written_in_two_ways_are_one_category(folder):
    Path("a.csv").write_text("answer\nn\u00e9\nne\u0301\ntea\ntea\n\n", "utf-8")
    command = ["survey", "new", "-q", "?", "-e", "1", "--from", "a.csv", "-o", "s.json"]
    assert run(*command, "--top", "2").exit_code == 0
    assert json.loads(Path("s.json").read_text())["categories"] == ["n\u00e9", "tea"]


def test_a_line_of_categories_ends_where_the_line_does(folder):
    Path("c.txt").write_text("a\u2028b\nc\n", "utf-8")
    command = ["survey", "new", "-q", "?", "-e", "1", "--categories", "c.txt"]
    assert "Got 'a\\u2028b'" in fails(USAGE, *command)
