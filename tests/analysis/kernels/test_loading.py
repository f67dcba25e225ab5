"""Machine code called without numba: the same results, or numba's own."""

import resource
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba.core.errors import TypingError

from privet.analysis import kernels
from privet.analysis.kernels import exporting, loading
from privet.analysis.kernels.counting import count_bitmaps, count_indices
from privet.analysis.kernels.loading import Kernel
from privet.entropy import seeded
from privet.mechanisms import (
    BinaryRR,
    Cyclotomic,
    GeometricNoise,
    Hadamard,
    KSubset,
    LocalHash,
    MultivariateRR,
    OptimizedUnary,
    Rappor,
)

WORD = np.uint64
KERNELS = {name: thing for name, thing in vars(kernels).items() if isinstance(thing, Kernel)}


def is_native(kernel):
    return kernel._natives and loading._leave_to_numba not in kernel._natives.values()


# --- results ----------------------------------------------------------------------------------


def twin(arg):
    """Return an array of the same kind and content elsewhere."""
    if not isinstance(arg, np.ndarray):
        return arg
    same = arg.copy(order="K")
    same.flags.writeable = arg.flags.writeable
    return same


@pytest.fixture
def seen(monkeypatch):
    """Compare every call with numba's, in results and in what is written."""
    called = set()
    call = Kernel.__call__

    def both(self, *args):
        others = [twin(arg) for arg in args]
        expected = self.compiled(*others)
        result = call(self, *args)
        assert result == expected
        assert type(result) is type(expected)
        for arg, other in zip(args, others, strict=True):
            if isinstance(arg, np.ndarray) and self is not kernels.count_columns:
                assert np.array_equal(arg, other)
        called.add(self)
        return result

    monkeypatch.setattr(Kernel, "__call__", both)
    return called


MECHANISMS = [
    *(KSubset(d, 1.0) for d in (4, 64, 100, 190, 256, 300, 1024)),
    KSubset(64, 0.1),
    KSubset(70_000, 1.0, k=20_000),
    *(KSubset(d, 1.0, k=k) for d, k in ((40, 3), (1000, 10), (4096, 300), (2**20, 7))),
    *(MultivariateRR(d, 1.0) for d in (5, 300, 70_000)),
    *(make(d, 1.0) for make in (BinaryRR, OptimizedUnary) for d in (5, 64, 130)),
    *(Cyclotomic(100, 1.0), Hadamard(64, 1.0), Hadamard(1000, 1.0)),
    *(LocalHash(20, 1.0), GeometricNoise(9, 1.0), Rappor(50, 2.0)),
]


def use_everything():
    """Make and count reports of all kinds, and call what other modules call."""
    for mechanism in MECHANISMS:
        for n in (1, 500):
            reports = mechanism.randomize(np.arange(n) % mechanism.d, entropy=seeded(n))
            total = np.zeros(mechanism.aggregate_size, np.int64)
            assert mechanism.analyst.counter.add_many(reports, total) == -1
    rng = np.random.default_rng(1)
    assert count_bitmaps(np.full((9, 3), 255, np.uint8), 20, np.zeros(20, np.int64)) == 0
    assert count_indices(np.full((9, 3), 255, np.uint8), 90, 3, 7, np.zeros(90, np.int64)) == 0
    bitmaps, out = rng.integers(0, 256, (20, 3), np.uint8), np.zeros(20)
    tables = rng.random((3, 256))
    kernels.sum_bitmaps(bitmaps, tables, out)
    kernels.spread_bitmaps(bitmaps, out, tables)
    members, theta = rng.integers(0, 50, (20, 4), np.int32), rng.random(50)
    kernels.sum_members(members, theta, out)
    kernels.spread_members(members, out, theta)
    kernels.deal(bitmaps, rng.integers(0, 4, 20, np.uint8), bitmaps.copy(), np.zeros(4, np.int64))
    kernels.permute(bitmaps, 20, rng.integers(0, 2**32, 20, np.uint32), 32)
    for size in (1, 100, 10_000):
        v = rng.normal(size=size)
        kernels.project(v, v.max(), np.empty(size))


def test_every_kernel_is_called_natively_with_numbas_results(seen):
    use_everything()
    assert seen == set(KERNELS.values())
    for kernel in KERNELS.values():
        assert is_native(kernel), kernel


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a,
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: np.repeat(a, 3, axis=0)[::-3],
        lambda a: a[:0],
        lambda a: a[:, :1],
        lambda a: a[:, :0],
        lambda a: np.broadcast_to(a[:1], a.shape),
        lambda a: np.frombuffer(b"-" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    ],
)
def test_arrays_of_any_layout(seen, change):
    members = change(np.random.default_rng(2).integers(0, 9, (30, 5), np.int32))
    kernels.sum_members(members, np.arange(9.0), np.zeros(len(members)))
    assert is_native(kernels.sum_members)


def test_other_kinds_of_arguments_are_numbas():
    span = Kernel("sampling.span")
    assert span(WORD(5)) == span(5) == 8
    assert span(WORD(2**63)) == 2**63
    assert is_native(span)
    assert span(2**63) == span.compiled(2**63) == 2**63
    assert span(np.uint32(9)) == 16
    assert not is_native(span)
    for wrong in ("9", None, np.zeros(3, np.complex128)):
        with pytest.raises(TypingError):
            span(wrong)
    with pytest.raises(TypeError):
        span()


