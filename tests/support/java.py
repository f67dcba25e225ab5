"""Java, which the tests of Spark need and pip does not bring."""

import os

import pytest

from privet.bulk.spark.session import check_java
from privet.errors import SparkFailure

# For processes that live for seconds: no time is spent on making their code fast.
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def need_java():
    """Skip a test where there is no Java that Spark can use; where CI is, fail."""
    os.environ["SPARK_SUBMIT_OPTS"] = BRIEF
    try:
        check_java()
    except SparkFailure as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
