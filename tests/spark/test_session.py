"""Where Spark cannot run, one line says what is missing; where it can, it is quiet."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from privet.bulk.spark import session
from privet.errors import InvalidArgument, MissingExtra, SparkFailure
from refusing import assert_names, refused

MODULES = "java.base@{version}\njava.desktop@{version}\n"


@pytest.fixture
def fake_java(tmp_path, monkeypatch):
    """Return a way to have a java on the PATH that lists these modules."""
    from privet.bulk.spark.session import check_java

    def check(modules, status=0):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "java").write_text(f"#!/bin/sh\ncat <<END\n{modules}END\nexit {status}\n")
        (folder / "java").chmod(0o755)
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        check_java()

    return check


INSTALL = "openjdk-17-jre-headless"


def test_a_java_that_will_do(fake_java):
    fake_java(MODULES.format(version="17.0.15") + "jdk.incubator.vector@17.0.15\n")
    fake_java(MODULES.format(version="25") + "jdk.incubator.vector@25\n")


def test_a_java_that_is_too_old(fake_java):
    with refused(SparkFailure, "Java 17", "/java", "version 11", INSTALL):
        fake_java(MODULES.format(version="11.0.2") + "jdk.incubator.vector@11\n")
    with refused(SparkFailure, "Java 17", "/java", "version 9", INSTALL):
        fake_java("Unrecognized option: --list-modules\n", status=1)


def test_a_java_without_the_module(fake_java):
    with refused(SparkFailure, "jdk.incubator.vector", "/java", INSTALL):
        fake_java(MODULES.format(version="17.0.15"))


def test_no_java(tmp_path, monkeypatch):
    from privet.bulk.spark.session import check_java

    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with refused(SparkFailure, "no java", "PATH", INSTALL):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with refused(SparkFailure, "no java", "JAVA_HOME", tmp_path, INSTALL):
        check_java()


def run(code, **environment):
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=600, env={**os.environ, **environment}
    )


def test_the_check_comes_first(tmp_path):
    code = (
        "from privet.bulk.spark import session\n"
        "from privet.errors import SparkFailure\n"
        "try: session('local[1]')\n"
        "except SparkFailure as error: print(error)\n"
    )
    done = run(code, PATH=str(tmp_path), JAVA_HOME="")
    assert (done.returncode, done.stderr) == (0, "")
    assert_names(done.stdout.removesuffix("\n"), "Java 17")


def test_no_pyspark(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with refused(MissingExtra, "pyspark", "'privet[spark]'"):
        session()


def test_privet_itself_does_not_import_pyspark():
    code = "import privet.bulk.spark, sys; sys.exit('pyspark' in sys.modules)"
    assert run(code).returncode == 0


def test_a_session_has_the_settings_that_were_asked_for_and_few_of_its_own(spark):
    """That it is started without a word, the example of a lake shows."""
    found = {name: spark.conf.get(f"spark.{name}") for name in ("app.name", "ui.enabled")}
    assert found == {"app.name": "two cores", "ui.enabled": "false"}
    assert "PYSPARK_PYTHON" not in os.environ


def test_the_active_session_is_taken(spark):
    assert session() is spark
    assert session("local[2]") is spark
    with ThreadPoolExecutor(1) as other:
        assert other.submit(session).result() is spark
    with refused(InvalidArgument, "'local[2]'", parameter="master", value="spark://x:1"):
        session("spark://x:1")


def test_a_master_that_is_not_there(java):
    code = (
        "from privet.bulk.spark import session\n"
        "from privet.errors import SparkFailure\n"
        "try: session('spork://nowhere:1')\n"
        "except SparkFailure as error: print(error)\n"
    )
    done = run(code)
    assert_names(done.stdout.removesuffix("\n"), "Spark")
    assert "spork" in done.stdout or "Master" in done.stdout


def test_a_session_is_started_again_without_a_word_and_standard_error_is_given_back(java):
    code = (
        "import sys\n"
        "from privet.bulk.spark import session\n"
        "for stop in ('session.stop()', 'session.sparkContext.stop()', ''):\n"
        "    started = session('local[1]')\n"
        "    print(started.range(3).count())\n"
        "    exec(stop, {'session': started})\n"
        "sys.stderr.write('mine')\n"
    )
    done = run(code)
    assert (done.stdout, done.stderr) == ("3\n3\n3\n", "mine")
