"""Machine code in files, which may be anything, and shared by processes, which may do anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from privet.analysis.kernels import native
from privet.analysis.kernels.native import Code, File

# --- files ------------------------------------------------------------------------------------

CODE = Code("qd", b"\n\0 machine \n code")


@pytest.fixture
def file(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return File("family.kernel(int:q)")


def test_a_file_is_what_was_written(file, tmp_path):
    assert file.read() is None
    file.write(CODE)
    assert file.read() == CODE
    file.write(Code("", b""))
    assert file.read() == Code("", b"")
    (path,) = tmp_path.iterdir()  # nothing is left beside it
    assert path.name.startswith("family.kernel-")


def test_damage_is_ignored(file, tmp_path):
    file.write(CODE)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert file.read() is None
        path.write_bytes(whole[:size] + bytes([whole[size] ^ 1]) + whole[size + 1 :])
        assert file.read() is None
    for other in (whole + b"\0", b"\0" * 5000, b"\n" * 40, whole[:32] * 9):
        path.write_bytes(other)
        assert file.read() is None
    path.unlink()
    path.mkdir()
    assert file.read() is None
    file.write(CODE)
    assert [*tmp_path.iterdir()] == [path]


def test_other_versions_are_replaced_and_other_calls_are_not(file, monkeypatch, tmp_path):
    file.write(CODE)
    monkeypatch.setattr(native, "_origins", lambda: b"of another version")
    newer = File("family.kernel(int:q)")
    assert newer.read() is None
    newer.write(Code("q", b"newer"))
    assert newer.read() == Code("q", b"newer")
    assert file.read() is None
    assert len([*tmp_path.iterdir()]) == 1
    File("family.kernel(float:d)").write(CODE)
    assert len([*tmp_path.iterdir()]) == 2
    assert newer.read() == Code("q", b"newer")


def test_versions_are_those_of_sources_numba_and_llvm(monkeypatch, tmp_path):
    origins = native._origins.__wrapped__
    (tmp_path / "a.py").write_text("one")
    monkeypatch.setattr(native, "_FOLDER", tmp_path)
    seen = {origins()}
    (tmp_path / "a.py").write_text("two")
    seen.add(origins())
    monkeypatch.setattr(native.llvm(), "llvm_version_info", (0, 0, 0))
    seen.add(origins())
    monkeypatch.setattr(native, "find_spec", lambda name: native.sys.modules["privet"].__spec__)
    with pytest.raises(OSError, match="_version.py"):
        origins()
    assert len(seen) == 3


def test_folders_that_take_no_files(monkeypatch, tmp_path):
    """As files, because root may write to any folder."""
    blocked = tmp_path / "__pycache__"
    blocked.write_text("no folder")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(native, "_FOLDER", tmp_path)
    for user, kept in ((tmp_path / "cache", CODE), (blocked, None)):
        monkeypatch.setenv("XDG_CACHE_HOME", str(user))
        file = File("family.kernel()")
        file.write(CODE)
        assert file.read() == kept
    assert [path.parent.name for path in (tmp_path / "cache").rglob("*.o")] == ["privet"]


def test_without_a_home_the_sources_folder_will_do(monkeypatch, tmp_path):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(native, "_FOLDER", tmp_path)
    monkeypatch.setattr(Path, "home", nobody)
    file = File("family.kernel()")
    file.write(CODE)
    assert file.read() == CODE


def test_a_cache_that_is_nowhere_in_particular_is_not_used(monkeypatch, tmp_path):
    (tmp_path / "__pycache__").write_text("no folder")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setattr(native, "_FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)
    File("family.kernel()").write(CODE)
    assert not (tmp_path / "cache").exists()


def test_only_the_owner_can_write_a_file_whatever_is_usual(file, tmp_path):
    usual = os.umask(0)
    try:
        file.write(CODE)
    finally:
        os.umask(usual)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o644


def test_what_others_could_have_written_is_not_read(file, monkeypatch, tmp_path):
    file.write(CODE)
    (path,) = tmp_path.iterdir()
    for mode, kept in ((0o664, None), (0o646, None), (0o644, CODE)):
        path.chmod(mode)
        assert file.read() == kept
    status = path.stat()
    for owner, trusted in ((0, True), (os.geteuid(), True), (12_345, False)):
        fields = [*status]
        fields[4] = owner
        assert native._trusted(os.stat_result(fields)) is trusted


# --- processes --------------------------------------------------------------------------------

SCRIPT = """
import sys
import numpy as np
from privet.entropy import seeded
from privet.mechanisms import Cyclotomic
mechanism = Cyclotomic(100, 1.0)
reports = mechanism.randomize(np.arange(300_000) % 100, entropy=seeded(7), workers=2)
total = mechanism.aggregate(reports)[1]
print(sum(total * np.arange(len(total))), "numba" in sys.modules)
"""


def process(folder, script=SCRIPT, **settings):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), **settings}
    return subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True
    )


def finish(running):
    shown = running.communicate()[0].split()
    assert running.returncode == 0
    return int(shown[0]), shown[1] == "True"


def test_processes_share_machine_code(tmp_path):
    racing = [process(tmp_path) for _ in range(2)]
    (answer, first), second = map(finish, racing)
    assert first
    assert second == (answer, True)
    files = sorted(tmp_path.glob("*.o"))
    assert len(files) == 4
    # A process that finds all of it does without numba.
    assert finish(process(tmp_path)) == (answer, False)
    # One that finds part of it makes the rest, and ignores what is damaged.
    good = [path.read_bytes() for path in files]
    files[0].write_bytes(good[0][:1000])
    files[1].write_bytes(good[1][:-1] + b"?")
    files[2].write_bytes(b"")
    assert finish(process(tmp_path)) == (answer, True)
    assert all(path.stat().st_size > 1000 for path in files)
    assert finish(process(tmp_path)) == (answer, False)


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_settings_of_numba_are_followed(setting, tmp_path):
    script = SCRIPT.replace("300_000", "3000")
    assert finish(process(tmp_path, script, **{setting: "1"}))[1]
    assert not list(tmp_path.glob("*.o"))
