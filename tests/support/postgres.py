"""A real PostgreSQL for tests, which pip does not bring: a server in a folder of its own."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

DEBIAN = Path("/usr/lib/postgresql")
_NUMBERS = count()


def need_postgres():
    """Return PostgreSQL's folder of programs; where there is none, skip the test, or fail in CI."""
    found = shutil.which("postgres")
    folders = [Path(found).parent] if found else sorted(DEBIAN.glob("*/bin"))
    if not folders:
        reason = "There is no postgres; on Debian: apt install postgresql"
        assert os.environ.get("CI") != "true", reason
        pytest.skip(reason)
    return folders[-1]


class Server:
    """A server that listens on a socket in its own folder, and trusts whoever gets there."""

    def __init__(self):
        self._programs = need_postgres()
        # Short, as the path of a socket must be; and not root's, as root may not run a server.
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))
        self._as = {}
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        data = str(self.folder / "data")
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def _run(self, program, *args):
        nowhere = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        command = [self._programs / program, *args]
        subprocess.run(command, cwd=self.folder, check=True, **nowhere, **self._as)

    def start(self):
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=60"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-l", log, "-w", "-o", options, "start")

    def stop(self, mode="fast"):
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", mode, "stop")

    def freeze(self):
        """Stop all its processes, as a host does that swaps or a network that drops everything."""
        self._signal(signal.SIGSTOP)

    def thaw(self):
        self._signal(signal.SIGCONT)

    def _signal(self, number):
        first = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
        os.kill(int(first), number)  # which starts no more
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                if fields[1] == first:
                    os.kill(int(stat.parent.name), number)

    def remove(self):
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def url(self, database="postgres"):
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def new_database(self):
        """Return the URL of an empty database."""
        import psycopg

        name = f"test{next(_NUMBERS)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)
