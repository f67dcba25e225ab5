"""Refusals, checked by their type, their fields and the names they give, not by their wording."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from privet.errors import InvalidArgument

_ANY = object()


def assert_names(message: str, *names: object) -> None:
    """Check that a message is one line that has each of these names, and not as parts of words."""
    assert "\n" not in message
    for name in map(str, names):
        start, end = (r"\b" if edge.isalnum() else "" for edge in (name[:1], name[-1:]))
        assert re.search(f"{start}{re.escape(name)}{end}", message), f"{name!r} in {message!r}"


def in_row(row: int) -> tuple[str, str]:
    """Return how a row of a file with a header is named: by its number, and by its line."""
    return f"row {row}", f"{row + 1} with the header"


@contextmanager
def refused(
    error: type[Exception], *names: object, **fields: object
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Check that the block raises an error with these names in its message, and these fields."""
    with pytest.raises(error) as caught:
        yield caught
    assert_names(str(caught.value), *names)
    found = {field: getattr(caught.value, field) for field in fields}
    assert found == fields, f"{found} instead of {fields}"


@contextmanager
def refused_argument(
    parameter: str, owner: str | None = None, *, value: object = _ANY, naming: str = ""
) -> Iterator[pytest.ExceptionInfo[InvalidArgument]]:
    """Check that the block raises InvalidArgument for this parameter, and this value if given.

    The owner, such as "KSubset" or "Tally.update", must occur in the message as a whole name;
    `naming` is a regular expression for what else must, such as a column's name or a row.
    """
    with pytest.raises(InvalidArgument) as caught:
        yield caught
    error = caught.value
    assert error.parameter == parameter, error
    assert value is _ANY or repr(error.value) == repr(value), error
    assert owner is None or re.search(rf"(?<![\w.]){re.escape(owner)}(?![\w.])", str(error)), error
    assert re.search(naming, str(error)), error
