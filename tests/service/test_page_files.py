"""The files of the page are served with their types and a strict policy, and no path leads to anything else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lookalike.service.routes.page import POLICY, TYPES, static_files
from tests.service.running import CAT, Running, over, problem


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    with over({"cat": CAT}, read_only=True) as service:
        yield service


def test_every_file_is_served_without_a_key(shared: Running) -> None:
    for name, path in static_files().items():
        for method in ("GET", "HEAD"):
            answer = httpx.request(method, f"{shared.url}/page/{name}")
            assert answer.status_code == 200 and answer.content == (path.read_bytes() if method == "GET" else b"")
            assert answer.headers["content-type"] == TYPES[path.suffix]
            assert answer.headers["content-security-policy"] == POLICY
            assert answer.headers["x-content-type-options"] == "nosniff"
        tag = {"If-None-Match": answer.headers["etag"]}
        assert httpx.get(f"{shared.url}/page/{name}", headers=tag).status_code == 304


def test_the_policy_allows_no_inline_script_and_no_other_site() -> None:
    directives = dict(one.split(" ", 1) for one in POLICY.split("; "))
    assert directives["default-src"] == "'none'" and directives["script-src"] == directives["style-src"] == "'self'"
    assert "unsafe" not in POLICY and "http" not in POLICY and directives["frame-ancestors"] == "'none'"


TRICKS = (
    "..", "../__init__.py", "..%2f__init__.py", "%2e%2e/__init__.py", "%2e%2e%2f%2e%2e%2fserver.py", "....//server.py",
    "..\\server.py", "..%5cserver.py", "/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", ".", "./", "", "%00",
    "index.html%00.js", "index.html/", "index.html/..", "views/../index.html", "./index.html", "INDEX.HTML",
    "C:/x.js", "index.html::$DATA", "%ff", "views", "%252e%252e/server.py", "index.html%20", "~/x.js",
)  # fmt: skip


@pytest.mark.parametrize("trick", TRICKS)
def test_a_path_trick_finds_nothing(shared: Running, trick: str) -> None:
    """The request is written by hand, because a client would tidy the path up."""
    host, _, port = shared.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(f"GET /page/{trick} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    status = answer.split(b" ", 2)[1]
    assert status in (b"404", b"401"), answer[:200]  # 401: the path of another resource, which needs a key
    assert b"import" not in answer and b"root:" not in answer


def test_hidden_files_links_and_unknown_kinds_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_text("secret")
    folder = tmp_path / "static"
    (folder / "parts").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("a.js", "parts/b.css", ".hidden.js", ".git/c.js", "d.py", "e", "f.exe"):
        (folder / name).write_text("")
    (folder / "link.txt").symlink_to(tmp_path / "secret" / "key.txt")
    (folder / "linked").symlink_to(tmp_path / "secret")
    assert list(static_files(folder)) == ["a.js", "parts/b.css"]
    assert static_files(tmp_path / "missing") == {}


def test_other_methods_are_refused(shared: Running) -> None:
    problem(shared.http.post("/page/index.html"), 405, "no-such-method")
