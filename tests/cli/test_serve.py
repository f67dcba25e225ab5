"""privet serve ends with one line where it cannot begin; what it does is tested in service/."""

import json
import os
import pty
import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from errno import EADDRINUSE
from pathlib import Path
from statistics import median

import pytest

from commands import BAD_DATA, SYSTEM, fails, run, succeeds
from refusing import assert_names
from serving import Client, Serving


def test_a_port_that_is_taken(folder):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = fails(SYSTEM, "serve", "--store", "s.db", "--port", port)
    assert line == f"127.0.0.1:{port}: {os.strerror(EADDRINUSE)}"


def test_an_address_that_is_none(folder):
    line = fails(SYSTEM, "serve", "--store", "s.db", "--host", "nowhere.invalid", "--port", 0)
    assert line.startswith("nowhere.invalid:0: ")


def test_a_store_that_is_none(folder):
    Path("s.db").write_text("no database, but long enough for somebody to look at" * 100)
    line = fails(SYSTEM, "serve", "--store", "s.db", "--port", 0)
    assert_names(line, "s.db", "not a database")


@pytest.mark.parametrize("package", ["uvicorn", "starlette"])
def test_what_is_missing_is_named(folder, package):
    code = f"import sys; sys.modules[{package!r}] = None; from privet.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", "--store", "s.db", "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (SYSTEM, "")
    assert_names(done.stderr.rstrip("\n"), "Error", "serve", package, "'privet[serve]'")


def test_a_token_file_that_has_none(folder):
    Path("token.txt").write_text("short")
    result = run("serve", "--store", "s.db", "--port", 0, "--token-file", "token.txt")
    assert (result.exit_code, result.stdout) == (BAD_DATA, "")
    assert_names(result.stderr.rstrip("\n"), "Error", "token.txt", "22")


# --- where the administrator's token is shown -----------------------------------------------------


@contextmanager
def started(stderr, *more):
    """A server on s.db, and whether a token is its administrator's."""
    command = [sys.executable, "-m", "privet", "serve", "--store", "s.db", "--port", "0", "--json"]
    with subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=stderr) as process:
        url = json.loads(process.stdout.readline())["url"]

        def is_the_administrators(token):
            client = Client(url, token)
            status = client.get("/surveys", admin=True).status
            client.close()
            return status == 200

        try:
            yield is_the_administrators
        finally:
            process.terminate()


def words(text):
    """What could be a token in a text."""
    return re.findall(r"[A-Za-z0-9_-]{22,}", text)


def test_a_log_never_has_the_token(folder):
    with Path("log.txt").open("wb") as log:
        with started(log, "--token-file", "token.txt") as is_valid:
            token = Path("token.txt").read_text().strip()
            assert is_valid(token)
        said = Path("log.txt").read_text()
        assert token not in said
        assert "token.txt" in said
        Path("s.db").unlink()
        with started(log) as is_valid:  # where the token would have no place to be shown
            assert not is_valid("")
            made = succeeds("store", "token", "s.db").strip()
            assert is_valid(made)
    said = Path("log.txt").read_text()
    assert not words(said)
    assert "--token-file" in said


def test_a_terminal_is_shown_the_token_once(folder):
    terminal, stderr = pty.openpty()
    with started(stderr) as is_valid:
        (token,) = words(os.read(terminal, 4096).decode())
        assert is_valid(token)
    with started(stderr) as is_valid:
        assert is_valid(token)
    assert not words(os.read(terminal, 4096).decode())
    os.close(terminal)
    os.close(stderr)


def test_it_starts_quickly(tmp_path):
    def cpu_seconds():
        before = os.times()
        with Serving(tmp_path) as server:
            server.kill()  # as soon as it listens
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    assert median(cpu_seconds() for _ in range(3)) < 2
