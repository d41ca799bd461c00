"""A large index: 10 million documents of 500 bytes. Building, size, a reader's memory, queries and recall.

    python benchmarks/index_large.py [--documents 10000000] [--memory 4GiB] [--keep]
    python benchmarks/index_large.py --documents 200000      # a minute

Every tenth document of the corpus is an edited copy of an earlier one, of known similarity. Queries are copies and
other documents, half and half, with one further word, so that texts are read and compared. A reader is a process that
opens the index and asks all queries one at a time; its memory is what it has then. Recall is the share of documents
known to be similar to a query at 0.8 or more that are found.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files, large_corpus, measure
from contenders.index_contender import drop_cache, resident, size_of, times

import lookalike as la

THRESHOLD = 0.8
COLD = 200
"""The number of queries before each of which the page cache is dropped."""


def build(folder: Path, corpus: Path, memory: str | None) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    with la.Index.create(folder, threshold=THRESHOLD, shingles="words:5", memory=memory) as ix:
        wall, began = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        documents = len(ix.add(corpus, column="text"))
        wall, ended = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_SELF)
        info = ix.info()
    user, system = ended.ru_utime - began.ru_utime, ended.ru_stime - began.ru_stime
    return {
        "documents per second, build": documents / wall,
        "documents per CPU second, build": documents / (user + system),
        "share of it in the system": system / (user + system),
        "peak memory of the build, MiB": ended.ru_maxrss / 1024,
        "segments": info["segments"],
        "bytes per document": size_of(folder) / documents,
    }


def queries(corpus: Path, count: int) -> list[tuple[str, list[int]]]:
    """Texts, each with the rows that are known to be similar to it."""
    file = pq.ParquetFile(corpus)
    rng, found = np.random.default_rng(1), list[tuple[str, list[int]]]()
    groups = rng.choice(file.num_row_groups, min(20, file.num_row_groups), replace=False)
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    for group in groups.tolist():
        table, start = file.read_row_group(group), sum(sizes[:group])
        copies = np.flatnonzero(table["copy_of"].is_valid().to_numpy())
        some = rng.choice(copies, count // len(groups) // 2 + 1).tolist()
        for row in some + rng.integers(0, len(table), len(some)).tolist():
            source, similarity = table["copy_of"][row].as_py(), table["similarity"][row].as_py()
            near = [start + row] + ([source] if similarity is not None and similarity >= THRESHOLD + 0.02 else [])
            found.append((table["text"][row].as_py() + " further", near))
    return [found[i] for i in rng.permutation(len(found))[:count]]


def read(folder: Path, asked: Path) -> dict[str, Any]:
    """What a process that only reads measures. `asked` contains the queries."""
    result: dict[str, Any] = {"memory before opening, MiB": resident()}
    file = pq.ParquetFile(asked)
    with la.Index.open(folder) as ix:
        result["memory after opening, MiB"] = resident()
        hits = known = 0
        seconds: list[float] = []
        for batch in file.iter_batches(500):
            for row in batch.to_pylist():
                began = time.perf_counter()
                found = ix.query(row["text"])
                seconds.append(time.perf_counter() - began)
                rows = set(found.right_rows.tolist())
                known += len(row["near"])
                hits += len(rows & set(row["near"]))
        result["memory after the queries, MiB"] = resident()
        ordered = sorted(seconds)
        result["first query, ms"] = 1000 * seconds[0]
        result |= {f"query p{p}, ms": 1000 * ordered[len(ordered) * p // 100] for p in (50, 99)}
        result["recall"] = hits / known
        texts = pq.read_table(asked, columns=["text"])["text"].to_pylist()
        began = time.perf_counter()
        ix.query(texts)
        result["queries per second, all at once"] = len(texts) / (time.perf_counter() - began)
        cold = times(ix.query, texts[:COLD], before=lambda: drop_cache(folder))
        result["cold query, ms: median / p99 / longest"] = " / ".join(f"{1000 * value:.2f}" for value in cold)
    return result


def in_process(*arguments: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--memory", help="limit of the build, such as 4GiB (default: that of the library)")
    parser.add_argument("--keep", action="store_true", help="keep the index, and use one that was kept")
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    folder = build_files.FOLDER / f"large-{given.documents}.index"
    if given.step:
        step, path = given.step
        answer = build(folder, Path(path), given.memory) if step == "build" else read(folder, Path(path))
        print(json.dumps(answer))
        return
    corpus = large_corpus.write("brief", given.documents)
    asked = queries(corpus, given.queries)
    size = ["--documents", str(given.documents)] + (["--memory", given.memory] if given.memory else [])
    print(f"{given.documents:,} documents; {measure.machine()}", flush=True)
    result = {} if given.keep and folder.exists() else in_process(*size, "--step", "build", str(corpus))
    file = build_files.FOLDER / "large-index-queries.parquet"
    pq.write_table(pa.table({"text": [text for text, _ in asked], "near": [near for _, near in asked]}), file)
    result |= in_process(*size, "--step", "read", str(file))
    for name, value in result.items():
        print(f"{name:45} {value if isinstance(value, str) else format(value, ',.4g' if value < 1000 else ',.0f')}")
    if not given.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
