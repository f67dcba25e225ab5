"""A change to the code is noticed by the tests beside it: a few that `make mutants` could try."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mutants

ROOT = Path(__file__).resolve().parents[1]

MUTANTS = [
    ("device/entropy.py", "if value < limit:", "if value <= limit:",
     "test_entropy.py::test_coin_compares_little_endian_words_with_exact_bounds"),
    ("device/entropy.py", "undecided = agree", "undecided |= agree",
     "test_entropy.py::test_coins_are_independent_with_the_exact_probability"),
    ("device/entropy.py", "self._secure and self._process", "self._secure or self._process",
     "test_entropy.py::test_a_process_draws_one_key_and_a_seed_none"),
    ("device/mechanisms/subsets/k_subset.py", "        if inside:\n", "        if not inside:\n",
     "mechanisms/test_exactness.py::test_k_subset_is_exactly_the_papers_mechanism"),
    ("analysis/tally.py", "if crc32(body) != crc:", "if crc32(body) == crc:",
     "analysis/test_tally.py::test_what_is_wrong_with_bytes_is_said"),
    ("analysis/counter.py", "number * rows + row", "number + rows + row",
     "analysis/test_counter.py::test_chunks_make_no_difference[True-one-bit]"),
    ("analysis/refine/grouped_shrinkage.py", "pooled * (1 - pooled)", "pooled * (2 - pooled)",
     "refine/test_groups.py::test_it_is_what_the_formulas_say"),
    ("store/integrity.py", "continue", "break", "store/test_store.py::test_counts_only[sqlite]"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "code", "mutant", "tests"), MUTANTS)
def test_a_change_is_noticed(file, code, mutant, tests, tmp_path):
    package = Path(shutil.copytree(ROOT / "src" / "privet", tmp_path / "privet"))
    text = (package / file).read_text("utf-8")
    assert text.count(code) == 1
    (package / file).write_text(text.replace(code, mutant), "utf-8")
    quickly = {"PYTHONPATH": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", f"tests/{tests}"],
        cwd=ROOT, env={**os.environ, **quickly}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr


def test_the_page_is_made_of_what_was_found():
    results = mutants.known_results()
    assert mutants.PAGE.read_text("utf-8") == mutants.page(results, mutants.reasons())


def test_what_was_found_is_good_enough():
    """Of what was tried; survivors that no test could kill have a reason."""
    for module, result in mutants.known_results().items():
        assert result["tried"] == min(result["all"], mutants.SAMPLE), module
        survivors = len(result["survivors"])
        assert result["killed"] == result["tried"] - survivors >= 0.9 * result["tried"], module
