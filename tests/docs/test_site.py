"""The site builds without a warning, has every name, command and flag, and needs no internet."""

import importlib
import inspect
import os
import re
import subprocess
import sys
from fcntl import LOCK_EX, flock
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest
from sphinx.util.inventory import InventoryFile

import privet
from privet import cli

ROOT = Path(__file__).parents[2]
MODULES = [f"privet.{name}" for name in privet.__all__ if name.islower() and name.isalpha()]
MORE = ["privet.bulk", "privet.bulk.spark"]
LINES = re.MULTILINE | re.DOTALL
# What a browser fetches by itself, tag and attribute.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
STYLED = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The built site; what `make docs` makes, elsewhere, and once for all processes of a run."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    with (place / "site.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (place / "site").exists():
            build(place / "site")
    return place / "site"


# Nothing that Sphinx makes is garbage before its end, and looking for some takes seconds.
SPHINX = """\
import gc, sys
from sphinx.cmd.build import main
gc.disable()
sys.exit(main(sys.argv[1:]))
"""


def build(folder):
    rough = folder.with_name("rough")
    done = subprocess.run(
        [sys.executable, "-c", SPHINX, "--fail-on-warning", "--keep-going", "--quiet",
         "--doctree-dir", folder.with_name("doctrees"), ROOT / "docs", rough],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rough.rename(folder)


@pytest.fixture(scope="module")
def inventory(site):
    with (site / "objects.inv").open("rb") as file:
        return InventoryFile.load(file, "", lambda base, path: path)


class Page(HTMLParser):
    """The links, what is loaded, and the places that can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for key, value in attributes:
            if (tag, key) in LOADED and value:
                self.loads.append(value)


@pytest.fixture(scope="module")
def pages(site):
    found = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    assert any(page.links and page.loads for page in found.values())
    return found


# --- what is in it ----------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["privet", *MODULES, *MORE])
def test_every_public_name_is_in_the_reference(inventory, module):
    documented = {name for kind in inventory if kind.startswith("py:") for name in inventory[kind]}
    public = importlib.import_module(module).__all__
    assert public
    missing = [name for name in public if f"{module}.{name}" not in documented]
    assert not missing


def test_no_sentence_is_taken_for_a_type(site):
    """As the words before a colon are, in the first line of a property's docstring."""
    texts = {page.name: page.read_text() for page in (site / "reference").rglob("*.html")}
    assert any(">Parameters<" in text for text in texts.values())  # where a type would stand
    assert not [name for name, text in texts.items() if ">Type<" in text]


@pytest.mark.parametrize("module", ["privet", *MODULES, *MORE])
def test_what_follows_the_parameters_is_not_taken_for_one(module):
    public = [getattr(importlib.import_module(module), name) for name in privet_names(module)]
    methods = [vars(owner).values() for owner in public if isinstance(owner, type)]
    for thing in [*public, *(each for some in methods for each in some)]:
        text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
        for listed in re.findall(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n|\Z)", text, LINES):
            entries = [line for line in listed.splitlines() if not line.startswith(" ")]
            assert all(re.match(r"[*\w]+( :|$)", line) for line in entries), (thing, entries)
            after = text.partition(listed)[2].strip()
            assert re.match(r">>>|\w+\n---|$", after), (thing, after)


def privet_names(module):
    return [name for name in importlib.import_module(module).__all__ if name[0] != "_"]


def commands(command=cli.main, words=("privet",)):
    context = click.Context(command, info_name=words[-1])
    yield words, command
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        yield from commands(command.get_command(context, name), (*words, name))


@pytest.mark.parametrize(("words", "command"), list(commands()), ids=lambda x: str(x))
def test_every_command_and_flag_is_in_the_reference_and_explained(site, inventory, words, command):
    page = (site / "reference" / "commands.html").read_text()
    assert f'<section id="{"-".join(words)}">' in page
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{' '.join(words)} {option.opts[0]} says nothing of itself"
            for flag in option.opts:
                assert f"{'-'.join(words)}.{flag}" in inventory["std:cmdoption"]


def test_every_exit_code_is_in_the_reference():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    epilog = {int(code) for code in re.findall(r"(?:^|[ ,])(\d+) [a-z]", cli.EPILOG)}
    returned = {value for name, value in vars(cli).items() if name.isupper() and type(value) is int}
    assert told == epilog
    assert returned < told


def test_every_page_is_in_the_contents(site):
    contents = (site / "index.html").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert name == "index.html" or f'href="{name}"' in contents, name


# --- where it leads ---------------------------------------------------------------------------


def test_links_lead_somewhere(site, pages):
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_relative_to(site.resolve()), f"{path.name} leads outside: {link}"
            assert target.is_file(), f"{path.name} leads nowhere: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path.name}: {link}"


def test_links_between_files_of_the_repository_lead_somewhere():
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
    assert len(files) > 40
    for file in files:
        for link in re.findall(r"\]\(([^)\s#]+)", file.read_text()):
            if not urlsplit(link).scheme:
                found = (file.parent / unquote(link)).exists()
                assert found or link.startswith("_pictures/") or "/_pictures/" in link, (file, link)


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for path, page in pages.items():
        for link in page.loads:
            assert not urlsplit(link).netloc, f"{path.name} loads {link}"
    styles = [*site.rglob("*.css")]
    assert styles
    for style in styles:
        for link in STYLED.findall(style.read_text()):
            place = urlsplit("".join(link))
            assert place.scheme == "data" or not place.netloc, style.name


def test_pictures_are_drawn_and_shown(site):
    drawn = {path.name for path in (ROOT / "docs" / "_pictures").glob("*.svg")}
    shown = {path.name for path in (site / "_images").iterdir()}
    assert drawn
    assert drawn <= shown
