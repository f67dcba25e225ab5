"""The page on shrinking: its code runs, and its figures are those of the accuracy report."""

import doctest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "shrink.md"


def test_the_code_on_the_page_runs():
    text = PAGE.read_text(encoding="utf-8").replace("```", "")
    found = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert len(found.examples) > 10
    assert doctest.DocTestRunner().run(found).failed == 0


def test_the_table_on_the_page_is_that_of_the_report():
    report = (ROOT / "benchmarks" / "ACCURACY.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    assert len(rows) > 10
    assert rows == report[report.index(rows[0]) :][: len(rows)]
