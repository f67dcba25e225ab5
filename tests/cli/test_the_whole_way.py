"""From answers to shares: what the commands print, draw and write."""

import json
import shlex
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import BAD_DATA, SHARES, SURVEY, answers, fails, real, succeeds, write_reports
from matplotlib.image import imread
from pyarrow import parquet

from privet import Survey, __version__, cli
from privet.bulk import read_reports

# --- the whole way --------------------------------------------------------------------------


def test_from_a_crowd_to_its_shares_with_the_installed_command(tmp_path):
    categories = [word for name in SHARES for word in ("-c", name)]
    lines = answers(8000).splitlines(keepends=True)
    (tmp_path / "first.csv").write_text("".join(lines[:5001]))
    (tmp_path / "second.csv").write_text("".join(lines[:1] + lines[5001:]))
    commands = [
        ["survey", "new", "-q", "Drink?", *categories, "-e", "3", "-o", "survey.json"],
        ["randomize", "survey.json", "first.csv", "-o", "first.parquet"],
        ["randomize", "survey.json", "second.csv", "-o", "second.parquet"],
        ["estimate", "survey.json", "first.parquet", "--json"],
        ["estimate", "survey.json", "second.parquet", "--json"],
        ["estimate", "survey.json", "first.parquet", "second.parquet", "--json",
         "--figure", "shares.png"],
    ]  # fmt: skip
    done = [real(*command, folder=tmp_path) for command in commands]
    assert [(result.returncode, "Traceback" in result.stderr) for result in done] == [
        (0, False)
    ] * 6
    assert [result.stdout for result in done[:3]] == [""] * 3
    first, second, both = (json.loads(result.stdout) for result in done[3:])
    assert (first["n"], second["n"], both["n"]) == (5000, 3000, 8000)
    counts = [np.array([row["count"] for row in part["categories"]]) for part in (first, second)]
    assert [row["count"] for row in both["categories"]] == (counts[0] + counts[1]).tolist()
    assert [row["category"] for row in both["categories"]] == list(SHARES)
    estimate, error = (
        np.array([row[key] for row in both["categories"]])
        for key in ("frequency", "standard_error")
    )
    truth = np.array(list(SHARES.values())) / 100
    assert (np.abs(estimate - truth) < 6 * error).all()
    # The control: with these errors, no other order of the shares would pass.
    assert 6 * error.max() < np.abs(np.diff(truth)).min() / 2
    assert_is_a_picture(tmp_path / "shares.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "first.csv", "first.parquet", "second.csv", "second.parquet", "shares.png", "survey.json"
    ]  # fmt: skip


def assert_is_a_picture(path):
    pixels = imread(path)
    assert min(pixels.shape[:2]) > 200
    assert pixels[..., :3].std() > 0.05


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
    assert "90 % interval" in table
    assert "… and 2 categories with smaller shares" in table
    assert "1,000 reports, epsilon = 2, KSubset(d=4, epsilon=2.0, k=1)" in table


def test_the_sample_is_known_better_than_the_population(folder):
    write_reports("reports.parquet", SURVEY.randomize_batch(["tea", "coffee"] * 1000))
    width = {}
    for target in ("population", "sample"):
        text = succeeds("estimate", "survey.json", "reports.parquet", "--json", "--target", target)
        document = json.loads(text)
        assert document["target"] == target
        width[target] = [row["high"] - row["low"] for row in document["categories"]]
    assert sum(width["sample"]) < sum(width["population"])


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_unicode_forms_match(folder, form):
    other = {"NFC": "NFD", "NFD": "NFC"}[form]
    words = [unicodedata.normalize(form, word) for word in ("thé", "café")]
    arguments = ["-c", words[0], "-c", words[1], "-e", "1", "-o", "s.json"]
    succeeds("survey", "new", "-q", "?", *arguments)
    Path("a.csv").write_text(unicodedata.normalize(other, "boisson\nthé\ncafé\n"), "utf-8")
    succeeds("randomize", "s.json", "a.csv", "-o", "r.parquet")
    rows = json.loads(succeeds("estimate", "s.json", "r.parquet", "--json"))["categories"]
    assert [row["category"] for row in rows] == ["thé", "café"]


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
    succeeds("randomize", "survey.json", "a.csv", "-o", "r.parquet")
    assert parquet.read_metadata("r.parquet").num_rows == 0
    assert "no reports" in fails(BAD_DATA, "estimate", "survey.json", "r.parquet")
    text = succeeds("estimate", "survey.json", "r.parquet", "reports.parquet", "--json")
    assert json.loads(text)["n"] == 1000


