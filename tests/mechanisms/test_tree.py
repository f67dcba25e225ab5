"""The tree of mechanisms is drawn as it is, and the folders follow it."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from privet.device import mechanisms
from privet.device.mechanisms.base import Channel, Exclusive, Mechanism
from privet.mechanisms import by_name, for_one, for_several

FOLDER = Path(mechanisms.__file__).parent
MIXINS = {
    "Exclusive": "base",
    "Symmetric": "symmetric",
    "Shrinkable": "symmetric",
    "Numbered": "numbered",
    "Placed": "placed",
    "Choices": "choices",
    "Packed": "subsets.packed",
    "Cohorts": "hashes.cohorts",
}


def drawn():
    """Yield (name, parent, also) for each line of the tree in the docstring."""
    path = []
    for line in mechanisms.__doc__.splitlines():
        found = re.match(r"    ([│├└─ ]*)([A-Z]\w+)\b(.*)", line)
        if found is None:
            continue
        depth, name, rest = len(found[1]) // 4, found[2], found[3]
        path[depth:] = [name]
        also = re.search(r"\(([\w, ]+)\)\s*$", rest)
        yield name, path[depth - 1] if depth else None, also[1].split(", ") if also else []


def defined():
    """Every class of the folder that is a channel, by name."""
    found = {}
    for path in FOLDER.rglob("*.py"):
        found |= {cls.__name__: cls for cls in classes_of(path) if issubclass(cls, Channel)}
    return found


def classes_of(path):
    """Return the classes that a file of the package defines."""
    name = ".".join(path.relative_to(FOLDER.parents[2]).with_suffix("").parts)
    module = import_module(name.removesuffix(".__init__"))
    every = [cls for cls in vars(module).values() if inspect.isclass(cls)]
    return [cls for cls in every if cls.__module__ == module.__name__]


def test_every_class_is_drawn_once():
    names = [name for name, _, _ in drawn()]
    assert len(names) == len(set(names))
    assert {*names, *MIXINS} == set(defined())
    assert {cls.name for cls in defined().values() if "name" in vars(cls)} == {
        *by_name,
        "laplace-noise",
        "paged",  # which questionnaires have, and no survey can name
    }


@pytest.mark.parametrize(("name", "parent", "also"), [*drawn()], ids=lambda value: str(value))
def test_a_class_has_the_parents_that_are_drawn(name, parent, also):
    classes = defined()
    bases = {base.__name__ for base in classes[name].__bases__} & set(classes)
    expected = {parent, *also} - {None}
    # A kind that is one of the mixins' own is what its parent is through it.
    if parent == "Channel" or {*also} - {"Exclusive"}:
        expected -= {"Channel", "Mechanism"} if also else set()
    assert bases == expected


def test_folders_follow_the_tree():
    for cls in defined().values():
        if not inspect.isabstract(cls) and issubclass(cls, Mechanism):
            folder = cls.__module__.split(".")[3]
            siblings = {base.__module__.split(".")[3] for base in cls.__mro__[1:3]}
            # A mechanism that is made of others has no folder.
            assert folder in {"subsets", "bits", "hashes", "scales", "noise", "paged"}
            assert siblings <= {
                folder,
                "base",
                "forwards",
                "symmetric",
                "numbered",
                "placed",
                "choices",
            }


def test_names_are_of_one_value_or_of_several():
    assert {*for_one} | {*for_several} == {*by_name}
    for name, cls in by_name.items():
        assert cls.name == name
        assert issubclass(cls, Exclusive) == (name in for_one) != (name in for_several)


def test_no_class_refuses_what_it_inherits():
    """Every name that a mechanism promises works, whichever mechanism it is."""
    made = [cls(8, 1.0) for cls in for_one.values()]
    made += [cls(8, 1.0, most=2) for cls in for_several.values()]
    for mechanism in made:
        for attribute in dir(Mechanism):
            if not attribute.startswith("_"):
                getattr(mechanism, attribute)
