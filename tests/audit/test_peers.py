"""Peers are audited where they are installed; the table in the docs is of all of them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.audited_peers import PEERS

from commands import run
from privet.audit.peers import Audited, Peer, audit_peers, markdown, named
from privet.cli.failures import FAILED
from privet.errors import ClientFailure
from refusing import refused

ROOT = Path(__file__).parents[2]


def test_what_is_missing_is_said_in_one_line():
    with refused(ClientFailure, "no-package-a", "no-package-b"):
        audit_peers([Peer(f"no-package-{name}", "X", list) for name in "bab"])


@pytest.mark.parametrize(
    "name", ["nowhere", "benchmarks.audited_peers:NONE", "one:two:", "", "json", "string:digits"]
)
def test_peers_that_are_not_there(name):
    with pytest.raises(ClientFailure):
        named(name)


def test_the_command_audits_those_that_are_named(monkeypatch, tmp_path):
    (tmp_path / "peers_of_mine.py").write_text(
        "from privet.audit.peers import Peer\n"
        "PEERS = [Peer('numpy', 'none', lambda: lambda value: bytes([value]))]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    result = run("audit", "--peers", "peers_of_mine:PEERS", "--trials", 1000, "--json")
    assert result.exit_code == FAILED
    (row,) = json.loads(result.stdout)["peers"]
    assert (row["package"], row["protocol"], row["passed"]) == ("numpy", "none", False)


def test_the_installed_ones_are_audited():
    """Some protocols of one package; `make peers` audits all of both."""
    few = [peer for peer in PEERS if peer.protocol in ("GRR", "SS", "HE")]
    rows = audit_peers(few, 2_000)
    found = {row.protocol: row for row in rows if row.package == "multi-freq-ldpy"}
    assert {name: row.passed for name, row in found.items()} == {
        "GRR": True,
        "SS": False,  # the person's value comes first whenever it is in the set
        "HE": False,  # noise in floating point shows in the lowest bits
    }


def test_the_table():
    rows = [
        Audited("one", "1.0", "A", 1.0, 0.98765, "byte 0 is 3"),
        Audited("two", "2.0", "B", 1.0, 4.0, "length, byte 0 is 3"),
        Audited("two", "2.0", "C", 1.0, -np.inf, "too few reports"),
    ]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in markdown(rows).splitlines()[2:]
    ]
    assert [row[:4] + row[5:] for row in cells] == [
        ["one 1.0", "A", "1", "0.988", "byte 0 is 3"],
        ["two 2.0", "B", "1", "4.000", "length, byte 0 is 3"],
        ["two 2.0", "C", "1", "–", "too few reports"],
    ]
    assert [("**" in row[4]) for row in cells] == [False, True, False]  # where ε is exceeded


def test_the_docs_have_every_peer_as_the_benchmarks_install_it():
    pinned = dict(
        re.findall(r"^([\w-]+)==(.+)$", (ROOT / "benchmarks/requirements.txt").read_text(), re.M)
    )
    table = (ROOT / "benchmarks/PEERS.md").read_text()
    rows = re.findall(r"^\| ([\w-]+) ([\d.]+) \| (\w+) \| 1 \| ([\d.]+) \| (.+?) \|", table, re.M)
    assert [(package, protocol) for package, _, protocol, *_ in rows] == [
        (peer.package, peer.protocol) for peer in PEERS
    ]
    for package, version, _, bound, verdict in rows:
        assert version == pinned[package]
        assert (float(bound) > 1) == ("exceeded" in verdict)
