"""Files that are written whole or not at all, and surveys read from them."""

import json
import os
from pathlib import Path
from threading import Barrier, Thread

import pytest

from privet import Survey
from privet.errors import InvalidFile
from privet.files import read_survey, replacing


def names(folder):
    return sorted(path.name for path in folder.iterdir())


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


def test_a_new_file_has_the_permissions_of_any_other(tmp_path):
    with replacing(tmp_path / "out") as temporary:
        temporary.write_text("new")
    (tmp_path / "other").write_text("new")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


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
    with pytest.raises(FileExistsError, match="not a regular file"), replacing(tmp_path):
        pytest.fail("the block must not run")
    assert names(tmp_path) == []
    assert names(tmp_path.parent).count(tmp_path.name) == 1


def test_a_device_is_not_replaced(tmp_path):
    # A pipe stands for /dev/null, which an administrator's run could replace with a plain file.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileExistsError, match="not a regular file"), replacing(pipe):
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


def test_a_survey_survives_its_file(tmp_path):
    survey = Survey("Thé ou café ?", ["thé", "café"], 1.0)
    path = tmp_path / "survey.json"
    path.write_text(survey.to_json() + "\n", encoding="utf-8")
    assert read_survey(path) == survey
    path.write_text(json.dumps(json.loads(survey.to_json()), indent=4), encoding="utf-8")
    assert read_survey(path) == survey


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[]", b"{}", b"null", b"{" * 10])
def test_a_file_that_is_no_survey_is_named(tmp_path, data):
    path = tmp_path / "survey.json"
    path.write_bytes(data)
    with pytest.raises(InvalidFile, match=r"survey\.json: Not a survey: "):
        read_survey(path)
