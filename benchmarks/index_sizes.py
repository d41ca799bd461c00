"""The size of an index: with texts, without, and after half of its documents were deleted and it was compacted.

    python benchmarks/index_sizes.py [--documents 1000000] [--kind zipf]

The index that was compacted is compared with a fresh index of the documents that remain: bytes, the median time of
single queries (asked of both in turn), and what the queries found.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from common import build_files, corpus, index_data, measure, text_kinds
from contenders.index_contender import size_of

import lookalike as la

QUERIES = 2_000


def built(name: str, data: Path, *, texts: bool = True) -> tuple[la.Index, Path]:
    """A new index of the data, and its folder."""
    folder = build_files.FOLDER / f"sizes-{name}.index"
    shutil.rmtree(folder, ignore_errors=True)
    ix = la.Index.create(folder, threshold=0.8, shingles="words:5", seed=1, texts=texts)
    wall, cpu = time.perf_counter(), time.process_time()
    count = len(ix.add(data, column="text"))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{name}: {count:,} documents, {count / wall:,.0f} per second, {count / cpu:,.0f} per CPU second", flush=True)
    ix.close()
    print(f"{name}: {size_of(folder) / count:,.0f} bytes per document", flush=True)
    return la.Index.open(folder), folder


def median_times(one: la.Index, other: la.Index, texts: list[str]) -> tuple[float, float]:
    """The median milliseconds of a query of both, which take turns."""
    taken: tuple[list[float], list[float]] = ([], [])
    for text in texts:
        for ix, seconds in zip((one, other), taken, strict=True):
            began = time.perf_counter()
            ix.query(text)
            seconds.append(time.perf_counter() - began)
    return float(1000 * np.median(taken[0])), float(1000 * np.median(taken[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    given = parser.parse_args()
    data = corpus.write(given.kind, given.documents)
    asked = index_data.queries(given.kind, given.documents, 20_000)
    texts = pq.read_table(asked, columns=["text"])["text"].to_pylist()[:QUERIES]
    print(f"{data.stem}; {measure.machine()}", flush=True)
    without, folder = built("without texts", data, texts=False)
    without.close()
    shutil.rmtree(folder)
    ix, folder = built("all", data)
    began = time.perf_counter()
    ix.delete(range(1, given.documents, 2))
    deleted = time.perf_counter() - began
    ix.compact()
    print(f"deleting half: {deleted:.2f} s; compacting: {time.perf_counter() - began - deleted:.2f} s", flush=True)
    ix.close()
    ix = la.Index.open(folder)
    half = build_files.FOLDER / "sizes-half.parquet"
    pq.write_table(pq.read_table(data, columns=["text"]).take(np.arange(0, given.documents, 2)), half)
    fresh, fresh_folder = built("half", half)
    print(f"compacted: {size_of(folder) / len(ix):,.0f} bytes per document", flush=True)
    for one in (ix, fresh):
        one.query(texts)
    mine_ms, fresh_ms = median_times(ix, fresh, texts)
    times = mine_ms / fresh_ms
    print(f"median query, ms: {mine_ms:.3f} compacted, {fresh_ms:.3f} fresh ({times:.2f} times)", flush=True)
    mine, theirs = ix.query(texts), fresh.query(texts)
    found = np.array(mine.right.to_pylist()) // 2
    same = np.array_equal(mine.left_rows, theirs.left_rows) and np.array_equal(found, theirs.right.to_pylist())
    print(f"queries found the same: {same}; clusters: {len(ix.clusters())} and {len(fresh.clusters())}", flush=True)
    for opened, where in ((ix, folder), (fresh, fresh_folder)):
        opened.close()
        shutil.rmtree(where)
    half.unlink()


if __name__ == "__main__":
    main()
