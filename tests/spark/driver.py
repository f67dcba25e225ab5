"""A program that randomizes and counts on a cluster, and waits for what is done to it meanwhile.

python driver.py MASTER FOLDER
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


def hold(spark, survey, folder):
    """Randomize answers, count the reports, and count them again when there is leave."""
    frame = spark.range(200, numPartitions=4).selectExpr("concat('c', id % 20) answer")
    reports = randomize(frame, survey)
    assert tally(reports, survey) == tally(reports, survey)
    (folder / "held").touch()
    wait_for(folder / "count_again")
    try:
        tally(reports, survey)
    except SparkFailure as error:
        (folder / "failure.new").write_text(str(error))
        (folder / "failure.new").rename(folder / "failure")


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
            wait_for(folder / "count")
        yield from batches

    with quiet():
        slow = frame.mapInArrow(slowly, frame.schema)
    found = tally(slow, survey)
    (folder / "tally").write_bytes(found.to_bytes())


def main():
    master, folder = sys.argv[1:]
    options = f"{os.environ['SPARK_SUBMIT_OPTS']} -Djava.io.tmpdir={folder}"
    settings = {
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": options,
        "spark.sql.files.minPartitionNum": "8",
        "spark.sql.shuffle.partitions": "4",
    }
    folder = Path(folder)
    survey = Survey.from_json((folder / "survey.json").read_text())
    spark = session(master, **settings)
    hold(spark, survey, folder)
    count(spark, survey, folder)
    spark.stop()


if __name__ == "__main__":
    main()
