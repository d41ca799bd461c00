"""A service under load: queries beside a writer and a deleter, and what is left after kill -9.

    python benchmarks/service.py [--documents 100000] [--seconds 60] [--connections 8] [--pause 0]

wrk asks 20,000 different queries over and over. Each is a document of the index with one further word, so its answer
must have status 200 and contain that document. Meanwhile, one client adds documents, one at a time, and another deletes
documents that were added before, both as fast as they are acknowledged (or with pauses of `--pause` milliseconds). All
processes share two cores. Then the service is killed while both are still busy, and the index must contain everything
that was acknowledged, and nothing whose deletion was. It needs wrk.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files, large_corpus, measure

import lookalike as la

CORES = 2
QUERIES = 20_000
SCRIPT = Path(__file__).with_name("service_queries.lua")
BEHIND = 200
"""The number of added documents that stay before the deleter follows."""


def built(documents: int) -> Path:
    """Path of an index of generated documents, which is built once."""

    def build(path: Path) -> None:
        shutil.rmtree(path, ignore_errors=True)
        texts = pq.read_table(large_corpus.write("plain", documents), columns=["text"])["text"]
        ids = pa.array([f"doc-{row}" for row in range(documents)])
        with la.Index.create(path, threshold=0.8, shingles="words:5") as ix:
            ix.add(pa.table({"id": ids, "text": texts}), id="id")

    return build_files.written_once(f"service-{documents}.index", build)


def write_queries(documents: int, path: Path) -> None:
    texts = pq.read_table(large_corpus.write("plain", documents), columns=["text"])["text"]
    rows = np.random.default_rng(1).choice(documents, min(QUERIES, documents), replace=False)
    chosen = texts.take(pa.array(rows)).to_pylist()
    lines = (f"doc-{row}\t{json.dumps({'text': f'{text} further'})}\n" for row, text in zip(rows, chosen, strict=True))
    path.write_text("".join(lines), encoding="utf-8")


@contextmanager
def served(path: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Runs the service in a process of its own. Yields it, its address and its token."""
    command = [sys.executable, "-m", "lookalike", "serve", str(path), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url, _, token = process.stdout.readline().strip().partition("/?token=")
            yield process, url, token
        finally:
            process.kill()


class Changes:
    """A writer and a deleter, and what was acknowledged to them."""

    def __init__(self, url: str, token: str, pause: float) -> None:
        self.added, self.deleted, self.uncertain = list[str](), set[str](), set[str]()
        self.times: dict[str, list[float]] = {"add": [], "delete": []}
        self._url, self._token, self._pause = url, token, pause
        self._rng = np.random.default_rng(2)
        self._is_over = False
        steps = (self._add, self._delete)
        self._threads = [threading.Thread(target=self._run, args=(step,), daemon=True) for step in steps]
        for thread in self._threads:
            thread.start()

    def _run(self, step: Callable[[la.Client], None]) -> None:
        with la.Client(self._url, self._token) as client:
            try:
                while not self._is_over:
                    step(client)
                    time.sleep(self._pause)
            except la.LookalikeError:  # the service is gone
                self._is_over = True

    def _add(self, client: la.Client) -> None:
        id = f"new-{len(self.added)}"
        text = " ".join(f"w{number}" for number in self._rng.integers(50_000, size=100).tolist())
        self.uncertain.add(id)
        began = time.perf_counter()
        client.add({id: text})
        self.times["add"].append(time.perf_counter() - began)
        self.uncertain.discard(id)
        self.added.append(id)

    def _delete(self, client: la.Client) -> None:
        at = len(self.deleted)
        if at + BEHIND >= len(self.added):
            time.sleep(0.01)
            return
        id = self.added[at]
        self.uncertain.add(id)
        began = time.perf_counter()
        client.delete([id])
        self.times["delete"].append(time.perf_counter() - began)
        self.deleted.add(id)
        self.uncertain.discard(id)

    def join(self) -> None:
        for thread in self._threads:
            thread.join(30)

    def compared_with(self, path: Path) -> dict[str, int]:
        """Compares the index with what was acknowledged."""
        with la.Index.open(path) as ix:
            found = {row["id"] for row in ix if row["id"].startswith("new-")}
            ix.verify()
        expected = set(self.added) - self.deleted - self.uncertain
        return {
            "acknowledged and lost": len(expected - found),
            "deleted and still there": len(found & (self.deleted - self.uncertain)),
            "never sent": len(found - set(self.added) - self.uncertain),
        }


def under_load(path: Path, asked: Path, connections: int, seconds: int, pause: float) -> dict[str, Any]:
    with served(path) as (process, url, token):
        changes = Changes(url, token, pause)
        time.sleep(1)
        before = {name: len(times) for name, times in changes.times.items()}
        command = ["wrk", f"-t{connections}", f"-c{connections}", f"-d{seconds}", "--timeout", "10s", "--latency"]
        command += ["-s", str(SCRIPT), url, "--", str(asked), token]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        result["queries per second"] = result["right"] / result["seconds"]
        for name, times in changes.times.items():
            here = np.array(times[before[name] :])
            result[f"{name}: per second"] = len(here) / result["seconds"]
            result[f"{name}: p50"], result[f"{name}: p99"] = 1000 * np.quantile(here, [0.5, 0.99])
        status = Path(f"/proc/{process.pid}/status").read_text()
        result["peak memory of the service, MiB"] = int(status.partition("VmHWM:")[2].split()[0]) / 1024
        os.kill(process.pid, signal.SIGKILL)
        changes.join()
    return result | {"added": len(changes.added), "deleted": len(changes.deleted)} | changes.compared_with(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--pause", type=float, default=0, help="milliseconds between two changes of a client")
    given = parser.parse_args()
    original = built(given.documents)
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:CORES]))
    print(f"{given.documents:,} documents; {measure.machine()}", flush=True)
    with tempfile.TemporaryDirectory(dir=build_files.FOLDER) as folder:
        path, asked = Path(folder) / "x.index", Path(folder) / "queries"
        shutil.copytree(original, path)
        write_queries(given.documents, asked)
        result = under_load(path, asked, given.connections, given.seconds, given.pause / 1000)
    for name, value in result.items():
        print(f"{name:35} {format(value, ',.2f' if isinstance(value, float) else ',')}")


if __name__ == "__main__":
    main()
