"""What is wrong with a file: whose errors are told as the file's, and whose pass as they are."""

import errno

import pytest

from privet.bulk.reading import reading
from privet.errors import InvalidFile, InvalidReport
from refusing import refused


@pytest.mark.parametrize(
    "error",
    [InvalidReport("bad"), OSError(errno.EACCES, "Permission denied"), MemoryError()],
    ids=lambda error: type(error).__name__,
)
def test_privets_and_the_systems_errors_pass(error):
    with pytest.raises(type(error)) as caught, reading("a.csv", "a table"):
        raise error
    assert caught.value is error


@pytest.mark.parametrize("error", [OSError("two\nlines"), IndexError("two  lines")])
def test_whatever_else_goes_wrong_is_the_files_fault(error):
    with (
        refused(InvalidFile, "a.csv", "a table", "two lines"),
        reading("a.csv", "a table"),
    ):
        raise error
