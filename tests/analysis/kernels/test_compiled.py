"""Kernels as Python calls them: compiled once, cached by numba, and run without the GIL."""

import ast
import os
import pty
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import privet
from privet.analysis import kernels

PACKAGE = Path(privet.__file__).parent
ANNOUNCED = "compiling, once: sum_members"
NOBODY = 65534

SCRIPT = """
import numpy as np
import logging, sys
from privet.analysis import kernels
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
members, out = np.arange(20, dtype=np.int32).reshape(5, 4), np.zeros(5)
for _ in range(2):
    kernels.member_sums.sum_members(members, np.arange(20.0), out)
assert out.tolist() == [6, 22, 38, 54, 70], out
"""


def run(script=SCRIPT, **settings):
    """Run a process with these environment variables; return what it printed."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": "", **settings}
    done = subprocess.run(
        [sys.executable, "-B", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.fixture
def package(tmp_path):
    """A copy of the package that has not been used yet; return where it is imported from."""
    copy = tmp_path / "site"
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, copy / "privet", ignore=skipped)
    return copy


def cached(folder):
    return {path.suffix for path in folder.rglob("*.nb?")}


# --- the cache --------------------------------------------------------------------------------


def test_a_kernel_is_compiled_once_for_all_processes(package):
    assert run(PYTHONPATH=str(package)) == [ANNOUNCED]
    assert run(PYTHONPATH=str(package)) == []
    assert cached(package) == {".nbi", ".nbc"}


def test_the_cache_may_be_elsewhere(package, tmp_path):
    folder = tmp_path / "cache"
    for shown in ([ANNOUNCED], []):
        assert run(PYTHONPATH=str(package), NUMBA_CACHE_DIR=str(folder)) == shown
    assert cached(folder) == {".nbi", ".nbc"}
    assert not cached(package)


def test_a_read_only_install_is_cached_for_the_user(package, tmp_path):
    """Root may write anywhere, so a file is in the place of the folder."""
    (package / "privet" / "analysis" / "kernels" / "__pycache__").touch()
    home = tmp_path / "home"
    settings = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "PYTHONPATH": str(package)}
    for shown in ([ANNOUNCED], []):
        assert run(**settings) == shown
    assert cached(home) == {".nbi", ".nbc"}


def test_kernels_run_where_nothing_can_be_written(package, tmp_path):
    nowhere = package / "privet" / "analysis" / "kernels" / "__pycache__"
    nowhere.touch()
    settings = {"HOME": str(nowhere), "XDG_CACHE_HOME": str(nowhere), "PYTHONPATH": str(package)}
    for _ in range(2):
        assert run(**settings) == [ANNOUNCED]
    assert not cached(tmp_path)


@pytest.mark.parametrize("room", [0, 100, 5000])
def test_a_full_disk_is_not_the_end(room, tmp_path):
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
    shown = run(limit + SCRIPT, NUMBA_CACHE_DIR=str(tmp_path))
    assert set(shown) == {ANNOUNCED}
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) in ([], [ANNOUNCED])
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == []


# The user who runs this has no right to read root's interpreter, so all of it is loaded before.
OTHER_USER = f"""
import os, numba, numpy, privet.analysis.kernels
numba.njit(lambda numbers: numbers.sum())(numpy.zeros(1))
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
{SCRIPT}
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for other users")
def test_another_user_runs_what_root_installed():
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "home"
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, Path(folder) / "privet", ignore=skipped)
        settings = {"HOME": str(home), "XDG_CACHE_HOME": str(home), "PYTHONPATH": folder}
        for shown in ([ANNOUNCED], []):
            assert run(OTHER_USER, **settings) == shown
        assert cached(Path(folder)) == cached(home) == {".nbi", ".nbc"}
        shutil.rmtree(home)
        for _ in range(2):  # the user has no folder to write to
            assert run(OTHER_USER, **settings) == [ANNOUNCED]
        assert not cached(Path(folder))


def test_loops_of_a_kernel_are_in_its_file():
    """Numba looks only at a kernel's own file for changes; words.py is about what stays."""
    for path in (PACKAGE / "analysis" / "kernels").glob("[!_]*.py"):
        tree = ast.parse(path.read_text())
        froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
        assert {node.module for node in froms} <= {None, "compiled", "words"}, path.name


# --- calls ------------------------------------------------------------------------------------


def test_errors_of_a_loop_are_raised():
    args = np.arange(3), np.arange(3), np.zeros(3, np.int64), 7, 0, np.zeros(5, np.int64)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kernels.report_counts.count_hashed(*args)


def test_threads_that_begin_together_compile_once(tmp_path):
    script = f"""
import threading
from concurrent.futures import ThreadPoolExecutor
{SCRIPT}
together = threading.Barrier(4)
def begin(_):
    together.wait(10)
    kernels.member_sums.spread_members(members, np.ones(5), np.zeros(20))
with ThreadPoolExecutor(4) as pool:
    list(pool.map(begin, range(4)))
"""
    shown = run(script, NUMBA_CACHE_DIR=str(tmp_path))
    assert shown == [ANNOUNCED, "compiling, once: spread_members"]


def test_other_threads_run_meanwhile():
    many = np.arange(1, 1_000_001)
    args = many, many, np.zeros_like(many), 2**31 - 1, 3, np.zeros(200, np.int64)
    kernels.report_counts.count_hashed(*args)
    thread = threading.Thread(target=kernels.report_counts.count_hashed, args=args)
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 5


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_settings_of_numba_are_followed(setting, tmp_path):
    code = (
        "import numpy as np\n"
        "from privet.analysis import kernels\n"
        "rows = np.arange(5, dtype=np.uint8).reshape(5, 1)\n"
        "piles = np.array([0, 1, 0, 1, 2])\n"
        "try: kernels.row_orders.deal(rows, piles, rows.copy(), np.zeros(2, np.int64))\n"
        "except IndexError: print('refused')\n"
    )
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path), **{setting: "1"}) == ["refused"]


# --- on a terminal ----------------------------------------------------------------------------


def terminal(command, environment):
    """Return the lines that a command writes to a terminal, and the states of a changing line."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=theirs):
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(ours, 4096):
                shown += more
        except OSError:  # the end of a terminal
            pass
    os.close(ours)
    return re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()))


def test_the_command_line_says_on_a_terminal_that_it_compiles(tmp_path):
    options = ["-m", "local-hash", "-d", "8", "-e", "1", "-n", "50000", "--repeats", "2"]
    command = [sys.executable, "-m", "privet", "simulate", *options]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (terminal(command, environment) for _ in range(2))
    assert "compiling, once: toss" in first
    assert not [line for line in second if "compil" in line]
    elsewhere = {**environment, "NUMBA_CACHE_DIR": str(tmp_path / "new")}
    silent = subprocess.run(command, env=elsewhere, capture_output=True, text=True, check=True)
    assert silent.stderr == ""
