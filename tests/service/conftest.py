"""A real server for each module, and a client of it for each test."""

import pytest

from serving import Serving


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        yield server


@pytest.fixture
def client(server):
    return server.client()