# --- the demo -------------------------------------------------------------------------------


def test_the_demo_as_json(folder):
    text = succeeds("demo", "--people", "3000", "--json", "--figure", "demo.png")
    document = json.loads(text)
    assert document["n"] == 3000
    assert len(document["categories"]) == 12
    held = document["intervals_that_hold_the_truth"]
    inside = [
        row["low"] <= share <= row["high"]
        for row, share in zip(document["categories"], document["truth"], strict=True)
    ]
    # Each holds with 95 %; that fewer than 5 of 12 do has a probability below 1e-7.
    assert 5 <= held == sum(inside)
    assert_is_a_picture("demo.png")


def test_the_demo_as_a_table(folder):
    table = succeeds("demo", "--people", "3000")
    assert "3,000 people each answer once" in table
    assert "of 12 intervals hold the truth" in table
    assert table.count(" ✓") + table.count(" ✗") == 12
    assert_is_a_picture("privet-demo.png")


def test_the_demo_hands_out_its_answers(folder):
    args = ["--people", "200", "--json", "--answers", "crowd.csv"]
    truth = json.loads(succeeds("demo", *args))["truth"]
    assert Path("crowd.csv").read_text().split("\n").count("toast") == round(200 * truth[0])
    assert len(Path("crowd.csv").read_text().splitlines()) == 201


def test_the_demo_takes_a_single_person(folder):
    assert json.loads(succeeds("demo", "--people", "1", "--json"))["n"] == 1


# --- help -----------------------------------------------------------------------------------


def commands(command=cli.main, path=()):
    """Every command and group below the top one, with the words that call it."""
    context = cli.main.make_context("privet", ["demo"])
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        yield (*path, name), child
        if hasattr(child, "list_commands"):
            yield from commands(child, (*path, name))


def examples(text):
    return [line.strip() for line in text.splitlines() if line.strip().startswith("privet ")]


@pytest.mark.parametrize(("words", "command"), list(commands()), ids=str)
def test_every_command_helps_with_an_example(words, command):
    (example,) = examples(command.help)
    assert shlex.split(example)[1 : len(words) + 1] == list(words)
    assert example in [line.strip() for line in succeeds(*words, "--help").splitlines()]


@pytest.mark.parametrize(("words", "command"), list(commands()), ids=str)
def test_every_command_speaks_json(words, command):
    if not hasattr(command, "list_commands"):
        assert "--json" in [name for param in command.params for name in param.opts]


def test_the_examples_work_one_after_the_other(folder):
    Path("survey.json").unlink()
    Path("reports.parquet").unlink()
    Path("answers.csv").write_text("answer\ntea\ncoffee\n")
    for _, command in commands():
        (example,) = examples(command.help)
        succeeds(*shlex.split(example)[1:])
    assert Path("shares.png").exists()


def test_the_commands_are_listed_with_the_exit_codes():
    assert succeeds() == succeeds("--help") == succeeds("-h")
    text = " ".join(succeeds("--help").split())
    for name in cli.COMMANDS:
        assert f" {name} " in text
    for code in ("0 all is well", "2 wrong usage", "3 bad data", "4 the system", "130 interrupted"):
        assert code in text


def test_the_version():
    assert succeeds("--version").split()[-1] == __version__


@pytest.mark.parametrize("options", [["--keep-order"], []])
def test_the_order_of_the_answers_is_kept_only_if_asked_for(folder, options):
    """At ε = 30 a report is the answer, to be seen in the file."""
    survey = Survey("Which?", [f"c{i}" for i in range(200)], 30.0, mechanism="multivariate-rr")
    Path("exact.json").write_text(survey.to_json())
    Path("which.csv").write_text("answer\n" + "\n".join(survey.categories * 5) + "\n")
    succeeds("randomize", "exact.json", "which.csv", "-o", "which.parquet", *options)
    (reports,) = read_reports(Path("which.parquet"), survey)
    found = reports[:, 0].tolist()
    assert sorted(found) == sorted([*range(200)] * 5)
    assert (found == [*range(200)] * 5) is bool(options)
