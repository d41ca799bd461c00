"""Loopback is no protection: a request needs a key, and must not come from a page of another site."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import lookalike as la
from lookalike.service.gate import HEADERS
from lookalike.service.keys import Keys
from tests.refusals import refused
from tests.service.running import CAT, PLAN, Running, over, problem, running

READER, WRITER = "r" * 40, "w" * 40


@pytest.fixture(scope="module")
def shared() -> Iterator[Running]:
    with over({"cat": CAT}) as service:
        yield service


def key_file(folder: Path) -> Path:
    path = folder / "keys.toml"
    lines = [
        f"[{name}]\nsha256 = '{hashlib.sha256(key.encode()).hexdigest()}'\nscopes = {json.dumps(scopes)}\n"
        for name, key, scopes in (("reader", READER, ["read"]), ("writer", WRITER, ["read", "write"]))
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


OPEN = ("/healthz", "/readyz", "/openapi.json")
CLOSED = ("/info", "/metrics", "/documents/cat", "/clusters", "/clusters/cat", "/signatures/cat", "/")


@pytest.mark.parametrize("path", [*OPEN, *CLOSED])
def test_without_a_key_only_health_is_answered(shared: Running, path: str) -> None:
    answer = httpx.get(shared.url + path)
    if path in OPEN:
        assert answer.status_code == 200
        return
    problem(answer, 401, "no-key")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["Bearer x", "Basic eDp5", "bearer", "Bearer é"])
def test_a_wrong_key_is_refused(shared: Running, header: str) -> None:
    answer = httpx.get(f"{shared.url}/info", headers={b"authorization": header.encode("latin-1")})
    problem(answer, 401, "unknown-key")
    assert "x" not in answer.json()["values"]


def test_a_key_that_may_only_read_cannot_write(tmp_path: Path) -> None:
    with over({"cat": CAT}, keys=key_file(tmp_path)) as service:
        as_reader, as_writer = ({"Authorization": f"Bearer {key}"} for key in (READER, WRITER))
        for method, body in (("POST", {"text": "x"}), ("DELETE", {"ids": ["cat"]})):
            sent = httpx.request(method, f"{service.url}/documents", json=body, headers=as_reader)
            problem(sent, 403, "no-scope", name="reader", scope="write")
        assert httpx.get(f"{service.url}/documents/cat", headers=as_reader).status_code == 200
        sent = httpx.post(f"{service.url}/documents", json={"text": "x y z", "id": "x"}, headers=as_writer)
        assert sent.json()["added"] == 1
        with service.client(READER) as client, refused("no-scope", scope="write"):
            client.delete(["cat"])
        # a key of the file does not become a session that may do everything
        problem(httpx.get(f"{service.url}/?token={WRITER}"), 401, "unknown-key")


def test_a_name_bound_to_loopback_afterwards_is_refused(shared: Running) -> None:
    """DNS rebinding: a page of attacker.example sends requests to its own name, which now means 127.0.0.1."""
    for host in ("attacker.example", "attacker.example:8321", "127.0.0.1.attacker.example", "127.0.0.1@x", ""):
        problem(shared.http.get("/documents/cat", headers={"Host": host}), 421, "foreign-host")
    port = shared.url.rpartition(":")[2]
    for host in ("localhost", f"LOCALHOST:{port}", f"[::1]:{port}", "127.0.0.1"):
        assert shared.http.get("/documents/cat", headers={"Host": host}).status_code == 200


def test_a_form_of_another_site_is_refused(shared: Running) -> None:
    """A form needs no permission to be sent across sites, and a browser adds the cookie of the service."""
    with httpx.Client(base_url=shared.url) as browser:
        assert browser.get(f"/?token={shared.prepared.token}").status_code == 303
        assert browser.get("/info").status_code == 200
        forms = {
            "application/x-www-form-urlencoded": b"text=injected&id=evil",
            "multipart/form-data; boundary=x": b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nx\r\n--x--',
            "text/plain": b'{"text": "injected", "id": "evil", "=": ""}',
        }
        for kind, body in forms.items():
            for origin in ({"Origin": "http://attacker.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
                sent = browser.post("/documents", content=body, headers={"Content-Type": kind} | origin)
                problem(sent, 403, "foreign-origin")
            problem(browser.post("/documents", content=body, headers={"Content-Type": kind}), 415, "unknown-media-type")
        another_port = {"Origin": "http://localhost:3000", "Content-Type": "application/json"}
        problem(browser.post("/documents", content=b'{"text": "x"}', headers=another_port), 403, "foreign-origin")
        problem(shared.http.get("/documents/evil"), 404, "no-such-id")


def test_a_page_of_the_service_itself_is_answered(shared: Running) -> None:
    headers = {"Origin": shared.url, "Sec-Fetch-Site": "same-origin"}
    assert shared.http.post("/query", json={"text": CAT}, headers=headers).status_code == 200


def test_a_link_on_another_site_only_leads_to_the_start(shared: Running) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert httpx.get(f"{shared.url}/?token={shared.prepared.token}", headers=link).status_code == 303
    problem(shared.http.get("/info", headers=link), 403, "foreign-origin")
    frame = link | {"Sec-Fetch-Dest": "iframe"}
    problem(httpx.get(f"{shared.url}/?token={shared.prepared.token}", headers=frame), 403, "foreign-origin")


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(shared: Running) -> None:
    answer = httpx.get(f"{shared.url}/?token={shared.prepared.token}")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and str(shared.prepared.token) not in cookie
    assert answer.headers["location"] == "/"
    problem(httpx.get(f"{shared.url}/?token=guess"), 401, "unknown-key")
    name = cookie.partition("=")[0]
    problem(httpx.get(f"{shared.url}/info", headers={"Cookie": f"{name}=guess"}), 401, "no-key")


@pytest.mark.parametrize("path", ["/info", "/nothing", "/documents/none", "/openapi.json"])
def test_every_answer_has_security_headers_and_allows_no_other_site(shared: Running, path: str) -> None:
    answer = shared.http.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "unsafe" not in answer.headers["content-security-policy"] and len(answer.headers["x-request-id"]) == 16
    asked = {"Origin": shared.url, "Access-Control-Request-Method": "DELETE"}
    for one in (answer, shared.http.options(path, headers=asked)):
        assert not [name for name in one.headers if name.startswith("access-control-")]
        assert "server" not in one.headers


def test_the_key_of_the_index_and_the_plan_never_leave_the_service(tmp_path: Path) -> None:
    """Whoever knows the key of an index can prepare texts that collide in it."""
    path = tmp_path / "x.index"
    with la.Index.create(path, threshold=0.5, shingles=la.Words(2, key=1234567890123456789), seed=987654321987) as made:
        made.add({"a": CAT, "b": CAT + "!"})
        assert "1234567890123456789" in made.plan.to_toml()
    with running(path) as service:
        http, arrow = service.http, {"Accept": "application/vnd.apache.arrow.stream"}
        answers = [http.get(where) for where in ("/info", "/metrics", "/clusters", "/clusters/a", "/documents/a", "/")]
        answers += [http.post("/query", json={"text": CAT}, headers=headers) for headers in ({}, arrow)]
        answers += [http.post("/compare", json={"a": CAT, "b": {"id": "b"}}), http.post("/explain", json={})]
        answers += [http.get("/signatures/a"), http.post("/query", json={"text": CAT, "threshold": 0.1})]
        for answer in answers:
            assert b"1234567890123456789" not in answer.content and str(path).encode() not in answer.content


def test_the_service_does_not_listen_elsewhere_without_keys(tmp_path: Path) -> None:
    la.Index.create(tmp_path / "x.index", **PLAN).close()
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with refused("needs-keys", host=host), running(tmp_path / "x.index", host=host):
            pass


def test_without_a_start_token_only_keys_of_the_file_are_valid(tmp_path: Path) -> None:
    la.Index.create(tmp_path / "x.index", **PLAN).close()
    with running(
        tmp_path / "x.index", host="0.0.0.0", keys=key_file(tmp_path), allow_host=["search.example"]
    ) as service:
        assert service.prepared.token is None and "token" not in service.prepared.address
        at = service.url.replace("0.0.0.0", "127.0.0.1")
        problem(httpx.get(f"{at}/info"), 401, "no-key")
        headers = {"Authorization": f"Bearer {READER}"}
        assert httpx.get(f"{at}/info", headers=headers).status_code == 200
        assert httpx.get(f"{at}/info", headers=headers | {"Host": "search.example"}).status_code == 200


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no-keys"),
        ("[a]\nsha256 = 'x'\nscopes = ['read']", "invalid-key-entry"),
        ("[a]\nscopes = ['read']", "invalid-key-entry"),
        (f"[a]\nsha256 = '{'0' * 64}'\nscopes = []", "invalid-key-entry"),
        (f"[a]\nsha256 = '{'0' * 64}'\nscopes = ['admin']", "invalid-key-entry"),
        (f"[a]\nsha256 = '{'0' * 64}'\nscopes = [['read']]", "invalid-key-entry"),
        (f"[a]\nkey = 'plain'\nsha256 = '{'0' * 64}'\nscopes = ['read']", "invalid-key-entry"),
        ("a = 1", "invalid-key-entry"),
        ("[a", "keys-not-readable"),
        ("\n".join(f"[{name}]\nsha256 = '{'0' * 64}'\nscopes = ['read']" for name in "ab"), "key-given-twice"),
    ],
)  # fmt: skip
def test_a_file_of_keys_is_checked(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "keys.toml").write_text(text, encoding="utf-8")
    with refused(code):
        Keys.load(tmp_path / "keys.toml")


def test_a_missing_file_of_keys_is_an_error(tmp_path: Path) -> None:
    with refused("keys-not-readable"):
        Keys.load(tmp_path / "none.toml")


def test_a_refused_method_is_answered_with_all_methods_of_the_path(shared: Running) -> None:
    answer = shared.http.put("/documents")
    problem(answer, 405, "no-such-method", method="PUT")
    assert answer.headers["allow"] == "DELETE, POST"
