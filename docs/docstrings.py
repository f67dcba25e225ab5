"""Docstrings as they are written here, for Sphinx."""

import re

_INDENT = " " * 4
_BARS = re.compile(r"\|(\w+)\|")
_UNDERLINE = re.compile(r"-{4,}")


def prepare(app, what, name, obj, options, lines):
    """Rewrite a docstring's lines in place, before napoleon reads its sections."""
    lines[:] = _examples(_literal_blocks(lines))


def public_signature(app, what, name, obj, options, signature, returned):
    """Leave private fields, which come last, out of the signature of a class."""
    if what == "class" and signature and ", _" in signature:
        signature = signature.partition(", _")[0] + ")"
    return signature, returned


def _literal_blocks(lines):
    """Mark every indented block as a formula or a drawing, and |z| as no substitution."""
    marked, inside = [], False
    for at, line in enumerate(lines):
        indented = line.startswith(_INDENT)
        begins = indented and not inside and at > 1 and not lines[at - 1].strip()
        # After something indented, it is only the next paragraph of that.
        if begins and not lines[at - 2].startswith(" "):
            marked += ["::", ""]
            inside = True
        inside = inside and (indented or not line.strip())
        marked.append(line if indented else _BARS.sub(r"\\|\1\\|", line))
    return marked


def _examples(lines):
    """Head the examples that come last, lest they be taken for more of the section before."""
    sections = any(_UNDERLINE.fullmatch(line) for line in lines)
    first = next((at for at, line in enumerate(lines) if line.startswith(">>>")), None)
    if first is None or not sections:
        return lines
    return [*lines[:first], "Examples", "--------", *lines[first:]]
