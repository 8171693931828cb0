"""Static files: packed for those who can unpack them, and the same for all."""

import gzip
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from plaudit.web.http.static_files import Checked

TEXT = b"// nothing\n" * 200


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    (tmp_path / "page.js").write_bytes(TEXT)
    (tmp_path / "letters.woff2").write_bytes(TEXT)
    return TestClient(Starlette(routes=[Mount("/", Checked(directory=tmp_path))]))


def raw(client: TestClient, path: str, **headers: str) -> tuple[bytes, dict[str, str]]:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    with client.stream("GET", path, headers=named) as answer:
        return b"".join(answer.iter_raw()), dict(answer.headers) | {"status": answer.status_code}


def test_a_script_comes_packed_or_plain(client: TestClient) -> None:
    packed, told = raw(client, "/page.js", accept_encoding="br, gzip")
    assert told["content-encoding"] == "gzip"
    assert int(told["content-length"]) == len(packed) < len(TEXT) / 10
    assert gzip.decompress(packed) == TEXT
    plain, said = raw(client, "/page.js", accept_encoding="identity")
    assert plain == TEXT
    assert "content-encoding" not in said
    assert said["vary"] == told["vary"] == "accept-encoding"
    assert said["content-type"] == told["content-type"]
    for found in (told, said):
        assert found["cache-control"] == "no-cache"
        assert found["access-control-allow-origin"] == "*"


def test_what_a_browser_has_is_not_sent_again(client: TestClient) -> None:
    _, told = raw(client, "/page.js", accept_encoding="gzip")
    body, again = raw(client, "/page.js", accept_encoding="gzip", if_none_match=told["etag"])
    assert (again["status"], body) == (304, b"")


def test_a_changed_file_is_packed_anew(client: TestClient, tmp_path: Path) -> None:
    raw(client, "/page.js", accept_encoding="gzip")
    (tmp_path / "page.js").write_bytes(b"// new")
    packed, _ = raw(client, "/page.js", accept_encoding="gzip")
    assert gzip.decompress(packed) == b"// new"


def test_fonts_are_kept_and_never_packed_twice(client: TestClient) -> None:
    body, told = raw(client, "/letters.woff2", accept_encoding="gzip")
    assert body == TEXT
    assert "immutable" in told["cache-control"]
    assert "content-encoding" not in told
