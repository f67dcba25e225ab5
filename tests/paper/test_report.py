"""The page: what it claims, the errata, the files."""

import json
import re
from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from privet import paper
from privet.paper import report
from privet.paper.claims import losses, reductions
from privet.paper.errata import errata

FILES = [
    "agreement.svg", "errors_l1.svg", "errors_l2.svg", "information.json", "information.svg",
    "reduction.svg", "report.html", "table1.json", "understatement.svg",
]  # fmt: skip


# --- claims and errata ----------------------------------------------------------------------


def test_the_reductions_of_the_printed_table(table):
    found = {(gain.region[0], gain.norm): gain for gain in reductions(table)}
    assert {gain.rows for gain in found.values()} == {18}
    printed = {key: round(100 * gain.printed, 1) for key, gain in found.items()}
    assert printed == {("l", "l2"): 14.9, ("l", "l1"): 7.8, ("1", "l2"): 16.8, ("1", "l1"): 8.7}
    for gain in found.values():
        assert gain.marginal == pytest.approx(gain.printed, abs=0.06)
        assert 0.04 < gain.joint < 0.2


def test_the_optimal_size_never_loses_and_the_informative_one_does(table):
    assert losses(table, "ksharp", limit=6) == []
    rows = {(loss.d, loss.epsilon) for loss in losses(table, "kstar", limit=6)}
    assert rows >= {(64, 5.0), (128, 5.0), (256, 5.0)}
    assert all(epsilon >= 2 for _, epsilon in rows)
    assert max(loss.excess for loss in losses(table, "kstar")) == pytest.approx(0.95, abs=0.1)


def test_every_erratum_is_confirmed(table):
    of_table, *others = errata(table)
    assert len(others) == 11
    assert [erratum.where for erratum in others if not erratum.confirmed] == []
    # That one needs more repeats than these.
    assert of_table.where == "Table 1, MRR and k-SS"


# --- the files ------------------------------------------------------------------------------


class Page(HTMLParser):
    """Checks that tags are closed in order; collects pictures, links and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pictures, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        assert not {"href", "onload"} & set(dict(attributes))
        if tag == "img":
            self.pictures.append(dict(attributes))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "new" / "folder"
    return folder, paper.write_report(folder, repeats=2, seed=1)


def test_the_page_needs_no_other_file(written):
    folder, _ = written
    assert sorted(path.name for path in folder.iterdir()) == FILES
    text = (folder / "report.html").read_text("utf-8")
    page = Page(text)
    assert not re.search(r"\$\w|https?:|url\(|None|nan", re.sub(r'src="[^"]*"', "", text))
    assert len(page.pictures) == 5
    for picture in page.pictures:
        assert picture["alt"]
        kind, data = picture["src"].split(",")
        assert kind == "data:image/svg+xml;base64"
        svg = b64decode(data)
        assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
        assert svg in [path.read_bytes() for path in folder.glob("*.svg")]
    words = " ".join(page.words)
    for number in ("0.03361", "9.75e-05", "1.875", "328", "14.9", "3.370"):
        assert number in words


def test_the_data_are_those_of_the_table(written):
    folder, table = written
    cells = json.loads((folder / "table1.json").read_text())
    assert cells == [cell.to_dict() for cell in table.cells]
    curves = json.loads((folder / "information.json").read_text())
    assert curves == paper.information().to_dict()


def test_the_same_seed_writes_the_same_bytes_over_the_old_ones(written, tmp_path):
    folder, _ = written
    (tmp_path / "notes.txt").write_text("as it was")
    (tmp_path / "report.html").write_text("older")
    paper.write_report(tmp_path, repeats=2, seed=1, workers=1)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
    assert (tmp_path / "notes.txt").read_text() == "as it was"
    assert len(list(tmp_path.iterdir())) == len(FILES) + 1


def test_a_failure_leaves_nothing_half_written(tmp_path, monkeypatch):
    (tmp_path / "report.html").write_text("as it was")

    def fail(*args):
        raise RuntimeError("on purpose")

    name, draw = next(iter(report._PICTURES.items()))
    monkeypatch.setattr(report, "_PICTURES", {name: draw, "next": fail})  # one is there by then
    with pytest.raises(RuntimeError, match="on purpose"):
        paper.write_report(tmp_path, repeats=2, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "as it was"
