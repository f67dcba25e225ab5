"""The code of README, docs and examples has the types that a strict checker wants."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A page's blocks are one module, as cells of a notebook are: a later one may name things anew.
STRICT = ["--strict", "--allow-redefinition-new", "--local-partial-types"]
# Neither packages without types nor privet itself are checked here.
OTHERS = ["--ignore-missing-imports", "--follow-imports=silent", "--config-file="]


def code_of(page):
    """Return the Python of a page, without what its doctests print."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)
    return "".join(typed(block) if ">>>" in block else block for block in blocks)


def typed(session):
    lines = re.findall(r"^(?:>>>|\.\.\.)(?: (.*))?$", session, re.M)
    return "".join(f"{line}\n" for line in lines)


def check(*paths):
    command = [sys.executable, "-m", "mypy", *STRICT, *OTHERS]
    command += ["--cache-dir", str(ROOT / ".mypy_cache" / "users"), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_users_code_passes_a_strict_checker(tmp_path):
    pages = {page: code_of(page) for page in PAGES if "_build" not in page.parts}
    for number, code in enumerate(filter(None, pages.values())):
        (tmp_path / f"page_{number}.py").write_text(code)
    written = sorted(tmp_path.iterdir())
    assert len(written) > 20
    status, said = check(*written, *sorted((ROOT / "examples").glob("*.py")))
    assert status == 0, said


def test_the_checker_finds_what_is_wrong(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import privet\n"
        "tea = privet.Survey('Tea?', ['yes', 'no'], 1.0)\n"
        "tea.tally().estimate().mean()\n"
    )
    status, said = check(wrong)
    assert (status, '"Estimate" has no attribute "mean"' in said) == (1, True)
