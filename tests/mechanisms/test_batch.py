"""Whole batches: the compiled loops against the single-report path and the naive twins."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import naive
import privet
from privet.entropy import Stream, seeded
from privet.errors import InvalidArgument, InvalidReport
from privet.mechanisms import BinaryRR, KSubset, MultivariateRR

DOMAINS = [2, 3, 4, 5, 7, 8, 9, 16, 17, 63, 64, 65, 100, 256, 257, 258, 1000, 4097]


def mechanisms(d):
    yield from (KSubset(d, 1.0), MultivariateRR(d, 1.0), BinaryRR(d, 1.0), KSubset(d, 0.01))
    if d > 2:
        yield from (KSubset(d, 5.0, k) for k in {1, 2, d // 3 or 1, d // 2, d - 2, d - 1})


def reports_one_by_one(mechanism, values, seed):
    stream = Stream(seeded(seed).keystream().read, 64)
    return [mechanism.sample(int(value), stream) for value in values]


@pytest.mark.parametrize("d", [*DOMAINS, 70_000])
def test_the_same_bytes_give_the_same_reports_as_one_by_one(d):
    values = np.random.default_rng(d).integers(0, d, 50 if d < 5000 else 4)
    for seed, mechanism in enumerate(mechanisms(d)):
        batch = mechanism.randomize(values, entropy=seeded(seed))
        assert [row.tobytes() for row in batch] == reports_one_by_one(mechanism, values, seed)


@pytest.mark.parametrize("d", [d for d in DOMAINS if d <= 1000])
def test_counts_are_the_naive_counts(d):
    values = np.random.default_rng(d).integers(0, d, 40)
    for mechanism in mechanisms(d):
        reports = mechanism.randomize(values, entropy=seeded(1))
        counts = mechanism.tally(reports)
        assert counts.dtype == np.int64
        assert counts.tolist() == naive.tally(reports, d, getattr(mechanism, "k", None))
        assert mechanism.tally([row.tobytes() for row in reports]).tolist() == counts.tolist()
        assert mechanism.tally(reports[:0]).tolist() == [0] * d


def test_reports_do_not_depend_on_the_number_of_workers():
    values = np.arange(700_000) % 64
    mechanism = KSubset(64, 1.0)
    one, two, five = (
        mechanism.randomize(values, entropy=seeded(3), workers=workers) for workers in (1, 2, 5)
    )
    assert np.array_equal(one, two)
    assert np.array_equal(one, five)


def test_an_entropy_never_repeats_itself():
    mechanism, source = KSubset(64, 1.0), seeded(3)
    values = np.zeros(100, dtype=np.int64)
    first, second = (mechanism.randomize(values, entropy=source) for _ in range(2))
    assert not (first == second).all(axis=1).any()
    assert not np.array_equal(mechanism.randomize(values), mechanism.randomize(values))


def test_chunks_have_streams_of_their_own():
    mechanism = KSubset(1000, 1.0)
    reports = mechanism.randomize(np.zeros(20_000, dtype=np.int64), entropy=seeded(3))
    assert len(np.unique(reports, axis=0)) == len(reports)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, 4], r"'values\[1\]' parameter of KSubset must be in \[0, 3\]. Got 4 instead."),
        ([-1], r"'values\[0\]' parameter of KSubset must be in \[0, 3\]. Got -1 instead."),
        ([0.0], "must be an array of integers. Got 'dtype float64'"),
        (["a"], "must be an array of integers"),
        ([[0]], "must be one-dimensional"),
        (0, "must be one-dimensional"),
    ],
)
def test_bad_values_are_named(values, message):
    with pytest.raises(InvalidArgument, match=message):
        KSubset(4, 1.0).randomize(values)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_bad_workers_are_named(workers):
    with pytest.raises(InvalidArgument, match="'workers' parameter of KSubset must be an int >= 1"):
        KSubset(4, 1.0).randomize([0], workers=workers)


def test_no_answers_give_no_reports():
    assert KSubset(100, 1.0).randomize([]).shape == (0, 13)


def test_reports_of_the_wrong_shape_are_refused():
    mechanism = KSubset(20, 1.0, k=6)
    good = mechanism.randomize([1, 2, 3])
    for bad, message in [
        (good[:, :2], r"uint8 of shape \(n, 3\). Got uint8 of shape \(3, 2\)"),
        (good.astype(np.int64), r"Got int64 of shape \(3, 3\)"),
        (good[0], r"Got uint8 of shape \(3,\)"),
        (b"\x01\x02", "^A report of this survey has 3 bytes. Got 2."),
        ([good[0].tobytes(), b""], r"^reports\[1\]: A report of this survey has 3 bytes. Got 0."),
        (["abc"], r"^reports\[0\]: A report is bytes. Got str."),
    ]:
        with pytest.raises(InvalidReport, match=message):
            mechanism.tally(bad)


def test_the_first_bad_row_of_a_long_batch_is_named():
    mechanism = KSubset(64, 1.0)
    reports = mechanism.randomize(np.zeros(300_000, dtype=np.int64))
    reports[271_828] = 255
    with pytest.raises(InvalidReport, match=r"reports\[271828\].*17 members. Got 64.") as caught:
        mechanism.check(reports)
    assert caught.value.row == 271_828


def test_kernels_work_where_no_cache_can_be_written(tmp_path):
    """Where neither the package's folder nor the home folder takes files, even from root."""
    package = tmp_path / "privet"
    shutil.copytree(Path(privet.__file__).parent, package, ignore=shutil.ignore_patterns("__py*"))
    nowhere = package / "kernels" / "__pycache__"
    nowhere.write_text("a file, so no folder can be made here")
    code = (
        "import privet.kernels.sampling as kernels\n"
        "from privet.mechanisms import KSubset\n"
        f"assert kernels.__file__.startswith({str(tmp_path)!r})\n"
        "assert KSubset(10, 1.0).randomize([1, 2]).shape == (2, 2)\n"
        "assert 'Null' in type(kernels.fill_bitmaps._cache).__name__\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "HOME": str(nowhere)}
    environment |= {"XDG_CACHE_HOME": str(nowhere)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
