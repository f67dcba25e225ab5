"""Compiled code for however few reports: the plain way is the sampler's own."""

import pytest

from privet.analysis import batch


@pytest.fixture
def compiled(monkeypatch):
    """Make and count reports by compiled code, though few would be made one by one."""
    import numba  # noqa: F401, whose being loaded is what counters go by

    monkeypatch.setattr(batch, "PLAIN_WORK", -1)
