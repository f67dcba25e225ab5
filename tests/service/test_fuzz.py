"""Requests that nobody would send, made from the service's own description of itself."""

import re

from fuzzing import fuzz


def test_all_requests_get_an_answer_that_the_description_names(tmp_path):
    code, output, said = fuzz(tmp_path, 8, "--phases", "coverage,fuzzing", "--seed", "1")
    assert code == 0, output
    (cases,) = re.findall(r"(\d+) generated", output)
    assert int(cases) > 200
    # The server's first lines, and uvicorn's on what is not HTTP at all.
    assert set(said.splitlines()[2:]) <= {"WARNING:  Invalid HTTP request received."}
