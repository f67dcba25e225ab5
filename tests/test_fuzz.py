"""Bytes that nobody would write, to every reader: refused in privet's own words, or read.

It is the short form of `make fuzz`.
"""

import pytest

from fuzzers import TARGETS, budget, requests, target

NAMES = [name for some in TARGETS.values() for name in some]
# Starting a program takes long, and so does choosing mechanisms.
EXAMPLES = {"commands": 20, "drafts": 30, "bodies": 60, "estimates": 60}


@pytest.fixture(scope="module", autouse=True)
def _ended():
    yield
    for application in requests.APPLICATION:
        application.end()
    requests.APPLICATION.clear()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::privet.errors.Clamped")
def test_a_reader_refuses_or_reads_any_bytes(name):
    budget.spend(target(name), EXAMPLES.get(name, 150))
