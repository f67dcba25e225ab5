"""What is compiled, and where it is kept."""

import logging

import numba
import pytest


class Names(logging.Handler):
    """Lists the kernels that are compiled."""

    def __init__(self):
        super().__init__()
        self.names = []

    def emit(self, record):
        self.names.append(*record.args)


@pytest.fixture
def compilations(monkeypatch, tmp_path):
    """Keep kernels in an empty folder, and list those that are compiled."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    log, listed = logging.getLogger("privet.kernels"), Names()
    log.addHandler(listed)
    log.setLevel(logging.INFO)
    yield listed.names
    log.setLevel(logging.NOTSET)
    log.removeHandler(listed)
