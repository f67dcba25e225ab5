"""Files that are written whole or not at all, and surveys read from them."""

import errno
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE
from threading import Barrier, Thread

import pytest

from privet import Survey
from privet.device import files
from privet.device.files import replacing
from privet.errors import InvalidFile

LOOP = rf"Errno {errno.ELOOP}\b"  # too many levels of links
NOBODY, SOMEBODY = 65534, 54321  # users other than root


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return S_IMODE(path.stat().st_mode)


@contextmanager
def umask(bits):
    before = os.umask(bits)
    try:
        yield
    finally:
        os.umask(before)


def test_the_file_appears_when_the_block_succeeds(tmp_path):
    path = tmp_path / "out.json"
    with replacing(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".json"
        temporary.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert names(tmp_path) == ["out.json"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_block_that_fails_leaves_everything_as_it_was(tmp_path, error):
    path = tmp_path / "out.json"
    path.write_text("old")

    def write_half():
        with replacing(path) as temporary:
            temporary.write_text("half of the new")
            raise error

    with pytest.raises(error):
        write_half()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.json"]


def test_an_older_file_is_replaced(tmp_path):
    path = tmp_path / "out.json"
    path.write_text("old and longer")
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


@pytest.mark.parametrize("bits", [0o022, 0o002, 0o077, 0o277])
@pytest.mark.parametrize("private", [False, True])
def test_a_new_file_is_as_readable_as_the_umask_allows_and_a_private_one_only_to_its_owner(
    tmp_path, bits, private
):
    path = tmp_path / "out"
    with umask(bits), replacing(path, private=private) as temporary:
        during = mode(temporary)
    assert during == mode(path) == (0o600 if private else 0o666) & ~bits


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o444])
@pytest.mark.parametrize("private", [False, True])
def test_a_replaced_file_keeps_its_mode_and_is_never_more_readable(tmp_path, kept, private):
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(kept)
    with umask(0o022), replacing(path, private=private) as temporary:
        assert mode(temporary) == 0o600
        temporary.write_text("new")
    assert mode(path) == kept
    assert path.read_text() == "new"


def test_through_a_link_the_file_it_points_to_is_replaced(tmp_path):
    target, link = tmp_path / "folder" / "target.json", tmp_path / "link.json"
    target.parent.mkdir()
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert names(target.parent) == ["target.json"]


def test_links_to_links_and_folders_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "one").symlink_to("folder/../real/two")
    (tmp_path / "real" / "two").symlink_to(tmp_path / "real" / "out")
    with replacing(tmp_path / "one") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "real" / "out").read_text() == "new"
    assert names(tmp_path / "real") == ["out", "two"]


def test_links_that_lead_nowhere_end(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=LOOP) as caught, replacing(tmp_path / "a"):
        pytest.fail("the block must not run")
    assert caught.value.filename == str(tmp_path / "a")


def test_as_many_links_are_followed_as_linux_follows(tmp_path):
    for i in range(41):
        (tmp_path / f"{i + 1}").symlink_to(f"{i}")
    with replacing(tmp_path / "40") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "0").read_text() == "new"
    with pytest.raises(OSError, match=LOOP), replacing(tmp_path / "41"):
        pytest.fail("the block must not run")


@pytest.fixture
def public(tmp_path, monkeypatch):
    """A folder like /tmp, in which everyone may write, next to a file that is worth protecting."""
    if os.geteuid() != 0:
        pytest.skip("only root can make files of other users")
    monkeypatch.chdir(tmp_path)  # whatever is above it may be closed to other users
    Path("mine").write_text("precious")
    folder = Path("public")
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def plant(path, target, user):
    path.symlink_to(target)
    os.chown(path, user, user, follow_symlinks=False)


def replace_as(user, path):
    os.seteuid(user)
    try:
        with replacing(path) as temporary:
            temporary.write_text("new")
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("through", ["link", "folder/mine", "../public/link"])
def test_a_link_of_another_user_in_a_public_folder_is_not_followed(public, through):
    plant(public / "link", "../mine", NOBODY)
    plant(public / "folder", Path.cwd(), NOBODY)
    for path in (public / through, Path.cwd() / public / through):
        with pytest.raises(PermissionError, match="another user") as caught, replacing(path):
            pytest.fail("the block must not run")
        assert Path(caught.value.filename).name in ("link", "folder")
    assert Path("mine").read_text() == "precious"
    assert names(Path()) == ["mine", "public"]


def test_a_link_to_a_planted_link_is_not_followed(public):
    plant(public / "link", "../mine", NOBODY)
    Path("honest").symlink_to("public/link")
    with pytest.raises(PermissionError, match="another user"), replacing(Path("honest")):
        pytest.fail("the block must not run")


