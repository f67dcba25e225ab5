"""From a kernel as numba compiles it to machine code that needs neither numba nor Python.

What is relied on from the inside of numba is all here, and is checked before it is used:

- its calling convention, `int32 f(results, exception, arguments…)` with 0 for success, where an
  array is (owner, parent, items, bytes of one, data, shape…, strides…): the arguments' types must
  be these. An array from outside has no owner, so nothing is counted or freed for it;
- its reference counting, of which two functions are called: one makes room for an array, behind a
  head that must have the layout known here, and one gives it back. Here they are malloc and free;
- that nothing else is called. LLVM ends the process where it does not find a symbol, so what the
  machine code leaves to be found must be in `_ANYWHERE`.

A kernel that does not pass raises here, and is then left to numba.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from .loading import HEAD
from .native import ENTRY, Code, llvm, target_machine

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANYWHERE = {b"malloc", b"free", b"memcpy", b"memmove", b"memset"}
# Arguments as LLVM names their types, and results as `struct` does.
_ARGUMENTS = {int: "i64", np.int64: "i64", np.uint64: "i64", bool: "i8"}
_ARGUMENTS |= {float: "double", np.float64: "double"}
_RESULTS = {"int64": "q", "uint64": "Q", "float64": "d"}

# Of sections of an object file, the one that lists symbols.
_SYMBOLS = 2

# The head: how many refer to the array, two words for who frees it, where it is, and its size.
_OWNER = "{i64, i8*, i8*, i8*, i64}"
_OWNERS = """
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %step = zext i32 %align to i64
  %extra = add i64 %step, 40
  %total = add i64 %size, %extra
  %owner = call ptr @malloc(i64 %total)
  %failed = icmp eq ptr %owner, null
  br i1 %failed, label %end, label %fill
fill:
  %start = ptrtoint ptr %owner to i64
  %last = add i64 %start, %extra
  %mask = sub i64 0, %step
  %data = and i64 %last, %mask
  %head = insertvalue [5 x i64] [i64 1, i64 0, i64 0, i64 0, i64 0], i64 %data, 3
  %whole = insertvalue [5 x i64] %head, i64 %size, 4
  store [5 x i64] %whole, ptr %owner
  br label %end
end:
  ret ptr %owner
}

define void @NRT_MemInfo_call_dtor(ptr %owner) {
  call void @free(ptr %owner)
  ret void
}
"""


def export(function: Any, args: tuple[Any, ...]) -> Code:
    """Compile a kernel for such arguments, or raise where its code cannot stand alone."""
    from numba import njit, typeof
    from numba.core.runtime import nrtdynmod

    if str(nrtdynmod._meminfo_struct_type) != _OWNER:
        raise TypeError("numba counts references in another way.")
    kernel = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    # The type of an int depends on the int for numba, and must not here: most are signed.
    signature = tuple(typeof(arg if type(arg) is np.ndarray else type(arg)()) for arg in args)
    kernel.compile(signature)
    compiled = kernel.overloads[signature]
    results = _results(compiled.signature.return_type)
    module = llvm().parse_assembly(kernel.inspect_llvm(signature))
    inner = module.get_function(compiled.fndesc.llvm_func_name)
    types, entry = _entry(inner.name, args)
    if [str(argument.type) for argument in inner.arguments] != types:
        raise TypeError("numba passes arguments in another way.")
    for text in (_OWNERS, entry):
        module.link_in(llvm().parse_assembly(text))
    # Other code of this process may go by the same names.
    for symbol in (*module.functions, *module.global_variables):
        if not symbol.is_declaration and symbol.name != ENTRY:
            symbol.linkage = "internal"
    module.verify()
    machine = target_machine().emit_object(module)
    if missing := set(_undefined(machine)) - _ANYWHERE:
        raise LookupError(f"{missing} may be nowhere.")
    return Code(results, machine)


def _results(kind: Any) -> str:
    """Return the kinds of the results, nothing, a number or several, for `struct`."""
    if str(kind) == "none":
        return ""
    several = getattr(kind, "types", None)
    if several is None:
        return _RESULTS[str(kind)]
    if len(several) == 1:
        raise TypeError("One number in a tuple would be taken for a number.")
    return "".join(_RESULTS[str(part)] for part in several)


def _entry(name: str, args: tuple[Any, ...]) -> tuple[list[str], str]:
    """Write the function that takes eight bytes for each argument and calls the kernel.

    For an array they are its address; numpy's C struct begins with the address of the data, the
    number of dimensions, and the addresses of shape and strides. Return the types that the kernel
    is called with, and the text.
    """
    lines: list[str] = []

    def do(operation: str) -> str:
        lines.append(f"  %v{len(lines)} = {operation}\n")
        return f"%v{len(lines) - 1}"

    def load(kind: str, base: str, offset: int) -> str:
        place = do(f"getelementptr i8, ptr {base}, i64 {offset}")
        return do(f"load {kind}, ptr {place}, align 1")

    passed = [("ptr", "%results"), ("ptr", do("alloca ptr"))]
    for at, arg in enumerate(args):
        if type(arg) is not np.ndarray:
            kind = _ARGUMENTS[type(arg)]
            passed.append((kind, load(kind, "%slots", 8 * at)))
            continue
        array = load("ptr", "%slots", 8 * at)
        data, *lists = (load("ptr", array, HEAD + offset) for offset in (0, 16, 24))
        extents = [load("i64", numbers, 8 * i) for numbers in lists for i in range(arg.ndim)]
        items = "1"
        for extent in extents[: arg.ndim]:
            items = do(f"mul i64 {items}, {extent}")
        passed += [("ptr", "null"), ("ptr", "null"), ("i64", items), ("i64", str(arg.itemsize))]
        passed += [("ptr", data), *(("i64", extent) for extent in extents)]

    types = [kind for kind, _ in passed]
    call = ", ".join(f"{kind} {value}" for kind, value in passed)
    return types, (
        f'declare i32 @"{name}"({", ".join(types)})\n'
        f"define i32 @{ENTRY}(ptr %slots, ptr %results) {{\n{''.join(lines)}"
        f'  %status = call i32 @"{name}"({call})\n'
        "  ret i32 %status\n}\n"
    )


def _undefined(machine: bytes) -> Iterator[bytes]:
    """Yield the symbols that an object file, in the ELF format, does not define."""
    start, each, count = struct.unpack_from("<Q10xHH", machine, 40)
    sections = [struct.unpack_from("<4xI16xQQI", machine, start + i * each) for i in range(count)]
    for kind, offset, size, link in sections:
        if kind != _SYMBOLS:
            continue
        names = sections[link][1]
        for name, section in struct.iter_unpack("<I2xH16x", machine[offset : offset + size]):
            if name and not section:
                at = names + name
                yield machine[at : machine.index(b"\0", at)]
