"""privet survey: new, from lists and from answers; show and check; bad surveys."""

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from commands import (
    BAD_DATA,
    SURVEY,
    USAGE,
    fails,
    run,
    succeeds,
)
from privet import Survey
from refusing import assert_names


def test_both_levels_of_a_survey_are_shown(folder):
    asked = "-q", "Which?", "-c", "a", "-c", "b", "-e", "2", "-m", "two-level-unary"
    succeeds("survey", "new", *asked, "-o", "two.json")
    shown = succeeds("survey", "show", "two.json")
    (line,) = [line for line in shown.splitlines() if "ε = 2" in line]
    assert "0.99" in line
    assert "report_epsilon=1.0" in shown


def test_a_survey_is_shown(folder):
    shown = succeeds("survey", "show", "survey.json", "--top", "2")
    for part in (SURVEY.question, SURVEY.fingerprint, repr(SURVEY.mechanism), "1 byte", "2 more"):
        assert part in shown
    assert "  tea\n  coffee\n" in shown
    assert "juice" not in shown


def test_a_survey_is_checked(folder):
    assert SURVEY.fingerprint[:12] in succeeds("survey", "check", "survey.json")
    weaker = json.loads(SURVEY.to_json())
    weaker["epsilon"] /= 2
    Path("weaker.json").write_text(json.dumps(weaker))
    for command in ("check", "show"):
        line = fails(BAD_DATA, "survey", command, "weaker.json")
        assert_names(line, "weaker.json", "not as private")


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"privet": 3}, ["version 3", "1", "2"]),
        ({"colour": "red"}, ["field 'colour'"]),
        ({"categories": ["a", "a", "b", "c"]}, ["categories[0]", "'a'"]),
        ({"mechanism": {"name": "nope"}}, ["mechanism", "'nope'"]),
        ({"epsilon": 1.9}, ["not as private"]),
        ({"epsilon": "2"}, ["field 'epsilon'", "number"]),
    ],
    ids=lambda value: str(next(iter(value))),
)
def test_bad_surveys(out, change, names):
    Path("bad.json").write_text(json.dumps(json.loads(SURVEY.to_json()) | change))
    for command in (
        ["randomize", "bad.json", "answers.csv", "-o", out],
        ["estimate", "bad.json", "reports.parquet", "--figure", out],
    ):
        line = fails(BAD_DATA, *command)
        assert line.startswith("bad.json: ")
        assert_names(line, *names)


def test_a_survey_with_larger_odds_is_not_as_private_as_it_says(out):
    fields = json.loads(SURVEY.to_json())
    fields["mechanism"]["odds"] = str(2 * int(fields["mechanism"]["odds"]))
    Path("bad.json").write_text(json.dumps(fields))
    line = fails(BAD_DATA, "randomize", "bad.json", "answers.csv", "-o", out)
    assert_names(line, "bad.json", "not as private")


def test_a_survey_that_is_not_json(out):
    line = fails(BAD_DATA, "randomize", "answers.csv", "answers.csv", "-o", out)
    assert_names(line, "answers.csv", "survey")


def new(*args):
    return run("survey", "new", "-q", "Which?", "-e", "1", *args)


def test_categories_from_a_column(folder, crowd):
    parquet.write_table(crowd, "a.parquet")
    result = new("--from", "a.parquet", "--column", "country", "-o", "new.json")
    assert result.exit_code == 0
    assert "someone gave" in result.stderr
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
    took = result.stderr.splitlines()[0]
    assert_names(took, "gaps.csv", "column answer", "4 rows", "2 different", "2 missing")
    assert Survey.from_json(result.stdout).categories == ("milk", "tea")


def test_letters_that_are_written_in_two_ways_are_one_category(folder):
    Path("a.csv").write_text("answer\nn\u00e9\nne\u0301\ntea\ntea\n\n", "utf-8")
    command = ["survey", "new", "-q", "?", "-e", "1", "--from", "a.csv", "-o", "s.json"]
    assert run(*command, "--top", "2").exit_code == 0
    assert json.loads(Path("s.json").read_text())["categories"] == ["n\u00e9", "tea"]


