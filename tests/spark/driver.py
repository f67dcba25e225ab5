"""A program that counts or randomizes on a cluster, and waits for what is done to it meanwhile.

python driver.py count|hold MASTER FOLDER
"""

import os
import sys
import time
from pathlib import Path

from privet import Survey
from privet.bulk.spark import randomize, read_reports, session, tally
from privet.bulk.spark.session import quiet
from privet.errors import SparkFailure


def wait_for(path):
    deadline = time.monotonic() + 600
    while not path.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(path)
        time.sleep(0.05)


def count(spark, survey, folder):
    """Count reports; the task of the last partition says who runs it, and waits for leave."""
    frame = read_reports(spark, str(folder / "reports"), survey)
    last = frame.rdd.getNumPartitions() - 1

    def slowly(batches):
        from pyspark import TaskContext

        if TaskContext.get().partitionId() == last:
            note = folder / f"running.{os.getpid()}"
            note.with_suffix(".new").write_text(str(os.getppid()))
            note.with_suffix(".new").rename(note)
            wait_for(folder / "go")
        yield from batches

    with quiet():
        slow = frame.mapInArrow(slowly, frame.schema)
    found = tally(slow, survey)
    (folder / "tally").write_bytes(found.to_bytes())


def hold(spark, survey, folder):
    """Randomize answers, count the reports, and count them again when there is leave."""
    frame = spark.range(200, numPartitions=4).selectExpr("concat('c', id % 20) answer")
    reports = randomize(frame, survey)
    assert tally(reports, survey) == tally(reports, survey)
    (folder / "held").touch()
    wait_for(folder / "go")
    try:
        tally(reports, survey)
    except SparkFailure as error:
        (folder / "failure").write_text(str(error))


def main():
    what, master, folder = sys.argv[1:]
    options = f"-XX:TieredStopAtLevel=1 -Djava.io.tmpdir={folder}"
    settings = {
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": options,
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.files.minPartitionNum": "8",
        "spark.sql.shuffle.partitions": "4",
    }
    folder = Path(folder)
    survey = Survey.from_json((folder / "survey.json").read_text())
    spark = session(master, **settings)
    {"count": count, "hold": hold}[what](spark, survey, folder)
    spark.stop()


if __name__ == "__main__":
    main()
