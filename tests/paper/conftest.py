"""Table 1 reproduced once, with as many repeats as the paper's own."""

import pytest

from privet import paper


@pytest.fixture(scope="session")
def table():
    return paper.table1(repeats=100, seed=1)
