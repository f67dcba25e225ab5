"""Imports: which ones wait until a function is called, and which ones no linter can see."""

import ast
from pathlib import Path

import privet

PACKAGE = Path(privet.__file__).parent
FILES = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
# What users call on an object is sometimes in a higher layer, and some names are public from afar.
LATE = {
    "__main__.py",
    "mechanisms.py",
    "analysis/scale_estimate.py",
    "analysis/shown.py",
    "analysis/tables/table.py",
    "device/contract.py",
    "device/mechanisms/forwards.py",
    "device/questionnaire.py",
    "device/survey.py",
    "simulate/experiment.py",
}
BY_NAME = {
    "__init__.py",
    "analysis/kernels/__init__.py",
    "cli/commands.py",
    "device/contract.py",
    "device/mechanisms/registry.py",
    "errors/extras.py",
}


def late_imports(tree):
    """Return the modules of privet that functions import."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node for node in ast.walk(tree) if isinstance(node, functions)]
    inside = [node for body in bodies for node in ast.walk(body)]
    whole = {name.name for node in inside if isinstance(node, ast.Import) for name in node.names}
    parts = [node for node in inside if isinstance(node, ast.ImportFrom)]
    found = {"." * node.level + (node.module or "") for node in parts} | whole
    return {name for name in found if name.startswith((".", "privet"))}


def names(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def test_late_imports_are_found():
    code = "import a\nfrom . import b\ndef f():\n    from ..c import d\n    import privet.e, numpy"
    assert late_imports(ast.parse(code)) == {"..c", "privet.e"}


def test_only_the_seams_import_late():
    trees = {name: ast.parse(path.read_text()) for name, path in FILES.items()}
    assert {name for name, tree in trees.items() if late_imports(tree)} == LATE
    assert {name for name, tree in trees.items() if "import_module" in names(tree)} == BY_NAME
    assert not any("__import__" in names(tree) for tree in trees.values())
