"""One Spark session for all tests of a process, and a cluster of real processes for a few."""

from pathlib import Path

import pytest

from java import need_java
from privet.bulk.spark.session import session

# PySpark leaves sockets to the garbage collector, and warns of any pandas that it does not know.
TOLD = ["ignore:unclosed <socket.socket:ResourceWarning", "ignore:PySpark does not yet fully"]


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            for line in TOLD:
                item.add_marker(pytest.mark.filterwarnings(line))


@pytest.fixture(scope="session")
def java():
    """Java that Spark can use: without it there is nothing to test here."""
    need_java()


@pytest.fixture(scope="session")
def spark(java):
    """A session on two cores, whose driver is not to be sent much."""
    settings = {
        "spark.app.name": "two cores",
        "spark.driver.maxResultSize": "16m",
        "spark.sql.shuffle.partitions": "4",
    }
    started = session("local[2]", **settings)
    yield started
    started.stop()
