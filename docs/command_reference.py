"""The commands' reference, from the commands themselves: `.. commands::` walks all of them."""

import re
from collections.abc import Iterator
from inspect import cleandoc

import click
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from privet import cli

# A flag in running text, and what click adds to an option's help.
_FLAG = re.compile(r"(?<![\w`-])--?[a-z][a-z-]*")
_MARKUP = re.compile(r"[\\*`|_]")
_NOTES = re.compile(r"^(.*?)\s*(\[(?:default|required|env var|x)?[^\[\]]*\])?$", re.DOTALL)


def walk(command: click.Command, words: tuple[str, ...], above: click.Context | None = None):
    """Yield every command with the context that it is called in, groups before their own."""
    settings = command.context_settings
    context = click.Context(command, parent=above, info_name=words[-1], **settings)
    yield words, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), (*words, name), context)


class Commands(SphinxDirective):
    """A section for every command: what it does, how it is called, an example, every option."""

    def run(self) -> list[nodes.Node]:
        """Return the sections, side by side."""
        return [self._section(*found) for found in walk(cli.main, ("privet",))]

    def _section(
        self, words: tuple[str, ...], command: click.Command, context: click.Context
    ) -> nodes.section:
        name = " ".join(words)
        section = nodes.section(ids=[nodes.make_id(name)], names=[name])
        section += nodes.title(name, name)
        text = "\n".join([f".. program:: {name}", "", *_describe(command, context)])
        section += self.parse_text_to_nodes(text)
        self.state.document.note_explicit_target(section)
        return section


def _describe(command: click.Command, context: click.Context) -> Iterator[str]:
    paragraphs = [" ".join(part.split()) for part in cleandoc(command.help or "").split("\n\n")]
    examples = [text for text in paragraphs if text.startswith("privet ")]
    for text in paragraphs:
        if text not in examples:
            yield from (_plain(text), "")
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (".. code-block:: text", "", f"   {context.command_path} {usage}", "")
    for example in examples:
        yield from ("For example:", "", ".. code-block:: sh", "", f"   {example}", "")
    for parameter in command.params:  # without --help, which all have
        record = parameter.get_help_record(context)
        if record is None:  # an argument: the usage shows it
            continue
        text, notes = _NOTES.match(record[1]).groups()
        more = f" ``{notes[1:-1]}``" if notes else ""
        yield from (f".. option:: {record[0]}", "", f"   {_plain(text)}{more}", "")


def _plain(text: str) -> str:
    """Return running text as reStructuredText that says just that, with flags as code."""
    words = [
        f"``{part}``" if _FLAG.fullmatch(part) else _MARKUP.sub(r"\\\g<0>", part)
        for part in re.split(f"({_FLAG.pattern})", " ".join(text.split()))
    ]
    return "".join(words)
