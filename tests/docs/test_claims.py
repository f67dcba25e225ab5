"""Every promise of privacy links to its proof, and every link to a proof leads there.

A passage claims privacy if it links to a page of docs/proofs. `test_proofs.py` checks that the
proofs name code and tests that exist.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "docs" / "proofs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([\w./-]*\.md)?(?:#([^)\s]+))?\)")


def anchors(page):
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page, text):
    """Return the proof page and the anchor of each link to a proof, as (path, anchor)."""
    found = [
        ((page.parent / link).resolve() if link else page, anchor)
        for link, anchor in LINK.findall(text)
    ]
    return [(proof, anchor) for proof, anchor in found if proof.parent == PROOFS]


def broken(page, text):
    """Return the links to proofs whose page or anchor does not exist."""
    return [
        (proof.name, anchor)
        for proof, anchor in links(page, text)
        if not proof.is_file() or (anchor and anchor not in anchors(proof))
    ]


def promises(text):
    """Return the items of the section "What is promised"."""
    section = text.partition("\n## What is promised\n")[2].partition("\n## ")[0]
    return re.findall(r"^- .*(?:\n(?: .*)?)*", section, re.MULTILINE)


def unproven(page, text):
    """Return the promises that do not link to a section of a proof."""
    return [item for item in promises(text) if not any(anchor for _, anchor in links(page, item))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_proofs_lead_there(page):
    assert broken(page, page.read_text()) == []


def test_everything_that_is_promised_links_to_its_proof():
    page = ROOT / "SECURITY.md"
    assert len(promises(page.read_text())) >= 8
    assert unproven(page, page.read_text()) == []


def test_control_links_that_lead_nowhere_are_noticed():
    page = ROOT / "SECURITY.md"
    assert broken(page, "[a](docs/proofs/ground.md#privacy-of-nothing)") == [
        ("ground.md", "privacy-of-nothing")
    ]
    assert broken(page, "[a](docs/proofs/none.md)") == [("none.md", "")]
    assert broken(PROOFS / "ground.md", "[a](#nowhere)") == [("ground.md", "nowhere")]


def test_control_a_promise_without_its_link_is_noticed():
    page = ROOT / "SECURITY.md"
    text = page.read_text()
    items = promises(text)
    for item in items:
        assert unproven(page, text.replace(item, LINK.sub("](https://example.org)", item))) == [
            LINK.sub("](https://example.org)", item)
        ]