@pytest.mark.parametrize("first", [2**63 + 1, 5])
def test_an_int_is_signed_whichever_comes_first(first, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for _ in range(2):  # made, and from the file
        kernel = Kernel("population._stirling")
        native = kernel._find((int,), (first,))
        assert native([-3]) == (kernel.compiled.py_func(-3),)
        assert native([first]) == (None if first > 2**63 else (kernel(first),))


def test_exceptions_are_numbas():
    values, places, out = np.zeros(3, np.int64), np.zeros(3, WORD), np.zeros((3, 2), np.uint8)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kernels.write_translates(values, places, out, values[:0], 7, 3)


def test_room_is_given_back():
    none, positions = np.zeros(0, np.int64), np.zeros(0, np.uint32)
    args = none, none.astype(np.bool_), positions, np.zeros((0, 9), np.uint8), 0

    def peak():
        for _ in range(100):  # 8 MB each
            assert kernels.fill_indices(*args, 2**26, 2, 26) == (0, 0)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    first = peak()
    assert is_native(kernels.fill_indices)
    assert peak() - first < 100_000  # KB


def test_other_threads_run_meanwhile():
    many = np.arange(1, 1_000_001)
    args = many, many, np.zeros_like(many), 2**31 - 1, 3, np.zeros(200, np.int64)
    kernels.count_hashed(*args)
    assert is_native(kernels.count_hashed)
    thread = threading.Thread(target=kernels.count_hashed, args=args)
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 5


def test_threads_that_begin_together_load_once(monkeypatch):
    kernel, loads, load = Kernel("sampling.span"), [], Kernel._load

    def slowly(self, args):
        time.sleep(0.05)
        loads.append(args)
        return load(self, args)

    monkeypatch.setattr(Kernel, "_load", slowly)
    together = threading.Barrier(8)

    def begin(n):
        together.wait(10)
        return kernel(WORD(n))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(begin, range(1, 9))) == [1, 2, 4, 4, 8, 8, 8, 8]
    assert len(loads) == 1
    assert is_native(kernel)


# --- what cannot be exported ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "args", "reason"),
    [
        ("lanes._masks", (1, 64, True), KeyError),  # the result is an array
        ("population._rise", (3, 5), LookupError),  # calls lgamma
    ],
)
def test_other_kernels_are_left_to_numba(path, args, reason, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernel = Kernel(path)
    with pytest.raises(reason):
        exporting.export(kernel.compiled.py_func, args)
    assert np.array_equal(kernel(*args), kernel.compiled(*args))
    assert not is_native(kernel)
    (kept,) = tmp_path.glob(f"{path}-*.o")
    monkeypatch.setattr(exporting, "export", None)  # not tried again
    again = Kernel(path)
    assert np.array_equal(again(*args), kernel.compiled(*args))
    assert not is_native(again)
    assert kept.stat().st_size < 100


def test_generators_are_left_to_numba():
    kernel = Kernel("population.hypergeometric")
    ours, numbas = (draw(np.random.default_rng(5), 20, 30, 9) for draw in (kernel, kernel.compiled))
    assert ours == numbas
    assert not is_native(kernel)


@pytest.mark.parametrize("what", ["_OWNER", "_ARGUMENTS"])
def test_a_numba_that_differs_is_noticed(what, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    different = {"_OWNER": "{i64}", "_ARGUMENTS": {WORD: "double"}}[what]
    monkeypatch.setattr(exporting, what, different)
    kernel = Kernel("sampling.span")
    with pytest.raises(TypeError, match="in another way"):
        exporting.export(kernel.compiled.py_func, (WORD(9),))
    assert kernel(WORD(9)) == 16
    assert not is_native(kernel)


@pytest.mark.parametrize("error", [MemoryError, ImportError, DeprecationWarning])
def test_what_may_pass_next_time_is_not_given_up(error, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def fail(*args):
        raise error

    monkeypatch.setattr(exporting, "export", fail)
    assert Kernel("sampling.span")(WORD(9)) == 16
    assert not list(tmp_path.glob("sampling.span-*"))


def test_a_jit_that_is_disabled_is_not_the_end(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernel = Kernel("sampling.span")
    plain = kernel.compiled.py_func  # which the decorator returns then
    monkeypatch.setattr(sys.modules["privet.analysis.kernels.sampling"], "span", plain)
    other = Kernel("sampling.span")
    assert other(WORD(9)) == 16
    assert other.compiled is plain
    assert not list(tmp_path.glob("sampling.span-*"))


@pytest.mark.parametrize(("name", "value"), [("abiflags", "t"), ("byteorder", "big")])
def test_what_was_not_tried_is_left_to_numba(name, value, monkeypatch):
    tried = loading._tried.__wrapped__
    assert tried()
    monkeypatch.setattr(sys, name, value)
    assert not tried()


def test_the_settings_of_a_folder_are_numbas(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert loading._tried.__wrapped__()
    (tmp_path / ".numba_config.yaml").write_text("boundscheck: 1")
    assert not loading._tried.__wrapped__()
