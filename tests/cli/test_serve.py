"""privet serve ends with one line where it cannot begin; what it does is tested in service/."""

import os
import socket
import sys
from pathlib import Path
from statistics import median

import pytest

from commands import SYSTEM, USAGE, fails, run
from serving import Serving


def test_a_port_that_is_taken(folder):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = fails(SYSTEM, "serve", "--store", "s.db", "--port", port)
    assert line == f"127.0.0.1:{port}: Address already in use"


def test_an_address_that_is_none(folder):
    line = fails(SYSTEM, "serve", "--store", "s.db", "--host", "nowhere.invalid", "--port", 0)
    assert line.startswith("nowhere.invalid:0: ")


def test_a_store_that_is_none(folder):
    Path("s.db").write_text("no database, but long enough for somebody to look at" * 100)
    assert "s.db: file is not a database" in fails(SYSTEM, "serve", "--store", "s.db", "--port", 0)
    assert "--store" in fails(USAGE, "serve")


@pytest.mark.parametrize("package", ["uvicorn", "starlette"])
def test_what_is_missing_is_named(folder, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    line = fails(SYSTEM, "serve", "--store", "s.db", "--port", 0)
    assert line == f"privet serve needs {package}: pip install 'privet[serve]'"


def test_a_token_file_that_has_none(folder):
    Path("token.txt").write_text("short")
    result = run("serve", "--store", "s.db", "--port", 0, "--token-file", "token.txt")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "Error: token.txt: a token has at least 22 printable characters.\n"


def test_it_starts_quickly(tmp_path):
    def cpu_seconds():
        before = os.times()
        with Serving(tmp_path) as server:
            server.kill()  # as soon as it listens
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    assert median(cpu_seconds() for _ in range(3)) < 2
