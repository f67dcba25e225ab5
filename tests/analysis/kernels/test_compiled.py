"""Kernels as Python calls them: compiled once, kept, run without the GIL, and never in the way."""

import os
import pty
import re
import resource
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba.core.errors import TypingError

from privet.analysis import kernels
from privet.analysis.kernels.compiled import compiled, kernel


def share(numbers, parts):
    for i in range(numbers.size):
        numbers[i] = _half(numbers[i]) // parts


@compiled
def _half(number):
    return number // 2


def check(call, kind=np.int64):
    numbers = np.array([60, 80], kind)
    call(numbers, 10)
    assert numbers.tolist() == [3, 4]


def test_what_is_compiled_is_announced_and_what_is_loaded_is_not(compilations):
    first = kernel(share)
    assert compilations == []
    for _ in range(2):
        check(first)
        assert compilations == ["share"]
    check(first, np.int32)
    assert compilations == ["share", "share"]
    again = kernel(share)
    check(again)
    check(again, np.int32)
    assert compilations == ["share", "share"]


def test_errors_of_the_loop_are_raised_and_cost_nothing(compilations):
    call = kernel(share)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            call(np.array([60, 80]), 0)
    check(call)
    check(kernel(share))
    assert compilations == ["share"]


def test_wrong_arguments_are_errors(compilations):
    call = kernel(share)
    for wrong in ("9", None, np.zeros(3, np.complex128)):
        with pytest.raises(TypingError):
            call(wrong, 10)
    with pytest.raises(TypeError, match="not enough arguments"):
        call()
    check(call)


def test_threads_that_begin_together_compile_once(compilations):
    call, together = kernel(share), threading.Barrier(8)

    def begin(_):
        together.wait(10)
        check(call)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(begin, range(8)))
    assert compilations == ["share"]


def test_other_threads_run_meanwhile():
    many = np.arange(1, 1_000_001)
    args = many, many, np.zeros_like(many), 2**31 - 1, 3, np.zeros(200, np.int64)
    kernels.hashes.count_hashed(*args)
    thread = threading.Thread(target=kernels.hashes.count_hashed, args=args)
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 5


@pytest.mark.parametrize("room", [0, 100, 10_000])
def test_a_full_disk_is_not_the_end(room, compilations, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would be cut off and stay
    call = kernel(share)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, usual[1]))
    try:
        check(call)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    check(call)
    check(kernel(share))
    assert set(compilations) == {"share"}
    (folder,) = tmp_path.iterdir()
    assert sorted(path.suffix for path in folder.iterdir()) == [".nbc", ".nbi", ".seal"]


def test_a_folder_that_goes_away_is_not_the_end(compilations, tmp_path):
    call = kernel(share)
    (folder,) = tmp_path.iterdir()
    folder.rmdir()
    folder.write_text("in its place")
    check(call)
    assert compilations == ["share"]


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_settings_of_numba_are_followed(setting, tmp_path):
    code = (
        "import numpy as np\n"
        "from privet.analysis import kernels\n"
        "rows = np.arange(5, dtype=np.uint8).reshape(5, 1)\n"
        "piles = np.array([0, 1, 0, 1, 2])\n"
        "kernels.shuffling.deal(rows, piles, rows.copy(), np.zeros(2, np.int64))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), setting: "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "IndexError" in done.stderr


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
    assert "compiling, once: count_hashed" in first
    assert not [line for line in second if "compil" in line]
    elsewhere = {**environment, "NUMBA_CACHE_DIR": str(tmp_path / "new")}
    silent = subprocess.run(command, env=elsewhere, capture_output=True, text=True, check=True)
    assert silent.stderr == ""
