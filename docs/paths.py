"""Links between files of the repository that have become pages of the site."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
# Files that the repository's own pages link to, and the site's pages of them.
PAGES = {
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "SECURITY.md": "project/security",
    "docs/project/upgrading.md": "project/upgrading",
    "benchmarks/ACCURACY.md": "project/accuracy",
    "benchmarks/GROWTH.md": "project/growth",
    "benchmarks/MUTANTS.md": "project/mutants",
    "benchmarks/RESULTS.md": "project/benchmarks",
    "benchmarks/SCALES.md": "project/scales",
    "benchmarks/INTERVALS.md": "project/intervals",
}


def lead_to_pages(app, *where):
    """Rewrite links to such files, and theirs to pages; Sphinx gives the text last, in a list."""
    content = where[-1]
    content[0] = content[0].replace("](docs/", "](/")
    for file, page in PAGES.items():
        for written in (f"](../{file})", f"]({file})", f"]({Path(file).name})"):
            content[0] = content[0].replace(written, f"](/{page}.md)")
