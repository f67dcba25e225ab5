"""Machine code as files and in memory.

Files are where numba keeps its own: beside the sources, if that can be written, else in the user's
cache folder. Whoever writes one can run code here, so none is read that somebody else could have
written than this user, root and the owner of the sources, whatever the folder allows; the checksums
tell damage and other versions, not malice. A file's name stands for a kernel, the kinds of its
arguments, a processor, a Python and an installation: a new version replaces the files of the last
one.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .loading import HEAD

if TYPE_CHECKING:
    from collections.abc import Callable

# The function of an object file that is called.
ENTRY = "privet_kernel"

_FOLDER = Path(__file__).parent


class Code(NamedTuple):
    """What is kept of a kernel: the kinds of its results, for `struct`, and an object file."""

    results: str
    machine: bytes


# --- in memory --------------------------------------------------------------------------------


class Linked:
    """Machine code in memory. It takes eight bytes for each value, for arrays their address."""

    def __init__(self, slots: str, code: Code) -> None:
        self._pack = struct.Struct(f"={slots}").pack
        self._unpack = struct.Struct(f"={code.results}").unpack_from
        self._room = ctypes.c_int64 * max(1, len(code.results))
        engine = llvm().create_mcjit_compiler(llvm().parse_assembly(""), target_machine())
        engine.add_object_file(llvm().ObjectFileRef.from_data(code.machine))
        engine.finalize_object()
        self._engine = engine  # the code lives as long as this
        address = engine.get_function_address(ENTRY)
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p)
        self._function: Callable[..., int] = kind(address)  # which lets go of the GIL

    def __call__(self, values: list[Any]) -> tuple[Any, ...] | None:
        """Return the results, or None where an exception is to be raised."""
        try:
            slots = self._pack(*values)
        except struct.error:  # an int of more bits
            return None
        room = self._room()
        return None if self._function(slots, room) else self._unpack(room)


@cache
def llvm() -> Any:
    """Return LLVM's binding, ready to make and to link code for this machine."""
    import llvmlite.binding

    with suppress(Exception):  # newer ones do that by themselves
        llvmlite.binding.initialize()
    llvmlite.binding.initialize_native_target()
    llvmlite.binding.initialize_native_asmprinter()
    llvmlite.binding.check_jit_execution()
    return llvmlite.binding


def target_machine() -> Any:
    """Return what makes code for this processor, with the options that numba takes."""
    target = llvm().Target.from_triple(llvm().get_process_triple())
    return target.create_target_machine(
        cpu=llvm().get_host_cpu_name(),
        features=llvm().get_host_cpu_features().flatten(),
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


# --- as files ---------------------------------------------------------------------------------


class File:
    """The file with the code for one kind of call."""

    def __init__(self, call: str) -> None:
        python = sys.implementation.cache_tag, HEAD
        processor = llvm().get_host_cpu_name(), llvm().get_host_cpu_features().flatten()
        digest = sha256(repr((call, processor, python, _FOLDER)).encode())
        self._name = f"{call.partition('(')[0]}-{digest.hexdigest()[:16]}.o"
        digest.update(_origins())
        self._digest = digest

    @property
    def _places(self) -> list[Path]:
        """Where it may be, the best place first."""
        if told := os.environ.get("NUMBA_CACHE_DIR"):
            return [Path(told, self._name)]
        folders = [_FOLDER / "__pycache__"]
        with suppress(RuntimeError):  # there may be no home
            user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
            folders.append(Path(user, "privet"))
        return [folder / self._name for folder in folders if folder.is_absolute()]

    def _checksum(self, content: bytes) -> bytes:
        digest = self._digest.copy()
        digest.update(content)
        return digest.digest()

    def read(self) -> Code | None:
        """Return what is kept, if it is whole and of the present versions."""
        for place in self._places:
            with suppress(OSError, ValueError), place.open("rb") as file:
                stored = file.read() if _trusted(os.fstat(file.fileno())) else b""
                if stored[:32] == self._checksum(stored[32:]):
                    results, machine = stored[32:].split(b"\n", 1)
                    return Code(results.decode(), machine)
        return None

    def write(self, code: Code) -> None:
        """Keep the code in the first place that takes it, if any does."""
        content = b"\n".join((code.results.encode(), code.machine))
        for place in self._places:
            temporary = place.with_suffix(f".{os.urandom(8).hex()}")
            with suppress(OSError):
                place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                try:
                    temporary.touch(mode=0o644, exist_ok=False)
                    temporary.write_bytes(self._checksum(content) + content)
                    temporary.replace(place)
                finally:
                    temporary.unlink(missing_ok=True)
                return


def _trusted(file: os.stat_result) -> bool:
    """Tell if nobody can have written a file who could not change what runs here anyway."""
    owners = 0, os.geteuid(), Path(__file__).stat().st_uid
    return file.st_uid in owners and not file.st_mode & 0o022


@cache
def _origins() -> bytes:
    """Return a digest of what code is made from and with: the sources, numba and LLVM."""
    numba = find_spec("numba")
    if numba is None or numba.origin is None:
        raise ModuleNotFoundError("numba")
    digest = sha256(repr(llvm().llvm_version_info).encode())
    version = Path(numba.origin).with_name("_version.py")
    for source in (Path(__file__), *sorted(_FOLDER.glob("*.py*")), version):
        digest.update(source.read_bytes())
    return digest.digest()
