"""Interactions: the subsets of a table's questions, and the axes of arrays over them."""

from __future__ import annotations

from itertools import combinations

from ..arrays import Floats

__all__ = ["Questions", "interactions", "over"]

Questions = tuple[int, ...]


def interactions(questions: Questions) -> list[Questions]:
    """Return all subsets but the empty one, the smaller first.

    >>> interactions((0, 3))
    [(0,), (3,), (0, 3)]
    """
    sizes = range(1, len(questions) + 1)
    return [some for many in sizes for some in combinations(questions, many)]


def over(part: Floats, some: Questions, questions: Questions) -> Floats:
    """Return the same numbers with an axis for each question, of length 1 if it is not in some."""
    order = sorted(range(len(some)), key=lambda i: questions.index(some[i]))
    sizes, more = dict(zip(some, part.shape, strict=False)), range(len(some), part.ndim)
    shape = [sizes.get(q, 1) for q in questions] + [part.shape[axis] for axis in more]
    return part.transpose([*order, *more]).reshape(shape)
