"""Folders that strangers own or may write to: the code in them is not run."""

import grp
import hashlib
import os
import pickle
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from privet.analysis.kernels import trust
from privet.analysis.kernels.trust import NotKept, is_safe

NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for other users")


def groups(*modes):
    """Return modes that let the group write, for root: a user's group may be the user's alone."""
    return [pytest.param(mode, marks=root_only) for mode in modes]


@pytest.fixture(autouse=True)
def _anew():
    is_safe.cache_clear()
    trust.warn.cache_clear()


@pytest.fixture
def folder(tmp_path):
    """A folder with code in it, two folders below one that is ours alone."""
    folder = tmp_path / "cache" / "kernels"
    folder.mkdir(parents=True)
    for name in ("loop.1.nbc", "loop.nbi", "loop.seal"):
        (folder / name).write_bytes(b"code")
    return folder


def is_refused(folder, reason, place):
    """Whether the folder is refused, in a warning that names the reason and exactly this place."""
    named = rf"(?=.*{reason})(?=.*{re.escape(str(place))}(?![\w/]))(?=.*NUMBA_CACHE_DIR)"
    with pytest.warns(NotKept, match=named):
        return not is_safe(folder)


# --- permissions ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o1755, 0o555])
def test_what_only_we_can_write_to_is_used(mode, folder):
    folder.chmod(mode)
    folder.parent.chmod(mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_safe(folder)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o757, *groups(0o775, 0o770, 0o2775)])
def test_a_folder_that_others_may_write_to_is_not_used(mode, folder):
    folder.chmod(mode)
    assert is_refused(folder, "write", folder)


@pytest.mark.parametrize("mode", [0o777, 0o757, *groups(0o775)])
def test_a_folder_that_others_can_replace_is_not_used(mode, folder):
    folder.parent.chmod(mode)
    assert is_refused(folder, "write", folder.parent)


def test_nobody_can_replace_what_is_ours_in_a_sticky_folder(folder):
    folder.parent.chmod(0o1777)
    assert is_safe(folder)


@pytest.mark.parametrize("name", ["loop.1.nbc", "loop.nbi", "loop.seal"])
@pytest.mark.parametrize("mode", [0o666, 0o646, *groups(0o664)])
def test_a_file_that_others_may_write_to_is_not_used(mode, name, folder):
    (folder / name).chmod(mode)
    assert is_refused(folder, "somebody", folder / name)


def test_other_files_are_not_looked_at(folder):
    (folder / "module.cpython-311.pyc").touch()
    (folder / "module.cpython-311.pyc").chmod(0o666)
    os.mkfifo(folder / "loop.nbi.tmp.0123456789abcdef")
    assert is_safe(folder)


@pytest.mark.parametrize("name", ["loop.1.nbc", "loop.nbi", "loop.seal"])
@pytest.mark.parametrize(
    "make", [os.mkfifo, Path.mkdir, lambda place: place.symlink_to("/etc/hosts")]
)
def test_what_is_not_a_file_is_not_opened(make, name, folder):
    (folder / name).unlink()
    make(folder / name)
    assert is_refused(folder, "not a file", folder / name)


