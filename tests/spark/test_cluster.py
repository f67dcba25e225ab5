"""A master, two workers and their executors, some of which are killed in the middle of the work."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from java import BRIEF
from privet import Survey
from privet.bulk import ReportsWriter, tally_files
from refusing import assert_names

SURVEY = Survey("?", [f"c{i}" for i in range(20)], 1.0)


def eventually(what, deadline=600):
    """Return the first true result of a call that is made again and again."""
    end = time.monotonic() + deadline
    while not (found := what()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)
    return found


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def children(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True)
    return [int(child) for child in listed.stdout.split()]


class Cluster:
    """A standalone master and its workers, as processes of this machine."""

    def __init__(self, folder):
        import pyspark

        self._folder = folder
        self._home = Path(pyspark.__file__).parent
        self.environment = {
            **os.environ,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": f"{BRIEF} -Djava.io.tmpdir={folder}",
            "SPARK_LOCAL_DIRS": str(folder),  # those who are killed do not tidy up
            "PYSPARK_PYTHON": sys.executable,
        }
        self._processes = []
        master = self._start("master.Master", "--port", "0")
        self.master = self._said(master, r"Starting Spark master at (spark://\S+)")
        self.workers = [
            self._start("worker.Worker", "--cores", "1", "--memory", "600m",
                        "--work-dir", str(folder / "work"), self.master)
            for _ in range(2)
        ]  # fmt: skip
        for worker in self.workers:
            self._said(worker, "Successfully registered with (master)")

    def stop(self):
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def _start(self, name, *options):
        log = (self._folder / f"{len(self._processes)}.log").open("wb")
        command = [self._home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}",
                   "--host", "127.0.0.1", "--webui-port", "0", *options]  # fmt: skip
        with log:
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=self.environment
            )
        self._processes.append(process)
        return process

    def _said(self, process, pattern):
        log = self._folder / f"{self._processes.index(process)}.log"

        def look():
            assert process.poll() is None, log.read_text()
            return re.search(pattern, log.read_text())

        return eventually(look)[1]


@pytest.fixture
def cluster(java, tmp_path):
    cluster = Cluster(tmp_path)
    try:
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def driver(cluster, tmp_path):
    """The program of driver.py, running on the cluster."""
    (tmp_path / "survey.json").write_text(SURVEY.to_json())
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("driver.py"), cluster.master, tmp_path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cluster.environment,
    )  # fmt: skip
    yield process
    process.kill()
    process.communicate()


def test_machines_that_die_in_the_middle(cluster, driver, tmp_path):
    (tmp_path / "reports").mkdir()
    rng = np.random.default_rng(1)
    files = [tmp_path / "reports" / f"{i}.parquet" for i in range(8)]
    for file in files:
        with ReportsWriter(file, SURVEY) as writer:
            writer.write(SURVEY.mechanism.randomize(rng.integers(0, 20, 500)))

    def until(pattern):
        def look():
            assert driver.poll() is None, driver.stderr.read()
            return list(tmp_path.glob(pattern))

        return eventually(look)[0]

    # Reports that executors hold and lose are not drawn again: that would be another report.
    until("held")
    eventually(lambda: all(children(worker.pid) for worker in cluster.workers))
    for worker in cluster.workers:
        for executor in children(worker.pid):
            os.kill(executor, signal.SIGKILL)
    (tmp_path / "count_again").touch()
    said = until("failure").read_text()
    assert_names(said, "executor")

    # A machine that dies while it counts does not change the tally.
    daemon = int(until("running.*[0-9]").read_text())  # the parent of the task's Python
    executor = parent(daemon)
    worker = parent(executor)
    assert worker in [process.pid for process in cluster.workers]
    os.kill(worker, signal.SIGKILL)  # first, so that it starts no other executor
    os.kill(executor, signal.SIGKILL)
    (tmp_path / "count").touch()
    assert driver.communicate(timeout=600) == ("", "")
    assert driver.returncode == 0
    assert len(list(tmp_path.glob("running.*"))) == 2  # the last partition was counted again
    assert (tmp_path / "tally").read_bytes() == tally_files(files, SURVEY).to_bytes()
