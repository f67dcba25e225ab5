"""The names of the folder, which are imported when they are asked for."""

import pytest

from privet import refine


def test_every_name_is_found_and_no_other():
    for name in refine.__all__:
        assert getattr(refine, name).__name__ == name
    with pytest.raises(AttributeError, match="refine.*'shrunk'"):
        refine.shrunk  # noqa: B018
