"""Arrays for functions of numbers: one decorator, the only place of the theory that uses numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

from ..errors.extras import require

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    class Broadcast(Protocol[P, R]):
        """A function that returns plain numbers for plain numbers, and arrays for arrays."""

        __name__: str

        @overload
        def __call__(self, *args: P.args, **named: P.kwargs) -> R: ...
        @overload
        def __call__(self, *args: ArrayLike, **named: ArrayLike) -> Any: ...


__all__ = ["broadcast"]


def broadcast(
    *kinds: type, fixed: tuple[str, ...] = ()
) -> Callable[[Callable[P, R]], Broadcast[P, R]]:
    """Let a function of numbers take arrays and sequences too, except for its fixed parameters.

    Arrays are broadcast against each other, and the function is called once per element. The
    results are arrays of these kinds, one for each number that the function returns. Numbers,
    those of numpy's own types included, give plain numbers.

    >>> @broadcast(int)
    ... def area(width: int, height: int) -> int:
    ...     return width * height
    >>> area(2, 3), area([2, 4], height=3).tolist()
    (6, [6, 12])
    """

    def decorated(function: Callable[P, R]) -> Any:
        code: Any = function.__code__
        names = code.co_varnames[: code.co_argcount]

        @wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            given = dict(zip(names, args, strict=False)) | named
            arrays = [name for name in given if name not in fixed and _is_array(given[name])]
            if not arrays or len(args) > len(names):
                return function(*args, **named)
            return _each(function, kinds, given, arrays)

        return call

    return decorated


def _is_array(value: object) -> bool:
    if isinstance(value, int | float | str | bytes):
        return False
    return hasattr(value, "__array__") or hasattr(value, "__len__")


def _each(
    function: Callable[..., Any], kinds: tuple[type, ...], given: dict[str, Any], arrays: list[str]
) -> Any:
    """Return what the function returns for each element."""
    np = require("numpy", "analysis", "An array")
    grids = np.broadcast_arrays(*(np.asarray(given[name]) for name in arrays))
    shape, rest = grids[0].shape, {name: given[name] for name in given if name not in arrays}
    rows = zip(*(grid.ravel().tolist() for grid in grids), strict=True)
    results = [function(**rest, **dict(zip(arrays, row, strict=True))) for row in rows]
    if not shape:
        return results[0]
    if len(kinds) == 1:
        return np.array(results, dtype=kinds[0]).reshape(shape)
    columns = zip(*results, strict=True) if results else [()] * len(kinds)
    return tuple(
        np.array(column, dtype=kind).reshape(shape)
        for kind, column in zip(kinds, columns, strict=True)
    )
