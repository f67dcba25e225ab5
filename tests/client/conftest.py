"""A real service for clients to send to, and a new survey of it for each test."""

import pytest

from sending import make_survey
from serving import Serving


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        yield server


@pytest.fixture
def survey(server):
    survey = make_survey()
    assert server.client().create(survey).status == 201
    return survey
