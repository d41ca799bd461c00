"""The review of a million documents: how long the page waits for clusters, and for decisions.

    python benchmarks/review.py [--documents 1000000] [--kinds index result] [--rounds 200]

A tenth of the documents are copies, so there are tens of thousands of clusters. The service is started on an index,
and on the saved result of `dedupe`. Requests are those of the page: the summary, the first page of the queue, a
cluster, two texts side by side, a decision, and its undo. They are asked while the figures of the clusters are still
computed, and again when all figures are known. A decision is on the disk before it is acknowledged.
"""

from __future__ import annotations

import argparse
import http.client
import json
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from common import build_files, large_corpus, measure

import lookalike as la

PLAN: dict[str, Any] = {"threshold": 0.8, "shingles": "words:5"}

Times = dict[str, list[float]]


def built(kind: str, documents: int) -> Path:
    """Path of an index or of a saved result, which is made once."""
    corpus = large_corpus.write("plain", documents)

    def build(path: Path) -> None:
        shutil.rmtree(path, ignore_errors=True)
        if kind == "index":
            with la.Index.create(path, **PLAN) as ix:
                ix.add(corpus, column="text")
        else:
            la.dedupe(corpus, column="text", keep="longest", **PLAN).save(path)

    return build_files.written_once(f"review-{documents}.{kind}", build)


class Page:
    """Asks what the page asks, over one connection, and measures how long each answer takes."""

    def __init__(self, address: str) -> None:
        url, _, token = address.partition("/?token=")
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.times: Times = defaultdict(list)

    def ask(self, name: str, path: str, **members: Any) -> Any:
        body = json.dumps(members) if members else None
        began = time.perf_counter()
        self._connection.request("POST" if members else "GET", f"/review/{path}", body, self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        self.times[name].append(1000 * (time.perf_counter() - began))
        assert answer.status == 200, content
        return json.loads(content)

    def review(self, rounds: range) -> None:
        """Reviews clusters, as the page does. Every decision is undone, so that all clusters stay open."""
        for i in rounds:
            queue = self.ask("first page of the queue", "queue?limit=50")
            if i % 10 == 0:
                self.ask("summary", "summary")
                self.ask("queue by size", "queue?limit=50&order=size")
                self.ask("queue of a range", "queue?limit=50&min_least=0.5&max_least=0.9")
                self.ask("queue of a word", f"queue?limit=50&search=doc{i}")
            key = queue["clusters"][i % len(queue["clusters"])]["key"]
            found = self.ask("a cluster", f"clusters/{key}?members=100")
            first, second = (member["row"] for member in found["members"][:2])
            self.ask("two texts side by side", f"compare?a={first}&b={second}")
            action = ("accept", "distinct", "skip")[i % 3]
            self.ask("decision", "decisions", action=action, cluster=key)
            self.ask("undo", "undo", step=None)


@contextmanager
def served(path: Path) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """Runs the service. Yields it, its address, and how many seconds it needed to start."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "lookalike", "serve", str(path), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            yield process, address, time.perf_counter() - began
        finally:
            process.terminate()


def shown(title: str, times: Times) -> None:
    print(f"\n{title:40} {'times':>7} {'p50':>9} {'p99':>9} {'longest':>9}   ms")
    for name, values in times.items():
        p50, p99 = np.quantile(values, [0.5, 0.99])
        print(f"{name:40} {len(values):7,} {p50:9,.1f} {p99:9,.1f} {max(values):9,.1f}")


def measured(kind: str, documents: int, rounds: int) -> None:
    path = built(kind, documents)
    journal = path.with_name(path.name + ".decisions.jsonl")
    journal.unlink(missing_ok=True)
    with served(path) as (process, address, start):
        page = Page(address)
        began = time.perf_counter()
        first = page.ask("first summary", "summary")
        page.ask("first page, first time", "queue?limit=50")
        done = 0
        while not page.ask("summary", "summary")["figures"]["complete"]:
            page.review(range(done, done + 10))
            done += 10
        figures = time.perf_counter() - began
        early, page.times = page.times, defaultdict(list)
        page.review(range(rounds))
        memory = int(Path(f"/proc/{process.pid}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    journal.unlink(missing_ok=True)
    clusters = sum(first["states"].values())
    print(
        f"\n{kind}: {clusters:,} clusters; started in {start:.1f} s; "
        f"all figures after {figures:.1f} s; {memory:,.0f} MiB"
    )
    shown(f"{kind}, figures not yet complete", early)
    shown(f"{kind}, figures complete", page.times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kinds", nargs="+", choices=["index", "result"], default=["index", "result"])
    parser.add_argument("--rounds", type=int, default=200)
    given = parser.parse_args()
    print(f"{given.documents:,} documents; {measure.machine()}", flush=True)
    for kind in given.kinds:
        measured(kind, given.documents, given.rounds)


if __name__ == "__main__":
    main()
