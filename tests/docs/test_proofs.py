"""Proofs name code and tests that are there, and every mechanism has its proof."""

import ast
import re
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from privet.device.mechanisms.paged import Paged
from privet.mechanisms import by_name

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "docs" / "proofs"
PAGES = sorted(PROOFS.glob("*.md"))
CODE = re.compile(r"`(privet(?:\.\w+)+|src/[\w./-]+)`")
TEST = re.compile(r"`(tests/[\w./-]+?\.py)(?:::(\w+))?`")
# A step: its number, and all lines up to the next step, heading or text that is not indented.
STEP = re.compile(r"^\d+\. .*(?:\n(?: {3}.*)?)*", re.MULTILINE)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@cache
def functions(path):
    """The names of all functions of a file."""
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def sections(text):
    """The text of each section, by its heading."""
    _, *parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def mechanisms(text):
    """The mechanisms that a page is about, by the names that surveys call them."""
    (line,) = re.findall(r"^Mechanisms: (.*?)\n\n", text, re.MULTILINE | re.DOTALL) or [""]
    return dict(re.findall(r"`([a-z-]+)`\s+\(`(privet[\w.]+)`", line))


@each_page
def test_what_is_named_is_there(page):
    text = page.read_text()
    for name in CODE.findall(text):
        if name.startswith("src/"):
            assert (ROOT / name).is_file(), name
        else:
            resolve_name(name)
    for path, test in TEST.findall(text):
        assert (ROOT / path).is_file(), path
        assert not test or test in functions(path), f"{path}::{test}"
    assert len(TEST.findall(text)) == len(re.findall("`tests/", text))
    assert len(CODE.findall(text)) == len(re.findall(r"`(?:privet\.|src/)", text))


@each_page
def test_every_step_names_its_code_and_its_test(page):
    text = page.read_text()
    steps = STEP.findall(text)
    assert steps or page.stem == "index"
    for step in steps:
        code, test = re.fullmatch(r".*\n   Code: (.*)\\\n   Test: (.*)", step, re.DOTALL).groups()
        assert CODE.search(code), step
        assert TEST.search(test), step


def test_every_mechanism_has_its_proof():
    found = {}
    for page in PAGES:
        text = page.read_text()
        named = mechanisms(text)
        assert not named.keys() & found.keys()
        found |= named
        if named:
            assert {"Privacy", "Unbiased", "Variance"} <= sections(text).keys(), page.name
            for heading, section in sections(text).items():
                assert STEP.search(section), f"{page.name}: {heading}"
    classes = {**by_name, Paged.name: Paged}
    assert found.keys() == classes.keys()
    for name, home in found.items():
        assert resolve_name(home) is classes[name]


def test_designs_are_proven_to_be_designs():
    text = (PROOFS / "designs.md").read_text()
    assert "The 2-design property" in sections(text)


def test_every_proof_is_in_the_table():
    text = (PROOFS / "index.md").read_text()
    listed = re.findall(r"\]\(([\w-]+\.md)\)", text)
    assert sorted([*listed, "index.md"]) == [page.name for page in PAGES]
    for page in PAGES:
        for name in mechanisms(page.read_text()):
            (row,) = [line for line in text.splitlines() if f"`{name}`" in line]
            assert f"]({page.name})" in row


@pytest.mark.parametrize(
    ("code", "test", "error"),
    [
        ("privet.device.survey.Survey.randomise", "tests/test_survey.py", AttributeError),
        ("privet.device.survey.Survey", "tests/test_survey.py::test_x", AssertionError),
        ("src/privet/none.js", "tests/test_survey.py", AssertionError),
    ],
)
def test_control_what_is_not_there_is_noticed(code, test, error, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"1. A step.\n\n   Code: `{code}`.\\\n   Test: `{test}`.\n")
    test_every_step_names_its_code_and_its_test(page)
    with pytest.raises(error):
        test_what_is_named_is_there(page)
    page.write_text(f"1. A step.\n\n   Test: `{test}`.\n")
    with pytest.raises(AttributeError):
        test_every_step_names_its_code_and_its_test(page)
