"""Everything that reads what others wrote, as functions of bytes for a fuzzer to call.

A target is a function of bytes that may raise privet's own errors and nothing else: no other
exception, no warning, no server error, no hang. Some check more, such as that two readers agree.

    python -m fuzzers                     # all targets, by atheris, and a table
    python -m fuzzers contracts -runs=0   # one, with libFuzzer's options

The suite calls the same targets by hypothesis, a few hundred times each.
"""

import json
from copy import deepcopy
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# The targets of each module, which are imported when they are asked for: atheris must be there
# before privet is. Of each, the inputs that a whole campaign gives it, in thousands.
TARGETS = {
    "contracts": {"contracts": 600, "fields": 400, "drafts": 40},
    "reports": {"reports": 9000, "batches": 1000, "tallies": 800, "estimates": 40},
    "files": {
        "text": 150, "arrow": 150, "sheets": 100, "packed": 100, "known": 150, "report-files": 100,
    },
    "people": {"replies": 60, "ledgers": 300, "spools": 300, "commands": 10},
    "requests": {"requests": 300, "bodies": 150},
}  # fmt: skip


class Target(NamedTuple):
    """A function of bytes, inputs to begin with, and how long others may be."""

    run: "Callable[[bytes], object]"
    seeds: "Sequence[bytes]"
    most: int = 4096

    def __call__(self, data: bytes) -> None:
        """Run it; privet may refuse the bytes, in its own words."""
        from privet.errors import PrivetError

        try:
            self.run(data[: self.most])
        except PrivetError:
            return


def must(call: "Callable[..., Any]", *given: Any, **more: Any) -> Any:
    """Return what a call returns that has no reason to refuse."""
    from privet.errors import PrivetError

    try:
        return call(*given, **more)
    except PrivetError as error:
        raise AssertionError("What was accepted before is refused.") from error


def target(name: str) -> Target:
    """Return a target by its name."""
    (home,) = (home for home, names in TARGETS.items() if name in names)
    return import_module(f"fuzzers.{home}").TARGETS[name]


class Choices:
    """Decisions that bytes make; when there are none left, each is the first."""

    def __init__(self, data: bytes) -> None:
        self._left = BytesIO(data)

    def below(self, n: int) -> int:
        """Return a number in [0, n)."""
        return int.from_bytes(self._left.read(1 if n <= 256 else 2)) % n

    def of(self, some: "Sequence[Any]") -> Any:
        """Return one of these."""
        return some[self.below(len(some))]

    def bytes(self, n: int = -1) -> bytes:
        """Return the next bytes, or all that are left."""
        return self._left.read(n)


ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 2**31, 2**53, 2**64, 10**30, -0.0, 0.5, 1e-320, 1e308,
    float("inf"), float("nan"), "", "a", "0", "-1", "\ud800", "\x00", "é", "1e400", "9" * 50,
    [], {}, [[]], [0], ["a", "a"], [None], {"": None}, [-1, 64], [2**64, 1],
)  # fmt: skip


def edited(documents: "Sequence[str]", choices: Choices) -> str:
    """Return a JSON document with a few of its values removed, replaced, copied or changed."""
    document = json.loads(choices.of(documents))
    for _ in range(1 + choices.below(4)):
        holder, key = choices.of([*_places(document)])
        value = holder[key]
        match choices.below(5):
            case 0:
                del holder[key]
            case 1:
                holder[key] = deepcopy(choices.of(ODD))
            case 2:
                other, place = choices.of([*_places(document)])
                holder[key] = deepcopy(other[place])
            case 3 if isinstance(value, int | float):
                holder[key] = value + choices.below(256) - 128
            case 3 if isinstance(value, str):
                holder[key] = value[: choices.below(256)] + choices.bytes(4).decode("latin-1")
            case _ if isinstance(holder, list):
                holder.append(deepcopy(value))
            case _:
                holder[choices.of(["a", "epsilon", "mechanism", "most", "whole"])] = deepcopy(value)
        if not document:
            break
    return json.dumps(document)


def _places(document: Any) -> "Iterator[tuple[Any, Any]]":
    """Yield where every value of a document is."""
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in pairs:
        yield document, key
        if isinstance(value, dict | list):
            yield from _places(value)
