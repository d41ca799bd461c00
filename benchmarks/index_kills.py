"""Kills a process that changes an index over and over, and compares what the index contains each time.

    python benchmarks/index_kills.py [--kills 60] [--seed 1]
    python benchmarks/index_kills.py --address 'postgresql://user@/database?host=/folder#kills'

An address is that of a new index in PostgreSQL, which stays. There, a client is killed, not the server.

A worker adds documents one by one and many at once, replaces and deletes them, asks for clusters and compacts, in any
order. It writes down what it is about to do and what is done. Folding and merging take place after its adds; segments
are small here, so that there is always something to merge. The worker is killed (SIGKILL) at a random moment. Then:

- The index contains exactly the documents of all steps that were done; the step that was under way is done as a whole
  or not at all.
- All pages, blocks and checksums are right.
- Its clusters, and the pairs that queries find, are those of a run over the same documents.
- A passage of nine words of each text finds its document.

The next worker continues with the same index.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lookalike as la
from lookalike.index import embedded_bulk, merging
from lookalike.index.postgres import upkeep

DOCUMENTS = 4000
"""The number of documents from which on a worker rather deletes some."""

Step = dict[str, Any]
"""A step: its kind, and the ids and texts of documents, which are named by numbers."""


def text(number: int) -> str:
    """The text with a number: a base text of a family, with a word or two that differ."""
    rng = random.Random(number)
    family = random.Random(f"family {rng.randrange(500)}")
    words = [f"w{family.randrange(10_000)}" for _ in range(40)]
    for _ in range(rng.randrange(9)):
        words[rng.randrange(len(words))] = f"x{rng.randrange(10**6)}"
    return " ".join(words)


def some_step(rng: random.Random, known: list[int], next_id: int) -> Step:
    """A random step."""
    kind = rng.choices(
        ["add", "replace", "add_if_new", "bulk", "delete", "clusters", "compact"], [40, 8, 8, 6, 9, 5, 3]
    )
    count = {"add": rng.randint(1, 3), "bulk": rng.randint(300, 1500), "delete": rng.randint(1, 400)}.get(kind[0], 1)
    if len(known) > DOCUMENTS:
        kind, count = ["delete"], len(known) // 2
    ids = list(range(next_id, next_id + count))
    if kind[0] in ("replace", "delete") or (kind[0] == "bulk" and rng.random() < 0.3):
        old = rng.sample(known, min(count, len(known)))
        ids = old + ids[len(old) :] if kind[0] == "bulk" else old
    return {"kind": kind[0], "ids": ids, "texts": [rng.randrange(10**9) for _ in ids]}


def changed(contents: dict[int, int], step: Step) -> dict[int, int]:
    """The documents after a step."""
    if step["kind"] in ("clusters", "compact") or step.get("is_known"):
        return contents
    left = {id: number for id, number in contents.items() if id not in set(step["ids"])}
    return left if step["kind"] == "delete" else left | dict(zip(step["ids"], step["texts"], strict=True))


def work(path: str, log: str, seed: int) -> None:
    """Takes random steps until it is killed."""
    merging.FOLDED, merging.STEP, embedded_bulk.MOST_ROWS, upkeep.FOLDED = 64, 4096, 512, 64
    rng, contents = random.Random(seed), dict[int, int]()
    with la.Index.open(path, threads=2) as ix, Path(log).open("ab", buffering=0) as file:

        def note(step: Step) -> None:
            file.write(json.dumps(step).encode() + b"\n")

        contents = dict.fromkeys((row["id"] for row in ix), 0)
        next_id = max(contents, default=-1) + 1
        while True:
            step = some_step(rng, list(contents), next_id)
            note(step)
            take(ix, step)
            note({"done": True} | ({"is_known": True} if step.get("is_known") else {}))
            contents = changed(contents, step)
            next_id = max([next_id, *(id + 1 for id in step["ids"])])


def take(ix: la.Index, step: Step) -> None:
    """Takes a step. Notes in it if its document was known already."""
    kind, texts = step["kind"], [text(number) for number in step["texts"]]
    if kind == "compact":
        ix.compact()
    elif kind == "clusters":
        ix.clusters()
    elif kind == "delete":
        ix.delete(step["ids"])
    elif kind == "add_if_new":
        step["is_known"] = ix.add_if_new(texts[0], id=step["ids"][0]) is not None
    elif step["ids"]:
        ix.add({"id": step["ids"], "text": texts}, id="id")


@dataclass
class Trial:
    """One index, and what it must contain."""

    path: str
    log: Path
    folder: Path | None
    """The folder of the index; None if it is in a database."""
    contents: dict[int, int] = field(default_factory=dict)
    steps: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    """The number of kills during each kind of step."""
    unfinished: int = 0
    """The number of kills that left files of an unfinished segment."""

    def killed(self, seed: int, seconds: float) -> None:
        """Lets a worker take steps for a while, and kills it."""
        self.log.write_bytes(b"")
        command = [sys.executable, __file__, "--worker", self.path, str(self.log), str(seed)]
        with subprocess.Popen(command) as worker:
            while not self.log.stat().st_size and worker.poll() is None:
                time.sleep(0.01)
            try:
                worker.wait(seconds)
                sys.exit("the worker ended")
            except subprocess.TimeoutExpired:
                worker.kill()

    def check(self) -> None:
        """Compares the index with the log of the worker that was killed."""
        under_way = None
        for line in self.log.read_bytes().splitlines():
            entry = json.loads(line)
            if under_way is not None and entry.get("done"):
                self.contents, under_way = changed(self.contents, under_way | entry), None
                self.steps += 1
            else:
                under_way = entry
        self.kills["between steps" if under_way is None else under_way["kind"]] += 1
        possible = [self.contents] + ([] if under_way is None else [changed(self.contents, under_way)])
        with la.Index.open(self.path) as ix:
            rows = [(row["id"], row["text"]) for row in ix]
            fitting = [one for one in possible if [(id, text(number)) for id, number in one.items()] == rows]
            if not fitting:
                ids = [id for id, _ in rows]
                lost, more = self.contents.keys() - set(ids), set(ids) - self.contents.keys()
                sys.exit(f"after {under_way}: lost {sorted(lost)[:9]}, additional {sorted(more)[:9]}")
            self.contents = fitting[0]
            ix.verify()
            self._compare(ix)
            if self.folder is None:
                return
            before = {path.name for path in (self.folder / "segments").iterdir()}
            ix.delete([])  # becomes the writer, who removes what is unfinished
            left = {path.name for path in (self.folder / "segments").iterdir()}
            self.unfinished += before != left
            if len(left) != 3 * ix.info()["segments"]:
                sys.exit(f"files that belong to no segment: {sorted(left)}")
            self._compare(ix)

    def _compare(self, ix: la.Index) -> None:
        """Compares clusters and pairs with those of a run over the same documents."""
        texts = [text(number) for number in self.contents.values()]
        if not texts:
            return
        if ix.clusters().labels.tolist() != la.find_clusters(texts, plan=ix.plan).labels.tolist():
            sys.exit("the clusters differ from those of a run over the same documents")
        place = {id: i for i, id in enumerate(self.contents)}
        found, pairs = ix.query(texts), la.find_pairs(texts, plan=ix.plan)
        right = [place[id] for id in found.right.to_pylist()]
        mine = sorted((q, r) for q, r in zip(found.left_rows.tolist(), right, strict=True) if q < r)
        if mine != list(zip(pairs.left_rows.tolist(), pairs.right_rows.tolist(), strict=True)):
            sys.exit("queries find other pairs than a run over the same documents")
        quotes = [" ".join(one.split()[id % 30 :][:9]) for id, one in zip(self.contents, texts, strict=True)]
        found = ix.query(quotes, measure="containment", threshold=1)
        if set(zip(range(len(quotes)), self.contents, strict=True)) - {(q, id) for q, id, _ in found}:
            sys.exit("a document is not found by one of its passages")


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--address", help="an index in PostgreSQL (default: one in a temporary folder)")
    given = parser.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="index-kills-") as folder:
        path = Path(folder) / "corpus.index"
        trial = Trial(given.address or str(path), Path(folder) / "log", None if given.address else path)
        la.Index.create(trial.path, threshold=0.7, shingles="words:2", contain=True).close()
        for kill in range(given.kills):
            trial.killed(rng.randrange(10**9), rng.uniform(0.05, 2))
            trial.check()
            if kill % 10 == 9:
                print(f"{kill + 1} kills, {trial.steps:,} steps, {len(trial.contents):,} documents", flush=True)
        during = ", ".join(f"{kind} {count}" for kind, count in trial.kills.most_common())
        left = "" if given.address else f"; {trial.unfinished} left unfinished files of segments"
        print(f"{given.kills} kills: {during}{left}")
        print(f"The index contained what {trial.steps:,} steps had left, each time")


if __name__ == "__main__":
    main()
