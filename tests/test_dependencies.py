"""What privet installs: the bill of materials, and licences that go with Apache's."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dependencies

ROOT = Path(__file__).parents[1]
LOCKED = (ROOT / "constraints.txt").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in dependencies.TABLE.read_text(encoding="utf-8").splitlines()[2:]
]
METADATA = "Metadata-Version: 2.4\nName: {}\nVersion: 1.5\nLicense-Expression: {}\n"


@pytest.fixture
def python(tmp_path):
    """Return the Python of an environment with two packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    (packages,) = (tmp_path / "env").glob("[Ll]ib/**/site-packages")
    for name, licence in (("tea", "MIT"), ("coffee", "BSD-3-Clause OR Apache-2.0")):
        (packages / f"{name}-1.5.dist-info").mkdir()
        written = packages / f"{name}-1.5.dist-info" / "METADATA"
        written.write_text(METADATA.format(name, licence))
    return tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def test_a_bill_is_valid_and_the_same_each_time(python, tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    bill = dependencies.bill_of(python, first)
    dependencies.bill_of(python, second)
    assert first.read_bytes() == second.read_bytes()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert [one["purl"] for one in bill["components"]] == [
        "pkg:pypi/coffee@1.5",
        "pkg:pypi/tea@1.5",
    ]
    rows = "| coffee | 1.5 | BSD-3-Clause OR Apache-2.0 |\n| tea | 1.5 | MIT |\n"
    assert dependencies.table(bill).endswith(rows)


def test_the_licences_shown_are_those_of_what_is_locked():
    named = {name for name, _, _ in ROWS}
    assert {"numpy", "pyarrow", "cryptography", "starlette", "psycopg", "click"} <= named
    for name, version, _ in ROWS:
        if name != "privet":
            pinned = re.escape(re.sub(r"[._]", "-", name))
            assert re.search(rf"^{pinned}=={re.escape(version)} (;|\\)", LOCKED, re.MULTILINE), name


def test_every_licence_goes_with_ours():
    known = r"(MIT|BSD|Apache|ISC|PSF|Python|MPL|LGPL|HPND|0BSD|Zlib)\b"
    for name, _, licence in ROWS:
        assert re.match(known, licence), (name, licence)
