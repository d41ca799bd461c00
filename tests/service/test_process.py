"""The command: what it prints, how it ends, and what is left after it was killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import httpx
import pytest

import lookalike as la
from tests.refusals import refused
from tests.service.running import CAT, PLAN, running


@contextmanager
def served(path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the address that it prints."""
    command = [sys.executable, "-m", "lookalike", "serve", str(path), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    la.Index.create(tmp_path / "x.index", **PLAN).close()
    return tmp_path / "x.index"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service_after_the_requests_in_progress(path: Path, number: int) -> None:
    with served(path) as (process, address), la.Client(address) as client:
        answers: list[object] = []
        documents = [f"{CAT} {word} {word}" for word in range(5000)]
        thread = threading.Thread(target=lambda: answers.append(client.add(documents)))
        thread.start()
        url, _, token = address.partition("/?token=")
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}) as watching:
            while "lookalike_requests_in_progress 2\n" not in watching.get("/metrics").text:
                assert not answers
        process.send_signal(number)
        thread.join(60)
        assert process.wait(60) == 0 and process.stderr is not None
        events = [json.loads(line) for line in process.stderr]
    assert [one["event"] for one in events if one["event"] != "request"] == ["ready", "stopping"]
    with la.Index.open(path) as ix:
        assert len(ix) == 5000 and len(answers) == 1


def test_the_log_has_one_json_object_per_line_whatever_is_sent(path: Path) -> None:
    """The server below the service wrote a line of its own about a request that is not HTTP."""
    with served(path) as (process, address):
        url, _, _ = address.partition("/?token=")
        host, _, port = url.removeprefix("http://").partition(":")
        for sent in (b"\x16\x03\x01\x00\xa5\x01\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"):
            with socket.create_connection((host, int(port)), timeout=10) as connection:
                connection.sendall(sent)
                assert connection.recv(1000).startswith(b"HTTP/1.1 400 ")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0 and process.stderr is not None
        events = [json.loads(line)["event"] for line in process.stderr]
    assert events == ["ready", "Invalid HTTP request received.", "Invalid HTTP request received.", "stopping"]


def test_the_address_is_printed_as_json_too(path: Path) -> None:
    command = [sys.executable, "-m", "lookalike", "serve", str(path), "--port", "0", "--json", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = ""
        while not text.endswith("\n}\n"):
            text += process.stdout.readline()
        summary = json.loads(text)["summary"]
        with la.Client(summary["url"], summary["token"]) as client:
            assert client.info()["documents"] == 0
        process.terminate()
        assert process.wait(20) == 0


def test_a_second_writer_is_refused_and_a_reader_is_not(path: Path) -> None:
    with running(path) as first:
        with refused("index-in-use"), running(path):
            pass
        with running(path, read_only=True) as second:
            first.http.post("/documents", json={"text": CAT, "id": 1})
            assert second.http.get("/documents/1").json()["text"] == CAT


def test_a_missing_index_and_a_taken_port_are_refused(path: Path, tmp_path: Path) -> None:
    with refused("no-such-index"), running(tmp_path / "none.index"):
        pass
    with running(path) as first:
        port = int(first.url.rpartition(":")[2])
        with refused("port-taken", port=port), running(path, port=port):
            pass
    with refused("not-a-host-name", value="http://x"), running(path, allow_host=["http://x"]):
        pass


class Written:
    """What clients know about the documents that they wrote."""

    def __init__(self) -> None:
        self.present, self.deleted, self.uncertain = set[int](), set[int](), set[int]()
        self._lock = threading.Lock()

    def write(self, address: str, first: int) -> None:
        """Adds and deletes documents until the service is gone."""
        with la.Client(address) as client:
            try:
                for step in range(10_000):
                    ids = [first + 10 * step, -first - 10 * step][: 2 if step % 7 == 0 else 1]
                    self._note(ids)
                    client.add({id: f"{CAT} {id}" for id in ids})
                    self._note(ids, self.present)
                    if step % 3 == 0:
                        self._note(ids)
                        client.delete(ids)
                        self._note(ids, self.deleted)
            except la.LookalikeError:
                return

    def _note(self, ids: list[int], certain: set[int] | None = None) -> None:
        with self._lock:
            if certain is None:
                self.uncertain.update(ids)
            else:
                certain.update(ids)
                self.uncertain.difference_update(ids)


@pytest.mark.slow
def test_what_was_acknowledged_is_there_after_kill_9(path: Path) -> None:
    """Clients add and delete documents until the service is killed. Then the index has what was acknowledged."""
    random, written = Random(1), Written()
    for turn in range(5):
        before = len(written.present)
        with served(path, "--quiet") as (process, address):
            firsts = [1_000_000 * (turn + 1) + worker for worker in range(3)]
            threads = [threading.Thread(target=written.write, args=(address, first)) for first in firsts]
            for thread in threads:
                thread.start()
            time.sleep(1 + 2 * random.random())
            os.kill(process.pid, signal.SIGKILL)
            for thread in threads:
                thread.join(20)
        with la.Index.open(path) as ix:
            ix.verify()
            found = {row["id"] for row in ix}
        assert len(written.present) > before + 20
        assert written.present - written.deleted - written.uncertain <= found
        assert not (written.deleted - written.uncertain) & found
        assert found <= written.present | written.uncertain
        written.uncertain.clear()
        written.present = set(found)
