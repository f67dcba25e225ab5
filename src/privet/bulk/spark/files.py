"""Reports in Parquet files, wherever Spark can read and write."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ...analysis.columns import arrow
from ...analysis.tally import Tally
from ...device.contract import Contract, E
from ...errors import InvalidArgument, InvalidFile
from ..paths import OnePath, Paths
from ..provenance import SPARK_KEY, SURVEY_KEY, column_note
from ..reports import check_schema
from ..seals import sealed_parts
from .java import java_of
from .session import active, reason, running, session
from .tallying import quoted, select_reports, tally_groups

if TYPE_CHECKING:  # which is not installed everywhere
    from pyspark.sql import DataFrame, SparkSession

# A column as Parquet's schemas are printed: its type, with a length or not, name, and meaning.
_COLUMN = re.compile(r"^  \w+ (\w+)(?:\((\d+)\))? (.*?)(?: \((.*)\))?(?: = \d+)?(?:;| {)$")
_FOOTERS_AT_A_TIME = 16
_VERIFY = "parquet.page.verify-checksum.enabled"


def write_reports(
    frame: DataFrame, path: OnePath, survey: Contract, *, mode: str = "error"
) -> None:
    """Write a frame of reports, and its other columns in the clear, to a folder of Parquet files.

    `mode` is Spark's: "error" where there is something already, "append" or "overwrite".
    `privet estimate` reads the folder, on one machine or on many.
    """
    select_reports(frame, "write_reports", ())
    described = frame.withColumn(
        "report", quoted("report").alias("report", metadata=column_note(survey))
    )
    path = os.fspath(path)
    with running(path):
        # Reports are random bytes, which nothing can shorten.
        writer = described.write.mode(mode).option("compression", "none")
        writer.option("parquet.enable.dictionary#report", "false").parquet(path)


def read_reports(
    spark: SparkSession, paths: Paths, survey: Contract, *, by: Sequence[str] = ()
) -> DataFrame:
    """Return the frame of the reports in Parquet files, folders and patterns, local or remote.

    Before any of them is counted, the driver reads the footer of every file, in the way that Spark
    reaches it. Refused are a file without a column of reports, one that says it belongs to another
    survey, and one that lacks a column of `by` which others have. A file that names no survey is
    taken as one of this.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    names = [os.fspath(path) for path in several]  # a Path would spoil the // of a URL
    if not names:
        raise InvalidArgument("read_reports", "paths", "at least one", paths)
    with running(", ".join(names)):
        frame = spark.read.option(_VERIFY, "true").parquet(*names)
        files = frame.inputFiles()
        with ThreadPoolExecutor(_FOOTERS_AT_A_TIME) as threads:
            schemas = list(threads.map(_Footers(spark, survey).read, files))
    # A folder's name may give a column to the files in it, as in country=DE.
    inside = [name for name in by if any(name in schema.names for schema in schemas)]
    for file, schema in zip(files, schemas, strict=True):
        check_schema(file, schema, survey, inside)
    return frame


def tally_paths(
    paths: Paths, survey: Contract[E], *, by: Sequence[str] = (), master: str | None = None
) -> dict[tuple[Any, ...], Tally[E]]:
    """Return one tally for each group of the reports in files, as `privet.bulk.tally_groups` does.

    The keys are the values of the columns `by` as text, None where one is missing. Without columns
    there is one group, with the key (). A session that is started for this is stopped again.
    """
    before = active()
    spark = session(master)
    try:
        frame = read_reports(spark, paths, survey, by=by)
        for name in by:
            if frame.columns.count(name) == 1:
                frame = frame.withColumn(name, quoted(name).cast("string"))
        return tally_groups(frame, survey, by)
    finally:
        if before is None:
            spark.stop()


class _Footers:
    """Reads the columns and metadata of Parquet files through Java, as far as reports go."""

    def __init__(self, spark: SparkSession, survey: Contract) -> None:
        self._java = java_of(spark)
        context = self._java.org.apache.spark.SparkContext.getOrCreate()
        self._configuration = context.hadoopConfiguration()
        # A survey can be long: where it is the same, it stays with Java.
        self._key, self._text = SURVEY_KEY.decode(), survey.to_json()
        self._same = self._java.java.util.HashMap()
        self._same.put(self._key, self._text)

    def read(self, file: str) -> Any:
        """Return a file's columns and metadata as an Arrow schema."""
        java, parquet = self._java, self._java.org.apache.parquet.hadoop
        path = java.org.apache.hadoop.fs.Path(java.java.net.URI(file))
        source = parquet.util.HadoopInputFile.fromPath(path, self._configuration)
        try:
            reader = parquet.ParquetFileReader.open(source)
        except Exception as error:
            what = "not a Parquet file of reports, or a damaged one"
            raise InvalidFile(f"{file}: {what}: {reason(error)}") from None
        try:
            self._check_seal(file, source)
            footer = reader.getFooter().getFileMetaData()
            columns, metadata = footer.getSchema().toString(), footer.getKeyValueMetaData()
            same = metadata.entrySet().containsAll(self._same.entrySet())
            texts = {
                SURVEY_KEY: self._text if same else metadata.get(self._key),
                SPARK_KEY: metadata.get(SPARK_KEY.decode()),
            }
        finally:
            reader.close()
        return arrow().schema(
            [
                _field(*found.groups())
                for line in columns.split("\n")
                if (found := _COLUMN.match(line))
            ],
            metadata={key: text for key, text in texts.items() if text is not None},
        )

    def _check_seal(self, file: str, source: Any) -> None:
        """Refuse a file whose footer does not fit its seal, of which little leaves Java."""
        zipped = self._java.java.util.zip
        stream = source.newStream()

        def read(place: int, length: int) -> bytes:
            stream.seek(place)
            return bytes(stream.readNBytes(length))

        def crc_of(place: int, length: int) -> int:
            stream.seek(place)
            checked = zipped.CheckedInputStream(stream, zipped.CRC32())
            checked.skipNBytes(length)
            return int(checked.getChecksum().getValue())

        try:
            sealed_parts(file, source.getLength(), read, crc_of)
        finally:
            stream.close()


def _field(kind: str, length: str | None, name: str, meaning: str | None) -> Any:
    pa = arrow()
    kinds = {"fixed_len_byte_array": pa.binary(int(length or 0)), "binary": pa.binary()}
    kinds |= {"int32": pa.int32(), "int64": pa.int64(), "boolean": pa.bool_()}
    plain = pa.string() if meaning in ("STRING", "UTF8") else kinds.get(kind, pa.null())
    return pa.field(name, plain)
