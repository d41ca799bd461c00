"""Checks what `dedupe` promises, on your own corpora, against a greedy choice over the pairs that `find_pairs` reports.

    python benchmarks/promises.py --data FOLDER [--threshold 0.5 0.8 0.95] [--spark]   # texts, sets and records
    python benchmarks/promises.py --file texts.parquet --column text

Every removed document must have a kept one at or above the threshold, and no two kept documents may be a pair that was
found. Each corpus is deduplicated as it is, with protected rows and a survivor rule, and with its first half as the
reference. The files of kept and of removed documents must have the same bytes with 1, 2 and 8 threads, with almost no
memory, after an interruption and, with --spark, on Spark.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from common import measure, spark_runs
from common.unlabelled import Corpus, corpora, of_files

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.spark import Spark
from lookalike.engines.stages.memory import Allowance
from lookalike.planning.resolve import ResolvedPlan

Rows = npt.NDArray[np.int64]
Options = dict[str, Any]

METHODS: dict[str, Options] = {"auto": {}, "exact": {"method": "exact"}, "lsh": {"method": "lsh"}}
KINDS = ("plain", "protected", "against")
STAGES = ("sign", "propose", "read candidates", "connect", "keep")
ROW_BYTES, TEXT_SHARE = 60, 8
"""Bytes for the tables of a run that uses files: this many per row, or this fraction of the texts if that is more."""


@dataclass
class Case:
    """A corpus in files: whole, and in two halves. Every 7th row is protected; scores have ties and missing values."""

    corpus: Corpus
    folder: Path
    threshold: str
    method: Options
    spark: Any

    def __post_init__(self) -> None:
        documents, rng = self.corpus.documents, random.Random(len(self.corpus.documents))
        self.rows = len(documents)
        self.scores = [rng.choice([None, 1, 2, 3]) for _ in documents]
        self.gold = np.arange(self.rows) % 7 == 3
        columns = {
            "id": [f"d{row}" for row in range(self.rows)],
            "text": documents,
            "score": self.scores,
            "gold": self.gold.astype(int).tolist(),
        }
        self.whole = pa.table(columns)
        self.half = self.rows // 2
        for name, table in (
            ("whole", self.whole),
            ("old", self.whole.slice(0, self.half)),
            ("new", self.whole.slice(self.half)),
        ):
            pq.write_table(table, self.path(name), row_group_size=1 + self.rows // 5)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    def options(self, kind: str) -> tuple[Path, Options]:
        """The data and the options of `dedupe`."""
        given = {"column": "text", "id": "id", "threshold": self.threshold, "progress": False}
        given |= {**self.corpus.options, **self.method}
        if kind == "protected":
            given |= {"protect": "where:gold=1", "keep": "best:score,last"}
        if kind == "against":
            return self.path("new"), given | {"against": self.path("old"), "against_id": "id"}
        return self.path("whole"), given

    @cached_property
    def plan(self) -> Path:
        """The plan of `dedupe`, in which every choice has been made."""
        data, options = self.options("plain")
        path = self.folder / "plan.toml"
        path.write_text(la.dedupe(data, **options).summary.plan)
        return path

    @cached_property
    def pairs(self) -> tuple[Rows, Rows, npt.NDArray[np.float64]]:
        """The pairs that `find_pairs` reports under the same plan."""
        found = la.find_pairs(self.path("whole"), column="text", plan=self.plan, progress=False)
        assert found.similarity is not None
        return found.left_rows, found.right_rows, found.similarity

    @cached_property
    def words(self) -> Rows:
        """For each row, the first row with the same words in the same order."""
        shingles: Any = ResolvedPlan.from_toml(self.plan.read_text()).shingles
        copies = la.dedupe(self.path("whole"), column="text", remove="same-words", progress=False, shingles=shingles)
        first = np.arange(self.rows)
        first[copies.removed["id"].to_numpy()] = copies.removed["kept"].to_numpy()
        return first

    def wanted(self, kind: str) -> dict[int, tuple[int, float]]:
        """For each row that must be removed, the row that is kept in its place, and their similarity."""
        order, always = np.arange(self.rows), np.zeros(self.rows, bool)
        if kind == "protected":
            always = self.gold
            order = np.array(sorted(order, key=lambda row: (not self.gold[row], -(self.scores[row] or 0), -row)))
        if kind == "against":
            always = order < self.half
        removed = greedy(order, always, *self.pairs, self.words)
        stays = np.ones(self.rows, bool)
        stays[[*removed]] = False
        left, right, _ = self.pairs
        assert not (stays[left] & stays[right] & ~(always[left] & always[right])).any(), "two similar ones are kept"
        return removed

    def answer(self, kind: str, **how: Any) -> tuple[la.Deduped, bytes]:
        """A run, and the bytes of its outputs."""
        data, options = self.options(kind)
        outputs = {"out": self.path("out-kept"), "removed": self.path("out-removed"), "force": True}
        found = la.dedupe(data, **options | outputs | how)
        return found, b"".join(self.path(name).read_bytes() for name in ("out-kept", "out-removed"))

    def spilling(self) -> Local:
        texts = self.whole.column("text").nbytes
        return Local(threads=2, allowance=Allowance(max(ROW_BYTES * self.rows, texts // TEXT_SHARE), 1 << 20, state=0))

    def resumed(self, kind: str, stage: str) -> bytes:
        """The outputs of a run that was interrupted at a stage, and resumed."""

        def stop(now: str, done: int, total: int | None) -> None:
            if now == stage and (stage != "sign" or done):
                raise Interrupted

        work, interrupted = self.folder / "work", True
        with suppress(Interrupted):
            self.answer(kind, work=work, progress=stop)
            interrupted = False
        assert interrupted, f"{self}, {kind}: no stage {stage!r}"
        return self.answer(kind, work=work, resume=True)[1]

    def ways(self, kind: str) -> Iterator[tuple[str, Callable[[], bytes]]]:
        for threads in (1, 2, 8):
            yield f"{threads} threads", lambda threads=threads: self.answer(kind, threads=threads)[1]  # type: ignore[misc]
        stage = random.Random(f"{self.corpus.name} {kind} {self.threshold}").choice(STAGES)
        yield f"resumed after {stage}", lambda: self.resumed(kind, stage)
        if self.spark is not None:
            engine = Spark(self.spark, rows_per_task=1 + self.rows // 3)
            yield "Spark", lambda: self.answer(kind, engine=engine)[1]

    def check(self) -> tuple[list[int], int, int]:
        """How many documents are removed in each kind of run; how many runs agree, and how many of them used files."""
        counts, runs, spilled = [], 0, 0
        for kind in KINDS:
            found, expected = self.answer(kind)
            ids = [int(id[1:]) for id in found.removed["id"].to_pylist()]
            kept = [int(id[1:]) for id in found.removed["kept"].to_pylist()]
            similarity = found.removed["similarity"].to_pylist()
            got = {row: (survivor, value) for row, survivor, value in zip(ids, kept, similarity, strict=True)}
            assert got == self.wanted(kind), f"{self}, {kind}: not the greedy choice"
            assert all(value >= float(self.threshold) for value in similarity), f"{self}, {kind}: below the threshold"
            for way, run in self.ways(kind):
                assert run() == expected, f"{self}, {kind}: {way} differs"
                runs += 1
            in_files, got_bytes = self.answer(kind, engine=self.spilling())
            assert got_bytes == expected, f"{self}, {kind}: the run that uses files differs"
            runs, spilled = runs + 1, spilled + (in_files.summary.spilled > 0)
            counts.append(len(got))
        return counts, runs, spilled

    def __str__(self) -> str:
        return f"{self.corpus.name}, {self.threshold}, {self.method or 'auto'}"


class Interrupted(Exception):
    pass


def greedy(
    order: Rows,
    always: npt.NDArray[np.bool_],
    left: Rows,
    right: Rows,
    similarity: npt.NDArray[np.float64],
    words: Rows,
) -> dict[int, tuple[int, float]]:
    """For each removed row, its survivor and their similarity, by the definition.

    Rows are taken in order. A row that forms a pair with a survivor is removed, unless it is always kept. Its survivor
    is one with the same words, if possible, and the first of these.
    """
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    later = np.where(place[left] > place[right], left, right)
    earlier = left + right - later
    by = np.lexsort((place[earlier], place[later]))
    later, earlier, similarity = later[by], earlier[by], similarity[by]
    starts = np.flatnonzero(np.r_[True, later[1:] != later[:-1]]) if len(later) else np.array([], np.int64)
    alive, removed = np.ones(len(order), bool), {}
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(later)], strict=False):
        row = int(later[start])
        if always[row]:
            continue
        survivors = start + np.flatnonzero(alive[earlier[start:stop]])
        if len(survivors):
            same = survivors[words[earlier[survivors]] == words[row]]
            at = int(same[0] if len(same) else survivors[0])
            alive[row], removed[row] = False, (int(earlier[at]), float(similarity[at]))
    return removed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder that contains text/, sets/, records/ and vectors/")
    parser.add_argument("--file", type=Path, nargs="*", default=[])
    parser.add_argument("--column", default="text", help="column of --file")
    parser.add_argument("--threshold", nargs="*", default=["0.8"])
    parser.add_argument("--method", nargs="*", choices=[*METHODS], default=[*METHODS])
    parser.add_argument("--shingles", help="how all texts are split (default: as by default)")
    parser.add_argument("--only", default="", help="only corpora whose names contain this")
    parser.add_argument("--spark", action="store_true", help="also run on Spark")
    given = parser.parse_args()
    session = spark_runs.session() if given.spark else None
    heading = [
        "corpus",
        "documents",
        "threshold",
        "method",
        *(f"removed: {kind}" for kind in KINDS),
        "runs",
        "in files",
    ]
    print(f"{measure.machine()}\n\n| {' | '.join(heading)} |\n|{'---|' * len(heading)}")
    found = [*of_files(given.file, given.column), *(corpora(given.data) if given.data else ())]
    for corpus in found:
        if given.only not in corpus.name:
            continue
        if given.shingles and isinstance(corpus.documents[0], str):
            corpus = Corpus(corpus.name, corpus.documents, corpus.options | {"shingles": given.shingles})
        for threshold in given.threshold:
            for method in given.method:
                with tempfile.TemporaryDirectory() as folder:
                    case = Case(corpus, Path(folder), threshold, METHODS[method], session)
                    counts, runs, spilled = case.check()
                cells = [corpus.name, f"{case.rows:,}", threshold, method, *(f"{n:,}" for n in counts)]
                print(f"| {' | '.join(cells)} | {runs} | {spilled} |", flush=True)


if __name__ == "__main__":
    main()
