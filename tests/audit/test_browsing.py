"""Everything that pages give away in Chromium is recorded and named, and honest pages pass."""

import ipaddress
import random
import ssl
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from asked import DRINK
from browser import Site, need
from leaking import LATE, LEAKS, TEA, TIMES, LeakySite, page
from privet.audit import Page
from privet.audit.subjects import probes
from privet.audit.traces import given_reports, search
from privet.errors import ClientFailure
from refusing import refused
from serving import Serving

ASKED = probes(TEA, 2, np.random.default_rng(1))


@pytest.fixture
def site():
    need("chromium", "chromium")
    found = LeakySite()
    yield found
    found.end()


def visited(url, labels):
    return list(Page(url, TEA, seconds=20).visits([ASKED[label].answer for label in labels]))


def named(leak, traces):
    return [one for one in traces if one.kind == leak.kind and leak.where in one.where]


@pytest.mark.parametrize("half", [0, 1])
def test_each_leak_is_found_and_named_wherever_it_is(site, half):
    seed = random.SystemRandom().randrange(2**32)
    rng = random.Random(seed)
    chosen = {
        name: rng.choice([time for time in TIMES if leak.late or time not in LATE])
        for name, leak in list(LEAKS.items())[half::2]
    }
    site.html = page(chosen)
    labels = rng.sample([0, 1] * 14, 28)
    found = search(visited(site.url, labels), labels, ASKED, TEA, 0.3)
    for name, time in chosen.items():
        traces = named(LEAKS[name], found.traces)
        assert traces, (seed, name, time, [one[:3] for one in found.traces])
        assert traces[0].of != traces[0].other
        assert traces[0].seen > traces[0].seen_else
        assert traces[0].value != traces[0].other_value


def test_a_plain_page_that_gives_nothing_away_passes(site):
    labels = [0, 1] * 6
    found = search(visited(site.url, labels), labels, ASKED, TEA, 1e-4)
    assert found.traces == []
    assert found.tests > 0


def test_the_services_own_page_and_the_element_pass(tmp_path):
    """Its parts are there, they depend on the answer through the report alone, and one that did
    otherwise would be found.
    """
    need("chromium", "chromium")
    with Serving(tmp_path) as service:
        service.client().create(DRINK)
        site = Site(service)
        asked = probes(DRINK, 4, np.random.default_rng(1))[:2]
        rng = np.random.default_rng()
        for url in (f"{service.url}/surveys/drink/answer", site.page("drink")):
            labels = rng.integers(2, size=10).tolist()
            answers = [asked[label].answer for label in labels]
            visits = list(Page(url, DRINK, seconds=20).visits(answers))
            found = search(visits, labels, asked, DRINK, 1e-4)
            assert found.traces == []
            kinds = {one.kind for visit in visits for one in visit.kept}
            assert {"localStorage", "title", "address"} <= kinds
            assert any(one.is_report for one in visits[0].sent)
            # Labels drawn anew, given the reports, are as good as those that were asked.
            odds = given_reports(DRINK.mechanism, [one.report for one in visits], asked)
            alarms = sum(
                bool(search(visits, rng.random(10) < odds[:, 1], asked, DRINK, 0.05).traces)
                for _ in range(40)
            )
            assert alarms <= 12  # 2 are expected at most; more have a probability below 1e-6
        assert service.client().ask("GET", "/surveys/drink/reports", admin=True).body == b""
        site.end()


def test_what_goes_through_tls_is_recorded(tmp_path, monkeypatch):
    need("chromium", "chromium")
    file = tmp_path / "server.pem"
    file.write_bytes(_certificate())
    monkeypatch.setenv("SSL_CERT_FILE", str(file))  # by which the proxy knows the site
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    site = LeakySite(tls)
    site.html = page({"socket": "as it is chosen", "service worker": "as it is sent"})
    visit, _ = visited(site.url, [0, 1])
    site.end()
    assert site.url.startswith("https://")
    assert any(one.url == f"{site.url}service-worker.js?a=tea" for one in visit.sent)
    assert b"tea" in [one.body for one in visit.sent if one.method == "MESSAGE"]


def _certificate():
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([]), datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1))
    builder = builder.not_valid_after(now + timedelta(days=1)).add_extension(names, critical=True)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return secret + builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)


def test_a_page_that_goes_elsewhere_instead_of_sending_is_named(site):
    site.html = page({}).replace(
        "const report =", "location.href = `/gone?answer=${answer()}`; return; const report ="
    )
    labels = [0, 1] * 6
    visits = visited(site.url, labels)
    assert {one.report for one in visits} == {b""}
    found = search(visits, labels, ASKED, TEA, 0.5)
    assert any(one.kind == "query parameter" and "/gone" in one.where for one in found.traces)


def test_a_page_that_sends_nothing_is_an_error(site):
    site.html = page({}).replace("/reports", "/elsewhere")
    with refused(ClientFailure, "/reports", "POST"):
        list(Page(site.url, TEA, seconds=1).visits(["tea"]))
