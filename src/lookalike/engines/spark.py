"""A spike of the Spark engine: the same plan through `mapInArrow`, the same pairs and clusters.

It exists to prove that the engine interface, sources by row range and 64-bit rows need no change for a cluster; what
it taught stands in docs/architecture.md. It collects what the real engine will leave distributed, and knows neither
parts nor the other ways to verify. Only the DataFrame API is used, so that it runs over Spark Connect too.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike import kernel
from lookalike.engines.arrows import KernelArrows, reached
from lookalike.engines.base import Progress, Result
from lookalike.engines.outcome import Facts, Outcome
from lookalike.engines.signed import PRINTS, key_column, matrix_of
from lookalike.engines.signing import sign_batch
from lookalike.errors import InvalidOption, MissingExtra
from lookalike.flow import Shingles
from lookalike.io.source import Source
from lookalike.plan import Plan, ResolvedPlan
from lookalike.survey import resolve
from lookalike.work.parts import PART_ROWS, Parts

Batches = Iterator[pa.RecordBatch]

SIGNED = "row bigint, one bigint, two bigint, flags int, characters bigint, bytes bigint, keys array<bigint>"
SETS = "row bigint, shingles array<bigint>"
CHECKED = "left bigint, right bigint, shared bigint, total bigint"


class Spark(KernelArrows):
    """Runs plans on a Spark session: the one given, the active one, or a new local one."""

    name = "spark"

    def __init__(self, session: Any = None, rows_per_task: int = PART_ROWS) -> None:
        super().__init__(threads=1)  # Spark runs one task a core; a task brings no threads of its own
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise MissingExtra.needed("The Spark engine", "PySpark", "spark") from None
        if session is None:
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers need the Python that has lookalike
            session = SparkSession.builder.appName("lookalike").getOrCreate()
        self.session = session
        self.rows_per_task = rows_per_task

    def run(self, plan: Plan, source: Source, parts: Parts, progress: Progress | None = None) -> Result:
        from pyspark.sql import functions as sql

        if plan.verify != "exact":
            raise InvalidOption(f"the Spark engine verifies exactly; verify={plan.verify!r} needs the local engine")
        began = time.perf_counter()
        resolved = resolve(plan, source, self)
        ids = _ids(source)
        rows = len(ids) if ids is not None else sum(map(len, source.read([source.column])))

        signed = self._by_range(rows, SIGNED, lambda a, b: _sign(source, resolved, a, b)).cache()
        texts = signed.where(sql.col("flags").bitwiseAND(kernel.EMPTY) == 0)
        first = texts.groupBy("one", "two").agg(sql.min("row").alias("first"))
        keys = texts.join(first, texts["row"] == first["first"], "left_semi").select(
            "row", sql.posexplode("keys").alias("band", "key")
        )
        candidates = (
            keys.withColumnRenamed("row", "left")
            .join(keys.withColumnRenamed("row", "right"), ["band", "key"])
            .where("left < right")
            .select("left", "right")
            .distinct()
        )
        sets = self._by_range(rows, SETS, lambda a, b: _sets(source, resolved, a, b)).cache()
        checked = (
            candidates.join(sets.selectExpr("row as left", "shingles as a"), "left")
            .join(sets.selectExpr("row as right", "shingles as b"), "right")
            .mapInArrow(_check, CHECKED)
        )

        facts = signed.select("row", "flags", "characters", "bytes").orderBy("row").toArrow()
        copies = texts.join(first, ["one", "two"]).select("row", "first").toArrow()
        found = checked.toArrow()
        signed.unpersist()
        sets.unpersist()
        return self._outcome(resolved, source, ids, facts, copies, found, time.perf_counter() - began)

    def _by_range(self, rows: int, schema: str, work: Callable[[int, int], Batches]) -> Any:
        """One task per range of rows: each opens the source itself and reads its own."""
        step = self.rows_per_task

        def task(batches: Batches) -> Batches:
            for batch in batches:
                for part in batch.column(0).to_pylist():
                    yield from work(part * step, min((part + 1) * step, rows))

        parts = -(-rows // step)
        return self.session.range(0, parts, 1, max(parts, 1)).mapInArrow(task, schema)

    def _outcome(
        self, resolved: ResolvedPlan, source: Source, ids: pa.Array | None,
        facts: pa.Table, copies: pa.Table, found: pa.Table, seconds: float,
    ) -> Result:  # fmt: skip
        flags = facts["flags"].to_numpy().astype(np.uint8)
        about = Facts(
            flags,
            facts["characters"].to_numpy(),
            int(facts["bytes"].to_numpy().sum()),
            ids,
            source.malformed,
            source.warnings,
        )
        first = np.arange(len(about), dtype=np.int64)
        first[copies["row"].to_numpy()] = copies["first"].to_numpy()
        outcome = Outcome(self.name, resolved, source, about, first, {"spark": seconds})

        shared, total = found["shared"].to_numpy(), found["total"].to_numpy()
        true = reached(shared, total, resolved)
        left, right = found["left"].to_numpy()[true], found["right"].to_numpy()[true]
        if resolved.plan.goal == "pairs":
            similarity = shared[true] / total[true]
            return outcome.pairs(left, right, similarity, candidates=len(total), checked=len(total))
        if resolved.plan.linkage == "star":
            return outcome.stars(left, right, candidates=len(total), checked=len(total))
        return outcome.clusters(kernel.connect(len(about), left, right), checked=len(total))


# What the tasks do. Spark has no unsigned integers: 64-bit words travel as bigint, bit for bit.


def _sign(source: Source, resolved: ResolvedPlan, start: int, stop: int) -> Batches:
    for batch in source.read([source.column], start, stop):
        table = sign_batch(batch, resolved, source.column, None, threads=1).combine_chunks()
        prints = matrix_of(table, PRINTS).view(np.int64)
        keys = [key_column(band) for band in range(resolved.banding.bands)]
        width = np.arange(len(batch) + 1) * len(keys)
        yield pa.RecordBatch.from_pydict(
            {
                "row": np.arange(batch.start, batch.start + len(batch)),
                "one": np.ascontiguousarray(prints[:, 0]),
                "two": np.ascontiguousarray(prints[:, 1]),
                "flags": table["flags"].to_numpy().astype(np.int32),
                "characters": table["characters"].to_numpy(),
                "bytes": table["bytes"].to_numpy(),
                "keys": _lists(width, matrix_of(table, keys).view(np.int64).ravel()),
            }
        )


def _sets(source: Source, resolved: ResolvedPlan, start: int, stop: int) -> Batches:
    for documents in source.documents(start, stop):
        sets = kernel.shingle(documents, resolved.shingles)
        rows = np.arange(documents.start, documents.start + len(documents))
        yield pa.RecordBatch.from_pydict({"row": rows, "shingles": _lists(sets.offsets, sets.values.view(np.int64))})


def _check(batches: Batches) -> Batches:
    for batch in batches:
        a, b = (pa.concat_arrays([batch.column(name)]) for name in ("a", "b"))
        both = pa.concat_arrays([a, b])
        ends = np.cumsum(np.concatenate([[0], both.value_lengths().to_numpy(zero_copy_only=False)]), dtype=np.int64)
        sets = Shingles(ends, both.flatten().to_numpy(zero_copy_only=False).view(np.uint64))
        n = batch.num_rows
        shared = kernel.intersections(sets, np.arange(n), np.arange(n, 2 * n))
        total = sets.sizes[:n] + sets.sizes[n:] - shared
        left, right = batch.column("left"), batch.column("right")
        yield pa.RecordBatch.from_pydict({"left": left, "right": right, "shared": shared, "total": total})


def _lists(offsets: npt.NDArray[np.int64], values: npt.NDArray[np.int64]) -> pa.Array:
    return pa.ListArray.from_arrays(offsets.astype(np.int32), pa.array(values))


def _ids(source: Source) -> pa.Array | None:
    if source.id is None:
        return None
    chunks = [batch.data.column(0) for batch in source.read([source.id])]
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.string())
