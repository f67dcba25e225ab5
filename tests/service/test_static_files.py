"""The files of the pages: those of the folder, and no others."""

import gzip

import pytest

from privet.service.static_files import files
from serving import Serving


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("service")) as server:
        yield server.client()


def test_every_file_is_served_as_what_it_is_and_once(client):
    kinds = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    for name, file in files().items():
        answer = client.get(f"/static/{name}")
        assert answer.body == file.body
        assert answer.headers["content-type"].partition(";")[0] == kinds[name.partition(".")[2]]
        packed = client.get(f"/static/{name}", Accept_Encoding="gzip, br")
        assert (packed.headers["content-encoding"], packed.headers["vary"]) == (
            "gzip", "Accept-Encoding"
        )  # fmt: skip
        assert gzip.decompress(packed.body) == file.body
        again = client.get(f"/static/{name}", If_None_Match=answer.headers["etag"])
        assert (again.status, again.body, answer.headers["cache-control"]) == (304, b"", "no-cache")


@pytest.mark.parametrize("name", ["login.html", "..%2fpages.py", ".", "privet", "nope.js"])
def test_nothing_else_is(client, name):
    assert client.get(f"/static/{name}").status == 404


def test_pages_of_others_may_use_the_element_alone(client):
    for name in files():
        headers = client.get(f"/static/{name}", Origin="https://a.example").headers
        shared = name.endswith(".js") and name.startswith(("privet", "messages"))
        assert headers.get("access-control-allow-origin") == ("*" if shared else None), name
        assert headers.get("cross-origin-resource-policy") == ("cross-origin" if shared else None)
