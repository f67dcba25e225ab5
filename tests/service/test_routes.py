"""The route table, and what OpenAPI says of it."""

from itertools import groupby

import pytest

from privet.errors import (
    IdTaken,
    InvalidReport,
    InvalidSurvey,
    NoReports,
    NoSurvey,
    StoreFailure,
    StoreFull,
)
from privet.service.openapi import describe
from privet.service.problems import as_problem
from privet.service.routes import ROUTES


def test_rows_of_a_path_stand_together():
    assert len(list(groupby(row.path for row in ROUTES))) == len({row.path for row in ROUTES})


def test_every_row_is_described():
    document = describe(ROUTES)
    names = set()
    for row in ROUTES:
        operation = document["paths"][row.path][row.method.lower()]
        assert operation["summary"].endswith((".", ":")) or ";" in operation["summary"]
        assert ("security" in operation) == row.admin <= ("401" in operation["responses"])
        assert ("requestBody" in operation) == bool(row.takes)
        assert ("{" in row.path) == ("404" in operation["responses"])
        names.add(operation["operationId"])
    assert len(names) == len(ROUTES)


def test_anyone_may_send_reports_and_the_token_and_nothing_else():
    """Nobody can send an answer: there is neither a body nor a parameter that would take one."""
    rows = [row for row in ROUTES if not row.admin]
    assert {row.path for row in rows if row.takes} == {"/surveys/{id}/reports", "/login"}
    named = {parameter["name"] for row in rows for parameter in row.parameters}
    assert named == {"Idempotency-Key", "key", "Invitation", "invitation", "question"}


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (NoSurvey("x"), 404, "unknown"),
        (NoSurvey("x", gone=True), 410, "deleted"),
        (NoReports("none"), 404, "no-reports"),
        (IdTaken("taken"), 409, "taken"),
        (InvalidSurvey("bad"), 400, "invalid-survey"),
        (InvalidReport("bad"), 400, "invalid-report"),
        (StoreFailure("secret"), 503, "busy"),
        (StoreFull("secret"), 507, "full"),
        (RuntimeError("secret"), 500, "fault"),
    ],
)
def test_every_error_is_a_problem(error, status, reason):
    problem = as_problem(error)
    assert (problem.status, problem.reason) == (status, reason)
    assert as_problem(problem) is problem
    assert b"secret" not in problem.response().body