def test_a_path_that_is_not_absolute_is_not_used(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert is_refused(Path(), "absolute", Path())


# --- links ------------------------------------------------------------------------------------


def test_a_link_of_ours_to_a_folder_of_ours_is_used(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder.parent)
    assert is_safe(tmp_path / "link" / "kernels")


def test_what_a_link_leads_to_is_looked_at(folder, tmp_path):
    (tmp_path / "second").symlink_to(folder)
    (tmp_path / "first").symlink_to("second")
    folder.parent.chmod(0o777)
    assert is_refused(tmp_path / "first", "write", folder.parent)


def test_a_link_that_others_can_replace_is_not_used(folder, tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "second").symlink_to(folder)
    (tmp_path / "first").symlink_to(tmp_path / "open" / "second")
    (tmp_path / "open").chmod(0o777)
    assert is_refused(tmp_path / "first", "write", tmp_path / "open")


@root_only
def test_a_link_of_somebody_else_is_not_used(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    os.lchown(tmp_path / "link", NOBODY, NOBODY)
    assert is_refused(tmp_path / "link", "belongs", tmp_path / "link")


# --- owners -----------------------------------------------------------------------------------


@root_only
def test_a_folder_of_somebody_else_is_not_used(folder):
    os.chown(folder, NOBODY, NOBODY)
    assert is_refused(folder, "belongs", folder)


@root_only
def test_a_folder_in_one_of_somebody_else_is_not_used(folder):
    os.chown(folder.parent, NOBODY, NOBODY)
    assert is_refused(folder, "belongs", folder.parent)


@root_only
@pytest.mark.parametrize("name", ["loop.1.nbc", "loop.nbi", "loop.seal"])
def test_a_file_of_somebody_else_is_not_used(name, folder):
    os.chown(folder / name, NOBODY, NOBODY)
    assert is_refused(folder, "somebody", folder / name)


# --- other people's processes -----------------------------------------------------------------

SCRIPT = """
import numpy as np
import logging, sys
from privet.analysis import kernels
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
members, out = np.arange(20, dtype=np.int32).reshape(5, 4), np.zeros(5)
kernels.likelihood.sum_members(members, np.arange(20.0), out)
assert out.tolist() == [6, 22, 38, 54, 70], out
"""


def run(cache, script=SCRIPT, **options):
    """Run a process with this cache; return what it printed and what it warned of."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


class Trap:
    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A cache with one kernel."""
    cache = tmp_path_factory.mktemp("made")
    assert run(cache) == ("compiling, once: sum_members\n", "")
    return cache


@pytest.fixture
def public():
    """A folder that everyone can look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def plant(cache, trace):
    """Replace the code in a cache by a trap, with a seal that fits."""
    (seal,) = cache.rglob("*.seal")
    for file in cache.rglob("*.nb?"):
        file.write_bytes(pickle.dumps(Trap(trace)))
    code = b"".join(file.read_bytes() for file in sorted(cache.rglob("*.nb?")))
    seal.write_text(hashlib.sha256(code).hexdigest())


def test_a_trap_in_a_folder_of_ours_works(made, tmp_path):
    """So that the tests below mean something."""
    shutil.copytree(made, tmp_path / "cache")
    plant(tmp_path / "cache", tmp_path / "trace")
    assert run(tmp_path / "cache") == ("compiling, once: sum_members\n", "")
    assert (tmp_path / "trace").exists()


@root_only
@pytest.mark.parametrize(
    "closed", [False, True], ids=["a stranger's folder", "files left when the folder was open"]
)
def test_a_strangers_trap_does_not_work(closed, made, public):
    """A real other user fills a folder that all may write to before we do."""
    cache, trace = public / "cache", public / "trace"
    cache.mkdir()
    cache.chmod(0o1777)
    shutil.copytree(made, public / "bait")
    (public / "bait").chmod(0o755)
    plant(public / "bait", trace)
    copy = ["cp", "-r", *(public / "bait").iterdir(), cache]
    subprocess.run(copy, check=True, user=NOBODY, group=NOBODY, extra_groups=())
    (inside,) = cache.iterdir()
    assert inside.stat().st_uid == NOBODY
    if closed:
        os.chown(inside, 0, 0)
        cache.chmod(0o755)
    shown, said = run(cache)
    assert not trace.exists()
    assert shown == "compiling, once: sum_members\n"
    assert said.count("NotKept: ") == 1
    assert ("belongs" in said) is not closed


def test_a_fifo_in_the_place_of_a_file_does_not_hang(made, tmp_path):
    shutil.copytree(made, tmp_path / "cache")
    for file in [*tmp_path.rglob("*.nb?"), *tmp_path.rglob("*.seal")]:
        file.unlink()
        os.mkfifo(file)
    shown, said = run(tmp_path / "cache")
    assert shown == "compiling, once: sum_members\n"
    assert "not a file" in said


def is_safe_for(user, folder):
    """Ask a process of that user."""
    code = (
        "import grp, os, pwd\n"
        "from pathlib import Path\n"
        "from privet.analysis.kernels.trust import is_safe\n"
        f"os.setgroups([]); os.setgid({user.pw_gid}); os.setuid({user.pw_uid})\n"
        f"print(is_safe(Path({str(folder)!r})))\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True\n"


@root_only
def test_a_group_of_ones_own_is_nobody_else(public):
    user, other = pwd.getpwnam("daemon"), pwd.getpwnam("nobody")
    assert grp.getgrgid(user.pw_gid).gr_name == user.pw_name
    assert grp.getgrgid(other.pw_gid).gr_name != other.pw_name
    for owner, group, mode, safe in (
        (user, user, 0o775, True),
        (user, user, 0o777, False),
        (user, other, 0o775, False),
        (other, user, 0o775, False),
    ):
        folder = public / f"{owner.pw_name}-{group.pw_name}-{mode:o}"
        folder.mkdir()
        os.chown(folder, owner.pw_uid, group.pw_gid)
        folder.chmod(mode)
        assert is_safe_for(user, folder) == safe
    ours = public / f"{other.pw_name}-{other.pw_name}"
    ours.mkdir()
    os.chown(ours, other.pw_uid, other.pw_gid)
    assert is_safe_for(other, ours)
    ours.chmod(0o775)
    assert not is_safe_for(other, ours)