def test_a_file_that_another_user_planted_does_not_decide_who_reads_ours(public):
    (public / "out").touch()
    os.chown(public / "out", NOBODY, NOBODY)
    with pytest.raises(PermissionError, match="another user"), replacing(public / "out"):
        pytest.fail("the block must not run")


@pytest.mark.parametrize("owner", [NOBODY, SOMEBODY], ids=["the user's", "the folder's owner's"])
def test_a_link_in_a_public_folder_that_nobody_planted_is_followed(public, owner):
    os.chown(".", NOBODY, NOBODY)
    os.chown(public, SOMEBODY, SOMEBODY)
    plant(public / "link", "../mine", owner)
    replace_as(NOBODY, public / "link")
    assert Path("mine").read_text() == "new"


def test_a_file_stays_its_owners_where_that_is_allowed(public):
    Path("mine").chmod(0o640)
    os.chown("mine", NOBODY, SOMEBODY)
    replace_as(0, Path("mine"))
    now = Path("mine").stat()
    assert (now.st_uid, now.st_gid, S_IMODE(now.st_mode)) == (NOBODY, SOMEBODY, 0o640)


def test_the_rights_of_a_group_are_not_given_to_another_one(public):
    os.chown(".", NOBODY, NOBODY)
    Path("mine").chmod(0o640)
    os.chown("mine", SOMEBODY, SOMEBODY)
    replace_as(NOBODY, Path("mine"))
    now = Path("mine").stat()
    assert (now.st_uid, S_IMODE(now.st_mode)) == (NOBODY, 0o600)


def test_two_writers_of_one_path_do_not_meet(tmp_path):
    path, both = tmp_path / "out", Barrier(2, timeout=10)
    texts = ["a" * 1000, "b" * 1000]

    def write(text):
        with replacing(path) as temporary:
            both.wait()
            temporary.write_text(text)
            both.wait()
            assert temporary.read_text() == text

    threads = [Thread(target=write, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("place", ["missing/out.json", "file/out.json", "x" * 300])
def test_a_place_that_cannot_be_written_is_named_as_the_caller_named_it(tmp_path, place):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"\[Errno") as caught, replacing(tmp_path / place):
        pytest.fail("the block must not run")
    assert caught.value.filename == str(tmp_path / place)
    assert names(tmp_path) == ["file"]


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(FileExistsError, match="regular"), replacing(tmp_path):
        pytest.fail("the block must not run")
    assert names(tmp_path) == []
    assert names(tmp_path.parent).count(tmp_path.name) == 1


def test_a_device_is_not_replaced(tmp_path):
    # A pipe stands for /dev/null, which an administrator's run could replace with a plain file.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileExistsError, match="regular"), replacing(pipe):
        pytest.fail("the block must not run")
    assert pipe.is_fifo()


def test_a_pipe_is_not_replaced():
    """Through /dev/fd a pipe has a name, whose real path names nothing."""
    reading, writing = os.pipe()
    with pytest.raises(FileExistsError) as caught, replacing(Path(f"/dev/fd/{writing}")):
        pass
    assert caught.value.filename == f"/dev/fd/{writing}"
    os.close(reading)
    os.close(writing)


def test_an_error_of_the_block_about_another_file_passes_as_it_is(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "out"):
        (tmp_path / "input").read_text()
    assert caught.value.filename == str(tmp_path / "input")
    assert names(tmp_path) == []


def test_nothing_but_the_standard_library_is_needed():
    """A client on a person's device writes files, too."""
    code = (
        "import sys, types; privet = sys.modules['privet'] = types.ModuleType('privet'); "
        "privet.__path__ = sys.argv[1:]; import privet.device.files; print(*sys.modules)"
    )
    command = [sys.executable, "-S", "-c", code, str(Path(files.__file__).parents[1])]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.partition(".")[0] for name in shown.stdout.split()}
    assert loaded - sys.stdlib_module_names == {"__main__", "privet"}


def test_a_survey_survives_its_file(tmp_path):
    survey = Survey("Thé ou café ?", ["thé", "café"], 1.0)
    path = tmp_path / "survey.json"
    path.write_text(survey.to_json() + "\n", encoding="utf-8")
    assert Survey.read(path) == survey
    path.write_text(json.dumps(json.loads(survey.to_json()), indent=4), encoding="utf-8")
    assert Survey.read(path) == survey


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[]", b"{}", b"null", b"{" * 10])
def test_a_file_that_is_no_survey_is_named(tmp_path, data):
    path = tmp_path / "survey.json"
    path.write_bytes(data)
    with pytest.raises(InvalidFile, match=r"survey\.json\b"):
        Survey.read(path)
