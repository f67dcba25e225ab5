"""The known sizes of groups, from files."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.bulk import read_known
from privet.errors import InvalidFile


def written(tmp_path, text):
    path = Path(tmp_path, "known.csv")
    path.write_text(text)
    return path


def test_shares_and_people(tmp_path):
    path = written(tmp_path, "region,share\nnorth,0.25\nsouth,75e-2\n")
    assert read_known(path, ["region"]) == {("north",): 0.25, ("south",): 0.75}
    path = written(tmp_path, "people,sex,age\n10,f,1.0\n3.0,m,1\n")
    known = read_known(path, ["age", "sex"])
    assert known == {("1", "f"): 10, ("1", "m"): 3}
    assert all(isinstance(size, int) for size in known.values())
    table = pa.table({"age": [1.0, None], "people": [5, 6], "more": ["a", "b"]})
    parquet.write_table(table, tmp_path / "known.parquet")
    assert read_known(tmp_path / "known.parquet", ["age"]) == {("1",): 5, (None,): 6}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("region,size\na,1\n", "no column 'share'; the columns are 'region', 'size'"),
        ("share\n1\n", "no column 'region'"),
        ("region,share,people\na,1,1\n", "both 'share' and 'people'"),
        ("region,share\na,.5\na,.5\n", "row 2 (3 with the header): the group a is there twice"),
        (
            "region,share\na,.5\nb,half\n",
            "(3 with the header): 'share' must be a number > 0.",
        ),
        ("region,share\na,0\n", "Got '0' instead"),
        ("region,share\na,nan\n", "Got 'nan' instead"),
        ("region,share\na,\n", "Got '' instead"),
        (
            "region,people\na,1.5\n",
            "'people' must be a whole number from 1 to 10,0",
        ),
        ("region,people\na,inf\n", "Got 'inf' instead"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, said):
    with pytest.raises(InvalidFile) as error:
        read_known(written(tmp_path, text), ["region"])
    assert said in str(error.value)
