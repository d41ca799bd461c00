"""Shared by the contenders of index.py: what an index must do, and the measurements of it.

    python -m contenders.index_lance JOB

JOB is a JSON object with the fields of `Job`. The answer, one JSON object, contains what `measured` returns.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

WARM_UP = 100
LOTS = 5
"""The number of lots of documents that are deleted, of which the median time counts. One alone may meet a busy disk."""

COLD = 100
"""The number of queries before each of which the page cache is dropped."""

Found = list[tuple[int, float]]
"""The rows that a query found, and their similarities."""


@dataclass(frozen=True)
class Job:
    folder: str
    corpus: str
    queries: str
    new: str
    out: str
    """Where the answers are written, as a Parquet file with columns query, row and similarity."""
    documents: int
    """Only so many rows of the corpus are indexed."""
    single: int = 2000
    """The number of queries that are asked one at a time."""
    adds: int = 1000
    deletes: int = 500
    step: str = "all"
    """`all`; `family` if all documents are similar; `reader` for the memory of a process that only reads; `adds` for
    adds alone.
    """


class Contender(Protocol):
    """An index over rows, whose ids are their numbers."""

    def build(self, corpus: str, documents: int) -> None:
        """Indexes the first documents of a Parquet file, durably if it can."""
        ...

    def reopen(self) -> None: ...

    def nbytes(self) -> int: ...

    def query(self, text: str) -> Found: ...

    def query_all(self, texts: Sequence[str]) -> Iterable[tuple[int, int, float]]:
        """Yields query, row and similarity."""
        ...

    def add(self, text: str, row: int) -> None: ...

    def delete(self, rows: list[int]) -> None: ...

    def other_cpu(self) -> float:
        """CPU seconds of other processes that work for the index."""
        ...


def main(make: Callable[[Path], Contender]) -> None:
    job = Job(**json.loads(sys.argv[1]))
    contender = make(Path(job.folder))
    steps = {"all": measured, "family": in_family, "reader": reader_memory, "adds": adds_alone}
    print(json.dumps(steps[job.step](contender, job)))


def measured(contender: Contender, job: Job) -> dict[str, Any]:
    """All measurements but those of `Job.step`."""
    result: dict[str, Any] = {"documents": job.documents}
    wall, cpu = time.perf_counter(), time.process_time() + contender.other_cpu()
    system = os.times().system
    contender.build(job.corpus, job.documents)
    result["build_system"] = os.times().system - system
    result["build_wall"] = time.perf_counter() - wall
    result["build_cpu"] = time.process_time() + contender.other_cpu() - cpu
    result["bytes"] = contender.nbytes()
    contender.reopen()
    texts = texts_of(job.queries)
    few = texts[: job.single]
    for text in few[:WARM_UP]:
        contender.query(text)
    result["query"] = times(contender.query, few)
    result["query_copies"] = times(contender.query, few[::2])
    began = time.perf_counter()
    found = list(contender.query_all(texts))
    result["batch"] = len(texts) / (time.perf_counter() - began)
    result["cold"] = times(contender.query, few[:COLD], before=lambda: drop_cache(Path(job.folder)))
    for text in few:  # reads the files again
        contender.query(text)
    pq.write_table(pa.table(dict(zip(("query", "row", "similarity"), zip(*found, strict=True), strict=True))), job.out)
    new = texts_of(job.new)[: job.adds]
    rows = iter(range(job.documents, job.documents + len(new)))
    result["add"] = times(lambda text: contender.add(text, next(rows)), new)
    result["query_after"] = times(contender.query, few)
    result["delete"] = sorted(seconds_of_delete(contender, job, lot) for lot in range(LOTS))[LOTS // 2]
    return result


def seconds_of_delete(contender: Contender, job: Job, lot: int) -> float:
    """Deletes a lot of every second document of a lot of its own."""
    first = lot * 2 * job.deletes
    rows = list(range(first, first + 2 * job.deletes, 2))
    began = time.perf_counter()
    contender.delete(rows)
    return time.perf_counter() - began


def in_family(contender: Contender, job: Job) -> dict[str, Any]:
    """Deletes documents of a family of near-copies, and asks for the clusters after two lots of deletes."""
    contender.build(job.corpus, job.documents)
    seconds = [seconds_of_delete(contender, job, lot) for lot in range(2)]
    result = {}
    if hasattr(contender, "clusters"):
        began = time.perf_counter()
        contender.clusters()
        result["clusters"] = time.perf_counter() - began
    seconds += [seconds_of_delete(contender, job, lot) for lot in range(2, LOTS)]
    return result | {"delete": sorted(seconds)[LOTS // 2]}


def adds_alone(contender: Contender, job: Job) -> dict[str, Any]:
    """Builds a small index, prints a line, and adds documents one at a time, so that their system calls are counted."""
    contender.build(job.corpus, job.documents)
    rows = iter(range(job.documents, job.documents + job.adds))
    os.write(2, b"adds begin\n")
    for text in texts_of(job.new)[: job.adds]:
        contender.add(text, next(rows))
    os.write(2, b"adds end\n")
    return {}


def reader_memory(contender: Contender, job: Job) -> dict[str, Any]:
    """The resident memory of a process that has opened the index and asked queries, before and after."""
    before, asked = resident(), 0
    contender.reopen()
    for batch in pq.ParquetFile(job.queries).iter_batches(100, columns=["text"]):  # not all of them in memory
        for text in batch.column(0).to_pylist():
            contender.query(text)
        asked += len(batch)
        if asked >= job.single:
            break
    return {"memory_before": before, "memory": resident()}


def resident() -> float:
    """The resident memory of this process in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def texts_of(path: str) -> list[str]:
    return list(pq.read_table(path, columns=["text"])["text"].to_pylist())


def rows_of(corpus: str, documents: int) -> Iterable[pa.RecordBatch]:
    """Batches with columns id (the row) and text."""
    row = 0
    for batch in pq.ParquetFile(corpus).iter_batches(columns=["text"], batch_size=8192):
        if row >= documents:
            return
        some = batch.slice(0, documents - row)
        yield pa.record_batch({"id": pa.array(range(row, row + len(some))), "text": some.column(0)})
        row += len(some)


def times(call: Callable[[str], object], texts: Sequence[str], before: Callable[[], None] | None = None) -> list[float]:
    """The median, 99th percentile and maximum of the seconds per call."""
    taken = []
    for text in texts:
        if before is not None:
            before()
        began = time.perf_counter()
        call(text)
        taken.append(time.perf_counter() - began)
    taken.sort()
    return [taken[len(taken) // 2], taken[len(taken) * 99 // 100], taken[-1]] if taken else [0.0, 0.0, 0.0]


def drop_cache(folder: Path) -> None:
    """Makes the system forget the contents of all files in the folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
