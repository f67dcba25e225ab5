"""A master, two workers and their executors, some of which are killed in the middle of the work."""

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from privet import Survey
from privet.bulk import ReportsWriter, tally_files

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
            "SPARK_DAEMON_JAVA_OPTS": f"-XX:TieredStopAtLevel=1 -Djava.io.tmpdir={folder}",
            "SPARK_LOCAL_DIRS": str(folder),  # those who are killed do not tidy up
            "PYSPARK_PYTHON": sys.executable,
        }
        self._processes = []
        self.workers = []
        master = self._start("master.Master", "--port", "0")
        self.master = self._said(master, r"Starting Spark master at (spark://\S+)")

    def fill(self):
        """See to it that there are two workers."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        new = [
            self._start("worker.Worker", "--cores", "1", "--memory", "600m",
                        "--work-dir", str(self._folder / "work"), self.master)
            for _ in range(2 - len(self.workers))
        ]  # fmt: skip
        for worker in new:
            self._said(worker, "Successfully registered with (master)")
        self.workers += new

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


@pytest.fixture(scope="module")
def running(java, tmp_path_factory):
    """A cluster, only one at a time however many processes run tests."""
    with (tmp_path_factory.getbasetemp().parent / "spark-cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cluster = Cluster(tmp_path_factory.mktemp("cluster"))
        try:
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture
def cluster(running):
    running.fill()
    return running


@pytest.fixture
def drive(cluster, tmp_path):
    """Return a way to start a program on the cluster, and to wait for its end."""
    (tmp_path / "survey.json").write_text(SURVEY.to_json())
    started = []

    def start(what):
        command = [sys.executable, Path(__file__).with_name("driver.py"), what]
        process = subprocess.Popen(
            [*command, cluster.master, tmp_path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=cluster.environment,
        )  # fmt: skip
        started.append(process)

        def finish():
            stdout, stderr = process.communicate(timeout=600)
            assert process.returncode == 0, stderr
            return stdout, stderr

        def until(pattern):
            def look():
                assert process.poll() is None, process.stderr.read()
                return list(tmp_path.glob(pattern))

            return eventually(look)[0]

        return until, finish

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_machine_that_dies_in_the_middle_does_not_change_the_tally(cluster, drive, tmp_path):
    (tmp_path / "reports").mkdir()
    rng = np.random.default_rng(1)
    files = [tmp_path / "reports" / f"{i}.parquet" for i in range(8)]
    for file in files:
        with ReportsWriter(file, SURVEY) as writer:
            writer.write(SURVEY.mechanism.randomize(rng.integers(0, 20, 500)))
    until, finish = drive("count")
    daemon = int(until("running.*[0-9]").read_text())  # the parent of the task's Python
    executor = parent(daemon)
    worker = parent(executor)
    assert worker in [process.pid for process in cluster.workers]
    os.kill(worker, signal.SIGKILL)  # first, so that it starts no other executor
    os.kill(executor, signal.SIGKILL)
    (tmp_path / "go").touch()
    assert finish() == ("", "")
    assert len(list(tmp_path.glob("running.*"))) == 2  # the last partition was counted again
    assert (tmp_path / "tally").read_bytes() == tally_files(files, SURVEY).to_bytes()


def test_reports_that_are_lost_are_not_drawn_again(cluster, drive, tmp_path):
    until, finish = drive("hold")
    until("held")
    eventually(lambda: all(children(worker.pid) for worker in cluster.workers))
    for worker in cluster.workers:
        for executor in children(worker.pid):
            os.kill(executor, signal.SIGKILL)
    (tmp_path / "go").touch()
    assert finish() == ("", "")
    said = (tmp_path / "failure").read_text()
    assert said.startswith("Counting: an executor was lost with the reports that it held; they are")
    assert "\n" not in said
