"""A browser, and a site before a real service."""

import pytest

from asked import SURVEYS
from browser import Site, chromium
from serving import Serving


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as found:
        for contract in SURVEYS:
            found.client().create(contract)
        yield found


@pytest.fixture
def site(service):
    found = Site(service)
    yield found
    found.end()


@pytest.fixture
def context(browser):
    """A new device, on which nothing is remembered; `said` is what its console shows."""
    found = browser.new_context()
    said = []
    found.on("console", lambda message: said.append(message.text))
    found.on("weberror", lambda error: said.append(str(error.error)))
    found.said = said
    yield found
    found.close()
