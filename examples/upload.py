"""A check on upload: is this text similar to one that we have?

    python examples/upload.py examples/news.jsonl          # serves http://127.0.0.1:8000
    curl --data-binary @article.txt http://127.0.0.1:8000/article-17

A text that is similar to a stored one is refused (409), with the ids and similarities of the stored texts. Otherwise it
is stored (201). `Texts` needs no web server; use it in your own program, or put `application` behind any WSGI server.

Everything is in memory: 1 KiB for the signature of a text, and the text itself. For each upload, only the texts that
share a band of hashes with it are compared, so the time does not grow with the number of texts.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from wsgiref.simple_server import make_server

import numpy as np
import numpy.typing as npt

import lookalike as la

THRESHOLD = 0.8
SHINGLES = "words:5"
HASHES = 128
BANDING = la.choose_bands(threshold=THRESHOLD, recall=0.99, hashes=HASHES)

LARGEST = 1_000_000
"""Bytes. Larger uploads are refused."""


class Texts:
    """Stored texts, and an index of their bands."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.buckets: defaultdict[bytes, list[str]] = defaultdict(list)
        self.lock = threading.Lock()

    def add(self, texts: Mapping[str, str]) -> None:
        """Stores texts by their ids, without comparing them."""
        rows = [{"id": id, "text": text} for id, text in texts.items()]
        table = la.signatures(rows, id="id", shingles=SHINGLES, hashes=HASHES)
        signatures = np.asarray(table["signature"].combine_chunks().flatten()).reshape(-1, HASHES)
        for id, signature in zip(texts, signatures, strict=True):
            self._insert(id, texts[id], signature)

    def similar(self, text: str) -> list[tuple[str, float]]:
        """The stored texts that are similar to this one, most similar first, with exact similarities."""
        return self._similar(text, la.signature(text, shingles=SHINGLES, hashes=HASHES).values)

    def add_if_new(self, id: str, text: str) -> list[tuple[str, float]]:
        """Stores a text unless similar ones are stored, which are then returned. Raises KeyError if the id is taken."""
        signature = la.signature(text, shingles=SHINGLES, hashes=HASHES).values
        with self.lock:  # of two similar texts that arrive at the same time, only one is stored
            if id in self.texts:
                raise KeyError(id)
            found = self._similar(text, signature)
            if not found:
                self._insert(id, text, signature)
        return found

    def _insert(self, id: str, text: str, signature: npt.NDArray[np.uint64]) -> None:
        self.texts[id] = text
        for key in _keys(signature):
            self.buckets[key].append(id)

    def _similar(self, text: str, signature: npt.NDArray[np.uint64]) -> list[tuple[str, float]]:
        ids = sorted({id for key in _keys(signature) for id in self.buckets.get(key, ())})
        if not ids:
            return []
        found = la.join([text], [self.texts[id] for id in ids], threshold=THRESHOLD, shingles=SHINGLES)
        return [(ids[row], similarity) for _, row, similarity in found.top(len(ids))]


def _keys(signature: npt.NDArray[np.uint64]) -> Iterator[bytes]:
    """One key per band: its number and its hashes. Texts with a common key are candidates."""
    for band in range(BANDING.bands):
        start = band * BANDING.rows
        yield bytes([band]) + signature[start : start + BANDING.rows].tobytes()


def application(texts: Texts) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """A WSGI application: POST the text to /ID."""

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        status, content = _handled(texts, environ)
        start(status, [("Content-Type", "application/json")])
        return [json.dumps(content).encode() + b"\n"]

    return answer


def _handled(texts: Texts, environ: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    id, size = environ["PATH_INFO"].strip("/"), int(environ.get("CONTENT_LENGTH") or 0)
    if environ["REQUEST_METHOD"] != "POST" or not id:
        return "405 Method Not Allowed", {"error": "POST the text to /ID"}
    if size > LARGEST:
        return "413 Content Too Large", {"error": f"at most {LARGEST:,} bytes"}
    try:
        text = environ["wsgi.input"].read(size).decode()
    except UnicodeDecodeError:
        return "400 Bad Request", {"error": "the text is not UTF-8"}
    try:
        found = texts.add_if_new(id, text)
    except KeyError:
        return "409 Conflict", {"error": f"the id {id} is taken"}
    if found:
        return "409 Conflict", {"similar": [{"id": id, "similarity": round(s, 4)} for id, s in found]}
    return "201 Created", {"stored": id}


def main() -> None:
    texts = Texts()
    for path in sys.argv[1:]:
        with Path(path).open(encoding="utf-8") as file:
            texts.add({row["id"]: row["text"] for row in map(json.loads, file)})
    with make_server("127.0.0.1", 8000, application(texts)) as server:
        print(f"{len(texts.texts):,} texts; http://127.0.0.1:8000")
        server.serve_forever()


if __name__ == "__main__":
    main()