def test_a_line_of_categories_ends_where_the_line_does(folder):
    Path("c.txt").write_text("a\u2028b\nc\n", "utf-8")
    command = ["survey", "new", "-q", "?", "-e", "1", "--categories", "c.txt"]
    assert "Got 'a\\u2028b'" in fails(USAGE, *command)


def test_categories_from_a_file(tmp_path):
    listed = tmp_path / "fruit.txt"
    listed.write_text("pear\nplum \n", encoding="utf-8-sig")
    new = ["survey", "new", "-q", "Which?", "-e", "1"]
    made = Survey.from_json(succeeds(*new, "-c", "apple", "--categories", listed))
    assert made.categories == ("apple", "pear", "plum")


@pytest.mark.parametrize(
    ("content", "names", "code"),
    [
        (b"pear\n\nplum\n", ["fruit.txt", "line 2", "empty"], BAD_DATA),
        (b"\xff\xfe\n", ["fruit.txt", "UTF-8"], BAD_DATA),
        (b"pear\npear\n", ["categories[0]", "'pear'"], USAGE),
        (b"pear\n", ["'categories'", "two"], USAGE),
    ],
)
def test_bad_files_of_categories_are_refused(folder, content, names, code):
    (folder / "fruit.txt").write_bytes(content)
    new = ["survey", "new", "-q", "Q", "-e", "1", "--categories", "fruit.txt"]
    assert_names(fails(code, *new), *names)


# --- what looks wrong with answers that categories are taken from ---------------------------


def codes(text):
    Path("codes.csv").write_text(text)
    return ["survey", "new", "-q", "Which?", "-e", "1", "--from", "codes.csv"]


def categories(*command):
    return Survey.from_json(succeeds(*command)).categories


def test_codes_are_in_the_order_of_numbers(folder):
    assert categories(*codes("id,vote\n1,10.0\n2,2.0\n3,\n4,1.0\n"), "--column", "vote") == (
        "1",
        "2",
        "10",
    )


@pytest.mark.parametrize("word", ["NA", "NaN", "null"])
def test_what_may_mean_no_answer_is_asked_about(folder, word):
    command = codes(f"vote\n1\n2\n{word}\n{word}\n")
    line = fails(BAD_DATA, *command)
    assert_names(line, "'vote'", f"'{word}'", f"--na {word}", f"-c {word}")
    assert categories(*command, "--na", word) == ("1", "2")
    took = run(*command, "--na", word).stderr.splitlines()[0]
    assert_names(took, "4 rows", "2 different", "2 missing")
    assert categories(*command, "-c", word) == (word, "1", "2")


def test_a_header_among_the_answers_is_noticed(folder):
    for text in ("tea\nmilk\ntea\n", "tea\nmilk\nwater\ntea\n"):
        line = fails(BAD_DATA, *codes(text))
        assert_names(line, "name, 'tea'", "header", "-c tea")
        assert categories(*codes(text), "-c", "tea")[:2] == ("tea", "milk")
    assert "a number, 3" in run(*codes("3\n1\n2\n")).stderr


def test_a_header_of_a_list_is_noticed(folder):
    Path("list.txt").write_text("Category\npear\nplum\n")
    result = new("--categories", "list.txt")
    (line,) = [line for line in result.stderr.splitlines() if "list.txt" in line]
    assert_names(line, "'Category'", "header")


def test_a_second_header_is_noticed(folder):
    command = codes("vote\nWhom did you vote for?\n" + "1\n2\n" * 5)
    assert "'Whom did you vote for?'" in run(*command).stderr


def test_answers_are_cleaned(folder):
    command = codes('drink\ntea\n" tea"\nTea\nmilk\n')
    line = fails(BAD_DATA, *command)
    assert_names(line, "'drink'", "' tea'", "--strip")
    assert "'Tea' and 'tea'" in run(*command, "--strip").stderr
    assert categories(*command, "--strip", "--ignore-case") == ("milk", "tea")
    assert categories(*command, "--strip", "--ignore-case", "-c", "TEA") == ("TEA", "milk")
