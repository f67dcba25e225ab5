"""Compiled code for however few reports: the plain way is the sampler's own."""

import pytest

from privet.analysis import batch, counter


@pytest.fixture
def compiled(monkeypatch):
    """Make and count reports by compiled code, though little work is done without it."""
    monkeypatch.setattr(batch, "PLAIN_WORK", -1)
    monkeypatch.setattr(counter, "PLAIN_ENTRIES", -1)
