"""Kernels on disk: whole and up to date, or compiled again; whatever processes do."""

import hashlib
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import privet
from privet.analysis.kernels.compiled import kernel

# --- in this process --------------------------------------------------------------------------


def double(numbers):
    for i in range(numbers.size):
        numbers[i] += numbers[i]


def use(*kinds):
    """Use the kernel as a new process would."""
    call = kernel(double)
    for kind in kinds or (np.int64,):
        numbers = np.array([60, 80], kind)
        call(numbers)
        assert numbers.tolist() == [120, 160]


def code_in(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".nbi", ".nbc"))


def seal_again(folder):
    """Make the seal fit, as if the damage came after it was looked at."""
    (seal,) = folder.rglob("*.seal")
    content = b"".join(path.read_bytes() for path in code_in(folder))
    seal.write_text(hashlib.sha256(content).hexdigest())


def test_the_seal_of_these_tests_is_the_real_one(compilations, tmp_path):
    use()
    (seal,) = tmp_path.rglob("*.seal")
    real = seal.read_text()
    seal_again(tmp_path)
    assert seal.read_text() == real


DAMAGE = {
    "nothing left": lambda whole: b"",
    "one byte": lambda whole: whole[:1],
    "half": lambda whole: whole[: len(whole) // 2],
    "all but a byte": lambda whole: whole[:-1],
    "zeros": lambda whole: bytes(len(whole)),
    "noise": lambda whole: np.random.default_rng(5).bytes(len(whole)),
    "text": lambda whole: b"no pickle at all\n" * 100,
    "another pickle": lambda whole: pickle.dumps(["something", "else"]),
    "a pickle of what is nowhere": lambda whole: b"cprivet.nowhere\nnothing\n.",
    "a number": lambda whole: pickle.dumps(numba.__version__) + pickle.dumps(7),
}


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_replaced(damage, suffix, sealed, compilations, tmp_path):
    use()
    (file,) = tmp_path.rglob(f"*{suffix}")
    file.write_bytes(damage(file.read_bytes()))
    if sealed:
        seal_again(tmp_path)
    use()
    assert len(compilations) == 2
    use()
    assert len(compilations) == 2 or sealed  # for then nothing was written the first time
    many = len(compilations)
    use()
    assert len(compilations) == many


def test_the_code_of_other_arguments_is_replaced(compilations, tmp_path):
    """Which processes that compile at once may leave behind."""
    use(np.int64, np.int32)
    one, other = tmp_path.rglob("*.nbc")
    ours = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(ours)
    seal_again(tmp_path)
    use(np.int32)
    use(np.int64, np.int32)
    assert len(compilations) > 2
    many = len(compilations)
    use(np.int64, np.int32)
    assert len(compilations) == many


@pytest.mark.parametrize("suffix", [".nbi", ".nbc", ".seal"])
def test_missing_files_are_made_again(suffix, compilations, tmp_path):
    use()
    (file,) = tmp_path.rglob(f"*{suffix}")
    file.unlink()
    use()
    assert len(compilations) == 2
    use()
    assert len(compilations) == 2


def test_nothing_else_is_left_behind(compilations, tmp_path):
    use(np.int64, np.int32, np.float64)
    use(np.int32)
    (folder,) = tmp_path.iterdir()
    assert sorted(path.suffix for path in folder.iterdir()) == [*[".nbc"] * 3, ".nbi", ".seal"]


# --- in processes of their own ----------------------------------------------------------------

SCRIPT = """
import numpy as np
import logging, sys
from privet.analysis import kernels
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
members, out = np.arange(20, dtype=np.int32).reshape(5, 4), np.zeros(5)
kernels.likelihood.sum_members(members, np.arange(20.0), out)
assert out.tolist() == [6, 22, 38, 54, 70], out
"""


def process(folder, script=SCRIPT, **settings):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), **settings}
    return subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(running):
    """Return what a process printed and what it warned of."""
    shown, said = running.communicate(timeout=120)
    assert running.returncode == 0, said
    return shown.split("\n")[:-1], said


def test_processes_that_compile_at_once_share_what_they_made(tmp_path):
    racing = [process(tmp_path) for _ in range(3)]
    for running in racing:
        shown, said = finish(running)
        assert set(shown) <= {"compiling, once: sum_members"}
        assert said == ""
    assert finish(process(tmp_path))[0] in ([], ["compiling, once: sum_members"])
    assert finish(process(tmp_path)) == ([], "")


def test_machine_code_that_was_damaged_is_not_run(tmp_path):
    """Numba would not notice: LLVM ends the process, or the code does anything at all."""
    finish(process(tmp_path))
    (file,) = tmp_path.rglob("*.nbc")
    whole = file.read_bytes()
    start = whole.index(b"\x7fELF")
    file.write_bytes(whole[:start] + bytes(64) + whole[start + 64 :])
    assert finish(process(tmp_path)) == (["compiling, once: sum_members"], "")
    assert finish(process(tmp_path)) == ([], "")


def copied_package(folder):
    package = folder / "privet"
    shutil.copytree(Path(privet.__file__).parent, package, ignore=shutil.ignore_patterns("__py*"))
    return package / "analysis" / "kernels"


def test_what_changes_in_another_file_is_noticed(tmp_path):
    loops = copied_package(tmp_path)
    script = (
        "import numpy as np\n"
        "from privet.analysis import kernels\n"
        "out = np.zeros((1, 2), np.uint8)\n"
        "kernels.designs.write_parities(np.array([5]), np.array([7], np.uint64), out, 9)\n"
        "print(out)\n"
    )
    before = finish(process(tmp_path / "kept", script, PYTHONPATH=str(tmp_path)))
    assert finish(process(tmp_path / "kept", script, PYTHONPATH=str(tmp_path))) == before
    source = (loops / "words.py").read_text()
    assert "builder.ctpop(word)" in source
    (loops / "words.py").write_text(source.replace("builder.ctpop(", "builder.not_("))
    after = finish(process(tmp_path / "kept", script, PYTHONPATH=str(tmp_path)))
    assert after != before


def test_kernels_work_where_nothing_can_be_written(tmp_path):
    """Where neither the package's folder nor the user's cache takes files, even from root."""
    loops = copied_package(tmp_path)
    nowhere = loops / "__pycache__"
    nowhere.write_text("a file, so no folder can be made here")
    settings = {"HOME": str(nowhere), "XDG_CACHE_HOME": str(nowhere), "PYTHONPATH": str(tmp_path)}
    for _ in range(2):
        shown, said = finish(process("", **settings))
        assert shown == ["compiling, once: sum_members"]
        assert said.count("NotKept: ") == 1
    assert not [*tmp_path.rglob("*.nb?")]
