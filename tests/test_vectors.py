"""The published vectors: the single-report path and the naive twin agree with them."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import naive
from privet import Survey
from privet.entropy import Stream
from privet.errors import InvalidReport
from privet.mechanisms import KSubset, by_name

VECTORS = json.loads((Path(__file__).parent / "vectors" / "algorithm.json").read_text())


def mechanism_of(entry):
    parameters = dict(entry["mechanism"])
    return by_name[parameters.pop("name")].from_parameters(entry["d"], entry["epsilon"], parameters)


@pytest.mark.parametrize(
    "entry", VECTORS["surveys"], ids=lambda e: f"{e['mechanism']['name']}-{e['d']}"
)
def test_bytes_in_report_out(entry):
    mechanism, d = mechanism_of(entry), entry["d"]
    for case in entry["cases"]:
        data, report = bytes.fromhex(case["bytes"]), bytes.fromhex(case["report"])

        pieces = [data]
        stream = Stream(lambda size, pieces=pieces: pieces.pop(), len(data))
        assert mechanism.sample(case["value"], stream) == report
        assert stream._at == len(data)

        if mechanism.name == "binary-rr":
            members, k = naive.binary_rr(naive.Bytes(data), case["value"], d, mechanism.flip), None
        else:
            integers = mechanism.k, mechanism.odds, mechanism.scale, mechanism.start
            members, k = naive.k_subset(naive.Bytes(data), case["value"], d, *integers), mechanism.k
        assert naive.pack(members, d, k) == report


@pytest.mark.parametrize("entry", VECTORS["keyed"], ids=lambda e: e["fingerprint"][:8])
def test_secret_in_report_out(entry):
    survey = Survey.from_json(entry["survey"])
    assert survey.to_json() == entry["survey"]
    assert survey.fingerprint == entry["fingerprint"]
    answer, secret = survey.categories[entry["value"]], bytes.fromhex(entry["secret"])
    assert survey.randomize(answer, secret=secret).hex() == entry["report"]

    # The same from the primitives that section 6 of docs/algorithm.md names.
    import hashlib
    import hmac

    message = b"privet answer " + bytes.fromhex(entry["fingerprint"])
    message += entry["value"].to_bytes(8, "big")
    key = hmac.new(secret, message, hashlib.sha256).digest()
    cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    m = survey.mechanism
    stream = naive.Bytes(cipher.update(bytes(10_000)))
    members = naive.k_subset(stream, entry["value"], m.d, m.k, m.odds, m.scale, m.start)
    assert naive.pack(members, m.d, m.k).hex() == entry["report"]


@pytest.mark.parametrize("entry", VECTORS["refused"], ids=lambda e: e["why"].replace(" ", "-"))
def test_refused_reports(entry):
    with pytest.raises(InvalidReport):
        KSubset(entry["d"], 1.0, entry["k"]).check(bytes.fromhex(entry["report"]))


def test_the_vectors_cover_what_they_should():
    entries = VECTORS["surveys"]
    assert {entry["d"] for entry in entries} == {2, 3, 5, 16, 100, 1000}
    assert len({entry["epsilon"] for entry in entries}) >= 3
    subsets = [e for e in entries if e["mechanism"]["name"] == "k-subset"]
    assert any(2 * e["mechanism"]["k"] > e["d"] for e in subsets)
    assert {0, 1, 2} <= {e["mechanism"]["start"][1] for e in subsets}
    widths = {len(e["cases"][0]["report"]) // 2 for e in subsets}
    assert len(widths) > 4
