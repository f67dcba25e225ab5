"""The paper's table and curves on the command line."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from commands import SYSTEM, USAGE, assert_is_a_picture, fails, real, succeeds
from refusing import assert_names

KEYS = [
    "d", "epsilon", "mechanism", "norm", "printed",
    "marginal", "marginal_se", "joint", "joint_se", "z",
]  # fmt: skip
FEW = ["--repeats", "2", "--seed", "3"]


def test_the_table_as_json_with_the_installed_command():
    done = real("paper", "table1", *FEW, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    cells = json.loads(done.stdout)
    assert len(cells) == 328
    assert all(list(cell) == KEYS for cell in cells)
    assert cells[2] == cells[2] | {
        "d": 2, "epsilon": 0.1, "mechanism": "mrr", "norm": "l2", "printed": 0.009983
    }  # fmt: skip
    assert cells == json.loads(succeeds("paper", "table1", *FEW, "--json", "--workers", "1"))


@pytest.mark.parametrize(("norm", "printed"), [("l2", "336.1"), ("l1", "205.8")])
def test_the_table_to_read(norm, printed):
    text = succeeds("paper", "table1", *FEW, "--norm", norm, "--figure", "table1.png")
    assert max(len(line) for line in text.splitlines()) <= 100
    rows = [line.split() for line in text.splitlines() if re.fullmatch(r"[\d.e+ -]+\d *", line)]
    assert rows[0][:3] == ["2", "0.1", printed]
    assert [len(row) for row in rows].count(14) == 9  # one for each d
    assert [len(row) for row in rows].count(13) == 41 - 9
    assert "2 repeats, seed 3" in text
    assert text.count("rms z") == text.count("largest |z|") == 2
    assert "of 328" in text
    assert "…" not in text
    assert_is_a_picture("table1.png")


def test_a_seed_is_shown_where_none_was_given():
    text = succeeds("paper", "table1", "--repeats", "2")
    seed = text.split(" repeats, seed ")[1].split(".")[0]
    assert succeeds("paper", "table1", "--repeats", "2", "--seed", seed) == text


def test_the_information_to_read_and_to_draw():
    text = succeeds("paper", "information", "--figure", "information.png")
    assert max(len(line) for line in text.splitlines()) <= 100
    row = ["16", "1", "5", "4", "0.12288", "93.2", "%", "41.8", "%", "0.12330", "0.12500"]
    assert row in [line.split() for line in text.splitlines()]
    (threshold,) = [line for line in text.splitlines() if "d = 16:" in line]
    assert_names(threshold, "MRR", "ε = 3.370")
    assert_is_a_picture("information.png")


def test_the_information_as_json():
    document = json.loads(succeeds("paper", "information", "--json"))
    assert list(document) == ["points", "thresholds"]
    assert len(document["points"]) == 4 * 70
    assert {"d", "epsilon", "k_star", "k_sharp", "k_subset", "mrr", "brr"} < set(
        document["points"][0]
    )
    assert [row["d"] for row in document["thresholds"]] == [4, 16, 64, 256]


@pytest.mark.parametrize(
    ("args", "names"),
    [
        *(
            (["paper", *command, "--repeats", repeats], ["--repeats", repeats])
            for command in (["table1"], ["all", "-o", "report"])
            for repeats in ("0", "1", "-3", "100001")
        ),
        (["paper", "table1", "--seed", "-1"], ["--seed", "-1"]),
        (["paper", "table1", "--workers", "0"], ["--workers", "0"]),
        (["paper", "table1", "--norm", "l3"], ["--norm", "'l3'", "'l2', 'l1'"]),
        (["paper", "table1", "--figure", "table1.gif"], ["'table1.gif'", ".png, .svg, .pdf"]),
        (["paper", "information", "--figure", "curves"], ["'curves'", ".png, .svg, .pdf"]),
    ],
    ids=shlex.join,
)
def test_wrong_usage(args, names):
    assert_names(fails(USAGE, *args), *names)


@pytest.mark.parametrize("command", ["table1", "information"])
def test_a_figure_that_cannot_be_written(command):
    Path("folder.png").mkdir()
    Path("file").write_text("")
    for place in ("missing/out.png", "file/out.png", "folder.png"):
        assert fails(SYSTEM, "paper", command, "--figure", place).startswith(f"{place}: ")


def test_a_folder_that_cannot_be_written():
    Path("file").write_text("")
    Path("taken/report.html").mkdir(parents=True)
    for place, named in {
        "file": "file",
        "file/below": "file/below",
        "taken": "taken/report.html",
    }.items():
        assert fails(SYSTEM, "paper", "all", "-o", place).startswith(f"{named}: ")


@pytest.mark.parametrize(
    "args",
    [["table1", "--figure", "a.png"], ["information", "--figure", "a.png"], ["all", "-o", "b"]],
)
def test_pictures_need_matplotlib_which_is_said_before_the_work(monkeypatch, args):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert_names(fails(SYSTEM, "paper", *args), "matplotlib", "'privet[plot]'")
