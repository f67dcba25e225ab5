"""Every claim of privacy on the pages links to its proof, and the links lead there.

A claim is a passage (a paragraph, an item of a list, a row of a table) with one of the phrases by
which these pages make promises. Proofs name the tests: `test_proofs.py` holds them to that.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# The pages of docs/project are files of the repository; what they say of privacy is SECURITY.md.
ELSEWHERE = {DOCS / "proofs", DOCS / "project"}
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md"] + [
    page for page in sorted(DOCS.rglob("*.md")) if ELSEWHERE.isdisjoint(page.parents)
]
CLAIM = re.compile(
    r"""
    ε-(?:LDP|local|private) | differential\ privacy | likelihood\ ratio
    | \btimes\ (?:as\ likely|likelier) | (?:promise|both)\ holds?\ exactly
    | (?:less|as)\ private\ (?:as|than) | privacy\ of\ one | keeps\ to\ ε
    | (?:more\ than|as\ far\ as)\ ε\b
    | (?:what|never|only\ the\ report|nothing\ else)\ leaves | never\ reach
    | never\ (?:sees|an\ answer|answers)
    | no\ endpoint | safe\ to\ send | trusted\ with\ (?:nothing|little)
    | (?:reveals?|says?|costs?)\b.{,40}\ (?:nothing|no)\ more\b | costs?\ (?:no\ )?privacy
    | \bε\ (?:=\ \S+\ )?(?:once|as\ a\ whole)\b | beyond\ the\ budget
    | secret\ and\ the\ contract\ alone
    | does\ not\ (?:reveal|tell|give)\ (?:the|their)\ answer | randomized\ before | touch\ a\ disk
    | in\ \**random\ order | no\ (?:order|seed|spare\ bits)\b | not\ stored
    | same\ (?:draws|number\ of\ bytes|size) | holds?\ (?:nothing\ else|reports\ alone)
    | says?\ nothing\ of\ whose | not\ say\ whose
    | nothing\ (?:stored|links|is\ kept|that\ tells)
    | no\ (?:cookie|access\ log|addresses) | (?:has\ an|have)\ address | \bcertif(?:y|ies)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
PROOF = re.compile(r"\]\(((?:[\w./]*/)?proofs/[\w-]+\.md)(?:#([^)\s]+))?\)")
# Passages that use such words and promise nothing of this code, by how they begin.
NO_CLAIMS = {
    "docs/algorithm.md": {"| `mechanism.odds`, `mechanism.scale`": "the name of a field"},
    "docs/attacks.md": {
        "**Why not hide which question it was?**": "another mechanism, which is not offered",
    },
    "docs/concepts/epsilon.md": {
        "> For any report and any two answers": "the definition",
        "With more than two answers": "a bound on guesses, from the definition",
    },
    "docs/designs.md": {"- a count is a sum of such hits": "information, of any design"},
    "docs/guides/auditing_clients.md": {"`Page(url, survey)` opens a page": "an audit's reports"},
    "docs/guides/clients.md": {
        "- A contract is refused if its integers": "what a client of others should do",
        "- Nothing else leaves the device": "what a client of others should do",
    },
    "docs/mathematics.md": {"`regression/`. A person with the covariates": "the likelihood"},
}


def passages(text):
    """The paragraphs, items and rows of a page, each as one line; code is left out."""
    text = re.sub(r"^( *)(```|:::).*?^\1\2\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |\|))", text)
    return [" ".join(part.split()) for part in parts if not part.startswith("    ")]


def claims(text):
    """The passages that promise something, links or not."""
    return [part for part in passages(text) if CLAIM.search(re.sub(r"\]\([^)]*\)|\[", "", part))]


def unproven(page, text):
    """The claims without a link to a proof, and which passages are none."""
    listed = NO_CLAIMS.get(page.relative_to(ROOT).as_posix(), {})
    left = [part for part in claims(text) if not PROOF.search(part)]
    known = {start for start in listed if any(part.startswith(start) for part in left)}
    return [part for part in left if not part.startswith(tuple(listed))], known


def anchors(page):
    """What headings of a page are linked by, as GitHub and the site make it."""
    headings = re.findall(r"^#+ (.*)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_claim_links_to_its_proof(page):
    left, known = unproven(page, page.read_text())
    assert not left
    assert known == NO_CLAIMS.get(page.relative_to(ROOT).as_posix(), {}).keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_proofs_lead_there(page):
    for link, anchor in PROOF.findall(page.read_text()):
        proof = (page.parent / link).resolve()
        assert proof.is_file(), link
        assert proof.parent == DOCS / "proofs"
        assert not anchor or anchor in anchors(proof), f"{link}#{anchor}"


def test_links_between_proofs_lead_there():
    for page in (DOCS / "proofs").glob("*.md"):
        for link, anchor in re.findall(r"\]\(([\w-]+\.md)#([^)]+)\)", page.read_text()):
            assert anchor in anchors(page.parent / link), f"{page.name}: {link}#{anchor}"


def test_everything_that_is_promised_has_a_proof():
    text = (ROOT / "SECURITY.md").read_text()
    promised = text.partition("## What is promised")[2].partition("\n## ")[0]
    items = [part for part in passages(promised) if part.startswith("- ")]
    assert len(items) >= 8
    assert all(PROOF.search(item) for item in items)


def test_control_claims_without_their_links_are_noticed():
    pages = {page: page.read_text() for page in PAGES}
    without = {page: PROOF.sub("](none.md)", text) for page, text in pages.items()}
    found = [part for page, text in without.items() for part in unproven(page, text)[0]]
    assert len(found) > 50
    assert claims("Only the report leaves it.\n\n    code: ε-private\n\nAll is well.") == [
        "Only the report leaves it."
    ]
