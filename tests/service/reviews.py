"""Services over indexes and saved results whose clusters are reviewed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lookalike as la
from tests.service.running import CAT, DOG, OWL, PLAN, Running, over, running

FAMILIES = {
    **{f"cat{n}": CAT + " indeed" * n for n in range(4)},
    **{f"dog{n}": DOG for n in range(3)},
    "owl0": OWL,
    "owl1": OWL + " and rats",
    "alone": "nothing is like this one at all",
}
"""Three clusters, with the keys 0, 4 and 7. The members of the cluster of dogs have the same text."""

KINDS: dict[str, Any] = {"Deduped": la.dedupe, "Clusters": la.find_clusters, "Pairs": la.find_pairs}


def write(path: Path, documents: Mapping[str, str]) -> Path:
    """Writes documents as JSON lines."""
    path.write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in documents.items()))
    return path


def saved(folder: Path, documents: Mapping[str, str] = FAMILIES, kind: str = "Deduped", **options: Any) -> Path:
    """Saves the result of a run over a file of documents, and returns its folder."""
    made = KINDS[kind](write(folder / "in.jsonl", documents), id="id", **PLAN, **options)
    return Path(made.save(folder / "result"))


@contextmanager
def reviewed(kind: str = "Deduped", documents: Mapping[str, str] = FAMILIES, **options: Any) -> Iterator[Running]:
    """Runs a service over a new index (`index`) or over a new saved result of this kind."""
    if kind == "index":
        with over(documents, **options) as service:
            yield service
        return
    with TemporaryDirectory() as folder, running(saved(Path(folder), documents, kind), **options) as service:
        yield service


def get(service: Running, path: str, **words: Any) -> Any:
    """Returns the answer to a request that must succeed."""
    answer = service.http.get(f"/review/{path}", params=words)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(service: Running, path: str, **members: Any) -> Any:
    answer = service.http.post(f"/review/{path}", json=members)
    assert answer.status_code == 200, answer.text
    return answer.json()


def complete(service: Running) -> Any:
    """Waits until the figures are known, and returns the summary."""
    for _ in range(1000):
        found = get(service, "summary")
        if found["figures"]["complete"]:
            return found
        time.sleep(0.01)
    raise AssertionError("the figures were not computed")


def states(service: Running) -> dict[str, str]:
    """Returns the state of each cluster by its key."""
    return {one["key"]: one["state"] for one in get(service, "queue", state="all")["clusters"]}
