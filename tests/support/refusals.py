"""Refused arguments, checked by the error's type and fields, so that its wording can change."""

import re
from contextlib import contextmanager

import pytest

from privet.errors import InvalidArgument

_ANY = object()


@contextmanager
def refused(parameter, owner=None, *, value=_ANY, naming=""):
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
