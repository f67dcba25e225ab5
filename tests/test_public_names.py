"""What others build on: the names, the error tree, and a quick import."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import privet
from privet import errors

ROOT = Path(__file__).parents[1]


def test_the_public_names_are_pinned():
    assert privet.__all__ == [
        "Client",
        "Estimate",
        "Ledger",
        "PrivetError",
        "Questionnaire",
        "QuestionnaireEstimate",
        "Scale",
        "ScaleEstimate",
        "Several",
        "Survey",
        "Tally",
        "__version__",
        "audit",
        "bulk",
        "entropy",
        "errors",
        "mechanisms",
        "paper",
        "plan",
        "poisoning",
        "refine",
        "regression",
        "shuffle",
        "simulate",
        "sums",
        "tables",
        "theory",
    ]
    for name in privet.__all__:
        assert getattr(privet, name) is not None
    with pytest.raises(AttributeError, match="'nonsense'"):
        _ = privet.nonsense


def test_the_version_has_one_home():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert pyproject["project"]["dynamic"] == ["version"]
    assert ROOT / pyproject["tool"]["hatch"]["version"]["path"] == Path(privet.__file__)
    assert f"\nversion: {privet.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_newest_version_of_the_changelog_is_this_one():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert next(one for one in headings if one != "Unreleased") == privet.__version__
    assert "Unreleased" not in headings[1:]


def test_the_error_tree_is_drawn_as_it_is():
    drawn = {line.split()[1] for line in errors.__doc__.splitlines() if "──" in line}
    defined = {name for name, kind in vars(errors).items() if inspect.isclass(kind)} - {"Repr"}
    assert drawn | {"PrivetError"} == defined == set(errors.__all__)
    for name in drawn:
        kind = getattr(errors, name)
        (also,) = (base for base in kind.__bases__ if base is not errors.PrivetError)
        assert f"(also {'an' if also is ImportError else 'a'} {also.__name__})" in errors.__doc__


@pytest.mark.parametrize("what", ["privet", "privet.cli"])
def test_heavy_modules_are_imported_late(what):
    code = f"import sys, {what}; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in shown.stdout.split()}
    heavy = {"cryptography", "matplotlib", "msgspec", "numba", "numpy", "pandas", "pyarrow"}
    assert not loaded & (heavy | {"rich", "scipy", "statistics"})


def test_one_report_needs_neither_numba_nor_scipy():
    code = (
        "import sys, privet\n"
        "s = privet.Survey('Q', [str(i) for i in range(64)], 1.0)\n"
        "t = s.tally(); t.update(s.randomize('5'))\n"
        "s.randomize('5', secret=bytes(32))\n"
        "assert not {'numba', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_module_says_what_it_is_for():
    for path in sorted((ROOT / "src").rglob("*.py")):
        module = ast.parse(path.read_text())
        assert ast.get_docstring(module), path
