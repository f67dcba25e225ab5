"""Both databases, a survey in them, and arrivals."""

import pytest

from postgres import Server
from privet.store import open_store


@pytest.fixture(scope="session")
def server():
    """A running PostgreSQL."""
    server = Server()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """Where a store can be made: the path of a file, or the URL of a database."""
    if request.param == "sqlite":
        return str(tmp_path / "surveys.db")
    return request.getfixturevalue("server").new_database()


@pytest.fixture
def store(place):
    with open_store(place) as store:
        yield store
