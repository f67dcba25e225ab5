"""Peers are audited where they are installed; the table in the docs is of all of them."""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from privet.audit.peers import PEERS, Audited, audit_peers, markdown
from privet.errors import ClientFailure

ROOT = Path(__file__).parents[2]
INSTALLED = [name for name in ("multi_freq_ldpy", "pure_ldp") if find_spec(name)]


@pytest.mark.skipif(bool(INSTALLED), reason="peers are installed")
def test_what_to_install_is_said_in_one_line():
    with pytest.raises(
        ClientFailure, match="^No peer is installed: pip install multi-freq-ldpy .*$"
    ):
        audit_peers()


@pytest.mark.skipif(len(INSTALLED) < 2, reason="not all peers are installed")
def test_the_installed_ones_are_audited():
    rows = audit_peers(trials=4_000)
    assert [(row.package, row.protocol) for row in rows] == [
        (peer.package, peer.protocol) for peer in PEERS
    ]
    wrong = [(row.package, row.protocol) for row in rows if not row.passed]
    surely = [("multi-freq-ldpy", "SS"), ("multi-freq-ldpy", "HE"), ("pure-ldp", "HE")]
    assert [one for one in wrong if one != ("pure-ldp", "RAPPOR")] == surely


def test_the_table():
    rows = [
        Audited("one", "1.0", "A", 1.0, 0.98765, "byte 0 is 3"),
        Audited("two", "2.0", "B", 1.0, 4.0, "length, byte 0 is 3"),
        Audited("two", "2.0", "C", 1.0, -np.inf, "too few reports"),
    ]
    assert markdown(rows).splitlines()[2:] == [
        "| one 1.0 | A | 1 | 0.988 | ε held | byte 0 is 3 |",
        "| two 2.0 | B | 1 | 4.000 | **ε exceeded** | length, byte 0 is 3 |",
        "| two 2.0 | C | 1 | – | ε held | too few reports |",
    ]


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
