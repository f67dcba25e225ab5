"""The code on the pages runs, in order, in a folder of its own; results are as they are shown."""

import doctest
import re
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from commands import succeeds

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^( *)```(python|sh)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
# Pages that take long, or need a cluster, have tests of their own.
ELSEWHERE = {"paper.md", "shrink.md", "sums.md", "spark.md"}


def blocks(page):
    return [(kind, dedent(code)) for _, kind, code in BLOCK.findall(page.read_text())]


PAGES = [
    page
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if page.name not in ELSEWHERE and blocks(page)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_code_on_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for at, (kind, code) in enumerate(blocks(page)):
        place = f"{page.name}[{at}]"
        if kind == "sh":
            for line in code.replace("\\\n", " ").splitlines():
                program, *words = shlex.split(line)
                assert program == "privet", f"{place}: {line}"
                succeeds(*words)
        elif code.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(code, names, place, place, 0)
            said = []
            doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
            names |= test.globs
            assert not said, "".join(said)
        else:
            exec(compile(code, place, "exec"), names)


def test_there_are_pages_with_code():
    assert {"README.md", "start.md", "files.md", "attacks.md", "mathematics.md"} <= {
        page.name for page in PAGES
    }
