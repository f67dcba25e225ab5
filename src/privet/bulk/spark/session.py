"""A Spark session, and what Spark raises turned into what privet raises.

PySpark brings Spark along but not Java, which it starts with a module that some runtimes are
shipped without. Both are checked first, because without them Spark fails in a shell's words.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from ...errors import InvalidArgument, InvalidFile, MissingExtra, PrivetError, SparkFailure
from ...errors.extras import require

if TYPE_CHECKING:  # which is not installed everywhere
    from pyspark.sql import SparkSession

_JAVA, _MODULE = 17, "jdk.incubator.vector"
_INSTALL = "on Debian: apt install openjdk-17-jre-headless"
_SETTINGS = {
    "spark.app.name": "privet",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Reports of large surveys are long: bytes, not rows, are what a batch is measured by.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(1 << 24),
}
# Python's words in an executor, of which Spark passes on the text alone.
_MISSING = re.compile(r"^ModuleNotFoundError: No module named '(privet|pyarrow|numpy)", re.M)
# On one machine, nothing listens where others could reach it.
_LOCAL_SETTINGS = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def session(master: str | None = None, **settings: Any) -> SparkSession:
    """Return the active session, or start one that keeps its log to itself.

    Parameters
    ----------
    master : str, optional
        Where to run, such as "local[4]" or "spark://host:7077"; by default every core of this
        machine, or the master that spark-submit was given.
    **settings
        Spark's settings for a session that is started, such as
        `**{"spark.executor.memory": "4g"}`.

    """
    with quiet():
        found = active()
        if found is None:
            check_java()
            found = _start(master, settings)
    if master is not None and found.conf.get("spark.master") != master:
        rule = f"that of the active session, {found.conf.get('spark.master')!r}"
        raise InvalidArgument("session", "master", rule, master)
    return found


def active() -> SparkSession | None:
    """Return the session of this process, in whichever thread it was started, or None."""
    sessions, errors = pyspark("sql").SparkSession, pyspark("errors")
    try:
        sessions.active()
    except errors.PySparkRuntimeError:
        return None
    return sessions.builder.getOrCreate()  # the same, unless its context was stopped


def pyspark(submodule: str = "") -> Any:
    """Return pyspark or one of its submodules."""
    package = f"pyspark.{submodule}" if submodule else "pyspark"
    return require(package, "spark", "Counting on a cluster")


def check_java() -> None:
    """Raise SparkFailure unless there is a Java that Spark can start with."""
    needs = f"Spark needs Java {_JAVA} or newer with the module {_MODULE}"
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if java is None:
        where = f"in JAVA_HOME, which is {home}" if home else "on the PATH"
        raise SparkFailure(f"{needs}: there is no java {where}; {_INSTALL}")
    command = [java, "--list-modules"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    base = re.search(r"^java\.base@(\d+)", done.stdout, re.MULTILINE)
    if base is None or int(base[1]) < _JAVA:
        found = f"of version {base[1]}" if base else "older than version 9, or broken"
        raise SparkFailure(f"{needs}: {java} is {found}; {_INSTALL}")
    if not re.search(rf"^{re.escape(_MODULE)}@", done.stdout, re.MULTILINE):
        raise SparkFailure(f"{needs}: {java} is without it; {_INSTALL}")


def _start(master: str | None, settings: dict[str, Any]) -> Any:
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ  # spark-submit has chosen, and started Java
    if master is None and not submitted:
        master = "local[*]"
    local = master is not None and master.startswith("local")
    chosen = _SETTINGS | (_LOCAL_SETTINGS if local else {})
    if master is not None:
        chosen["spark.master"] = master
    conf = pyspark().SparkConf().setAll((chosen | settings).items())
    with TemporaryFile() as log:
        try:
            with _errors_to(log):
                started = pyspark("sql").SparkSession.builder.config(conf=conf).getOrCreate()
        except Exception as error:
            log.seek(0)
            lines = log.read().decode(errors="replace").split("\n")
            said = next((line for line in lines if "Exception" in line), reason(error))
            raise SparkFailure(f"Spark did not start: {said.strip()}") from error
    if local and "PYSPARK_PYTHON" not in os.environ:
        # Spark's own choice is whatever python3 the PATH has. Not by the environment, where a later
        # session would find it, on a cluster that has no such file.
        started.sparkContext.pythonExec = sys.executable
    return started


@contextmanager
def _errors_to(log: IO[bytes]) -> Iterator[None]:
    """Send standard error to a file: a Java that is started in the block writes there for good."""
    kept = os.dup(2)
    try:
        os.dup2(log.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


# --- failures -------------------------------------------------------------------------------------


@contextmanager
def quiet() -> Iterator[None]:
    """Keep PySpark from warning of a new pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


@contextmanager
def running(what: str) -> Iterator[None]:
    """Turn whatever Spark raises into one line: InvalidFile, MissingExtra or SparkFailure.

    The error's cause is what Spark said at length.
    """
    from py4j.protocol import Py4JError  # PySpark's way to Java, installed with it

    errors = pyspark("errors")
    try:
        with quiet():
            yield
    except (errors.PySparkException, Py4JError, ConnectionError, EOFError) as error:
        raise _translated(what, error) from error


def _translated(what: str, error: BaseException) -> PrivetError:
    short = reason(error)
    if isinstance(error, pyspark("errors").PythonException) and _MISSING.search(str(error)):
        return MissingExtra("The Python of Spark's executors", "privet", "privet[spark]")
    for condition, parameters in _conditions(error):
        match condition.partition(".")[0]:
            case "FAILED_READ_FILE":
                file = parameters["path"]
                return InvalidFile(f"{file}: not a Parquet file of reports, or a damaged one.")
            case "UNABLE_TO_INFER_SCHEMA":
                return InvalidFile(f"{what}: there are no Parquet files.")
            case "PATH_NOT_FOUND" | "PATH_ALREADY_EXISTS":
                return InvalidFile(short)
            case "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND":
                return SparkFailure(
                    f"{what}: an executor was lost with the reports that it held; they are not "
                    "drawn again, because a second report of an answer would reveal more of it."
                )
    return SparkFailure(f"{what}: {short}")


def _conditions(error: BaseException) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield Spark's names for an error and its causes, with what each says of this case."""
    from py4j.protocol import Py4JError

    if isinstance(error, pyspark("errors").PySparkException):
        yield error.getCondition() or "", error.getMessageParameters() or {}
    cause = getattr(error, "java_exception", None)
    while cause is not None:
        with suppress(Py4JError):  # an exception of Java's own has no such name
            yield cause.getCondition() or "", cause.getMessageParameters()
        cause = cause.getCause()


def reason(error: BaseException) -> str:
    """Return what an exception of Spark says, in one line."""
    java = getattr(error, "java_exception", None)
    said = str(java.getMessage() if java is not None else error).strip()
    lines = said.split("\n")
    line = lines[-1 if "Traceback (most recent call last)" in said else 0].strip()
    return re.sub(r"^\[[A-Z_.]+\] | SQLSTATE: \w+$", "", line) or type(error).__name__
