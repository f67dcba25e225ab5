"""The HTTP reference, from the service itself: `.. routes::` walks its OpenAPI document.

`.. reasons::` lists the problems that the service's code can answer with.
"""

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from privet import service
from privet.service.openapi import describe
from privet.service.problems import MEDIA_TYPE
from privet.service.routes import ROUTES


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and description of everything that can be asked."""
    for path, methods in describe(ROUTES)["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def reasons() -> dict[int, list[str]]:
    """Return the reasons of problems, by status, as the service's code has them."""
    found = defaultdict(set)
    for file in Path(service.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(
                    func=ast.Name("Problem"),
                    args=[ast.Constant(value=int(status)), ast.Constant(value=str(reason)), *_],
                ):
                    found[status].add(reason)
    return {status: sorted(found[status]) for status in sorted(found)}


class Routes(SphinxDirective):
    """A section for everything that can be asked of the service."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, side by side."""
        return [self._section(*found) for found in operations()]

    def _section(self, method: str, path: str, operation: dict[str, Any]) -> nodes.section:
        name = f"{method} {path}"
        section = nodes.section(ids=[nodes.make_id(name)], names=[name])
        section += nodes.title(name, name)
        section += self.parse_text_to_nodes("\n".join(_describe(operation)))
        self.state.document.note_explicit_target(section)
        return section


class Reasons(SphinxDirective):
    """A table of the reasons that a problem may have."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = [
            (f"{status} {HTTPStatus(status).phrase}", ", ".join(f"``{one}``" for one in found))
            for status, found in reasons().items()
        ]
        return self.parse_text_to_nodes("\n".join(_table(("status", "reason"), rows)))


def _describe(operation: dict[str, Any]) -> Iterator[str]:
    who = " For the administrator." if "security" in operation else ""
    yield from (operation["summary"] + who, "")
    parameters = [
        (f"``{one['name']}``", one["in"], _schema(one["schema"])) for one in operation["parameters"]
    ]
    if parameters:
        yield from _table(("parameter", "in", "form"), parameters)
    content = operation.get("requestBody", {}).get("content", {})
    bodies = [(f"``{kind}``", _schema(one.get("schema", {}))) for kind, one in content.items()]
    if bodies:
        yield from _table(("body", "form"), bodies)
    answers = {
        f"{status} {one['description']}": list(one.get("content", {}))
        for status, one in operation["responses"].items()
    }
    given = [
        (status, ", ".join(f"``{kind}``" for kind in kinds))
        for status, kinds in answers.items()
        if kinds != [MEDIA_TYPE]
    ]
    yield from _table(("answer", "media types"), given)
    refused = [status for status, kinds in answers.items() if kinds == [MEDIA_TYPE]]
    yield from (f"Or a problem: {', '.join(refused)}.", "")


def _schema(schema: dict[str, Any]) -> str:
    return f"``{json.dumps(schema)}``" if schema else "bytes"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield from (".. list-table::", "   :header-rows: 1", "")
    for row in (head, *rows):
        for at, cell in enumerate(row):
            yield f"   {'*' if at == 0 else ' '} - {cell}"
    yield ""
