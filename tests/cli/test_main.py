"""The command as a whole: from a crowd to its shares, help, a bare install, an end at once."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import (
    BAD_DATA,
    INTERRUPTED,
    SHARES,
    SURVEY,
    SYSTEM,
    USAGE,
    answers,
    assert_is_a_picture,
    real,
    succeeds,
    write_reports,
)
from privet import __version__, cli
from privet.cli.commands import COMMANDS, load
from privet.store import open_store
from refusing import assert_names, refused


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
    Path("reports.parquet").unlink()
    Path("answers.csv").write_text("answer\ntea\ncoffee\n")
    draft = Path(__file__).parents[2] / "examples" / "questionnaire.toml"
    Path("draft.toml").write_text(draft.read_text())
    for wave in ("before", "after"):
        write_reports(f"{wave}.parquet", SURVEY.randomize_batch(["tea"] * 100))
    Path("known.csv").write_text("answer,country\n" + "tea,DE\ncoffee,FR\n" * 300)
    succeeds("randomize", "survey.json", "known.csv", "--column", "answer", "--by", "country",
             "-o", "grouped.parquet")  # fmt: skip
    Path("survey.json").unlink()
    open_store("surveys.db").dispose()
    said = {}
    for words, command in commands():
        (example,) = examples(command.help)
        if words != ("serve",):  # which does not end; its own tests run it
            said[words] = succeeds(*shlex.split(example)[1:])
    assert Path("shares.png").exists()
    assert "paper/report.html" in said["paper", "all"]
    assert "rms z" in said["paper", "all"]
    assert "--repeats 20 --seed 1" in Path("paper/report.html").read_text("utf-8")


def test_the_commands_are_listed_with_the_exit_codes():
    assert succeeds() == succeeds("--help") == succeeds("-h")
    text = " ".join(succeeds("--help").split())
    for name in COMMANDS:
        assert f" {name} " in text
        assert text.count(COMMANDS[name]) == 1
    for code in (0, USAGE, BAD_DATA, SYSTEM, cli.FAILED, INTERRUPTED, 143):
        assert re.search(rf"(?<!\S){code} [a-z]", text)


def test_the_options_of_each_command_are_those_of_the_snapshot():
    """After a change that is meant: write `listed` to the file, and read what git shows of it."""
    listed = {
        " ".join(words): sorted(name for param in command.params for name in param.opts)
        for words, command in commands()
        if not hasattr(command, "list_commands")
    }
    assert listed == json.loads(Path(__file__).with_name("options.json").read_text())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_as_it_describes_itself(name):
    described = " ".join(succeeds(name, "--help").split("\n\n")[1].split())
    assert described == COMMANDS[name] or described.startswith(f"{COMMANDS[name]} ")


def test_help_imports_no_command():
    code = (
        "import sys; from privet.cli import main; main(['--help'], standalone_mode=False); "
        "assert not {'numpy', 'rich', 'privet.cli.survey'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)


def test_the_version():
    assert succeeds("--version").split()[-1] == __version__


def test_output_is_utf8_whatever_the_terminal_is_said_to_be(folder):
    succeeds("survey", "new", "-q", "Où ?", "-c", "café", "-c", "b", "-e", "1", "-o", "s.json")
    Path("a.csv").write_text("answer\ncafé\n", "utf-8")
    succeeds("randomize", "s.json", "a.csv", "-o", "r.parquet")
    done = real("estimate", "s.json", "r.parquet", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert_names(done.stderr.rstrip("\n"), "r.parquet", "1 report", "ou")
    assert "Où ?" in done.stdout
    assert "café" in done.stdout


@pytest.mark.parametrize(
    "call",
    [
        "from privet.__main__ import main; main()",
        "import runpy; runpy.run_module('privet', run_name='__main__')",
    ],
)
def test_a_bare_install_says_what_the_command_needs(call):
    code = f"import sys; sys.modules['click'] = None; {call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (SYSTEM, "")
    assert_names(done.stderr.rstrip("\n"), "Error", "click", "'privet[analysis]'")


def test_python_runs_the_package_as_the_command():
    command = [sys.executable, "-m", "privet", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"privet, version {__version__}\n"


def test_a_module_of_our_own_that_is_missing_is_a_fault(monkeypatch):
    monkeypatch.delitem(sys.modules, "privet.cli.plan", raising=False)
    monkeypatch.setitem(sys.modules, "privet.plan.planning", None)
    with refused(ModuleNotFoundError, name="privet.plan.planning"):
        load("plan")
