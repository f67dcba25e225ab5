"""The objects of Java behind PySpark's, which have no public names: this module alone uses others.

Without them, a driver could not read the footers of files wherever Spark reaches them, nor release
a checkpoint before Java's garbage collector does.
"""

from __future__ import annotations

from typing import Any

__all__ = ["java_of", "release"]


def java_of(session: Any) -> Any:
    """Return the classes of Java that the driver of a session has, as attributes."""
    return session._jvm


def release(checkpoint: Any) -> None:
    """Let the executors forget the rows of a frame that `localCheckpoint` returned."""
    checkpoint._jdf.queryExecution().analyzed().rdd().unpersist(False)
