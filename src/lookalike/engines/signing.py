"""The first pass of a run: every text is read once and leaves its fingerprint, its band keys and its length.

What it leaves is kept as parts of PART_ROWS rows, whatever the batches of the reader were; a run that finds finished
parts of its own plan and input starts after them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike import kernel
from lookalike.engines.arrows import KernelArrows
from lookalike.engines.base import Progress
from lookalike.engines.outcome import Facts
from lookalike.families import Banded
from lookalike.flow import Documents
from lookalike.flow.arrays import to_arrow, to_numpy
from lookalike.io.source import Batch, Source
from lookalike.plan import SURVEYED, Plan, ResolvedPlan
from lookalike.survey import survey
from lookalike.work import Parts, TextStore, batches, mapped
from lookalike.work.parts import PART_ROWS

LAYOUT = "signing 1"
"""The columns of these parts; other columns need another name, so that parts of an older version are not taken."""


@dataclass(frozen=True, eq=False)
class Signed:
    """What the first pass knows of all documents, by row."""

    facts: Facts
    fingerprints: npt.NDArray[np.uint64]
    keys: npt.NDArray[np.uint64]


def sign_source(
    plan: Plan, source: Source, parts: Parts, texts: TextStore, threads: int, progress: Progress
) -> tuple[ResolvedPlan, Signed]:
    """Resolves the plan on the first rows, then signs all rows that no finished part covers; `texts` keeps theirs."""
    columns = [source.column] + ([source.id] if source.id else [])
    with ExitStack() as readers:  # whose threads would outlive an error
        first = readers.enter_context(closing(batches(source, columns, threads=threads)))
        head = _head(first)
        surveyed = [Documents(batch.data.column(source.column), batch.start) for batch in head]
        resolved = plan.resolve(survey(plan, source, surveyed, KernelArrows(threads)))
        if parts.keeps:
            parts.begin(hashlib.sha256(f"{LAYOUT} {resolved.key} {source.identity()}".encode()).hexdigest())

        done = _finished(parts)
        if parts.get("source") is None:  # stopped before the end: what the source said of it is not known
            done = done[: len(done) - 1] if done and done[-1].num_rows < PART_ROWS else done
        ready = sum(part.num_rows for part in done)
        if not done or done[-1].num_rows == PART_ROWS:
            rest: Iterator[Batch] = chain(head, first)
            if ready:
                first.close()
                rest = readers.enter_context(closing(batches(source, columns, ready, threads=threads)))
            sign = partial(sign_batch, resolved=resolved, column=source.column, id=source.id, threads=threads)
            # Two calls at a time: what one does on one core, the other's kernel hides.
            tables = readers.enter_context(closing(mapped(sign, _keeping(rest, source.column, texts), 2)))
            for start, part in regroup(tables, ready, PART_ROWS, lambda at: progress("sign", at, source.total_rows())):
                done.append(part)
                parts.put(f"sign-{start:015d}", part)
            if parts.keeps:
                parts.put("source", pa.table({"malformed": [source.malformed], "warnings": [list(source.warnings)]}))
    end = parts.get("source")
    malformed, warnings = (source.malformed, source.warnings) if end is None else _said(end)
    signed = _join(done, keyed_by(resolved).bands, with_ids=source.id is not None)
    return resolved, replace(signed, facts=replace(signed.facts, malformed=malformed, warnings=warnings))


def sign_batch(batch: Batch, resolved: ResolvedPlan, column: str, id: str | None, threads: int) -> pa.Table:
    """One row per document: fingerprint, flags, keys, characters, bytes and, where there are ids, id."""
    documents = Documents(batch.data.column(column), batch.start)
    p = resolved.plan
    sketches = kernel.sketch(
        documents,
        resolved.shingles,
        sketch=p.sketch,
        hashes=1 if resolved.exact else p.hashes,
        seed=p.seed,
        banding=keyed_by(resolved),
        threads=threads,
    )
    table: dict[str, Any] = {
        "fingerprint": _fixed(sketches.fingerprints),
        "flags": to_arrow(sketches.flags),
        "keys": _fixed(np.zeros_like(sketches.keys) if resolved.exact else sketches.keys),
        "characters": to_arrow(sketches.lengths),
        "bytes": to_arrow(sketches.sizes),
    }
    if id is not None:
        table["id"] = batch.data.column(id)
    return pa.table(table)


def keyed_by(resolved: ResolvedPlan) -> Banded:
    """The bands of the keys. In an exact join one key is all there is, and it is the same for all: everyone meets."""
    return Banded(1, 1) if resolved.exact else resolved.banding


def regroup(
    tables: Iterable[pa.Table], start: int, rows: int, reached: Callable[[int], None]
) -> Iterator[tuple[int, pa.Table]]:
    """Tables of any size, whose rows follow on from `start` → tables that end at multiples of `rows`, with their start.

    So parts do not depend on the reader. `reached` hears of every table that came in.
    """
    group: list[pa.Table] = []
    first = row = start
    for table in tables:
        while table.num_rows:
            here = table.slice(0, rows - row % rows)
            table = table.slice(here.num_rows)
            group.append(here)
            row += here.num_rows
            if row % rows == 0:
                yield first, pa.concat_tables(group)
                group, first = [], row
        reached(row)
    if group:
        yield first, pa.concat_tables(group)


def _keeping(batches: Iterable[Batch], column: str, texts: TextStore) -> Iterator[Batch]:
    """The same batches; their texts are kept in passing."""
    for batch in batches:
        texts.add(Documents(batch.data.column(column), batch.start))
        yield batch


def _head(batches: Iterator[Batch]) -> list[Batch]:
    """Enough batches for the survey, taken off the iterator."""
    head: list[Batch] = []
    rows = 0
    for batch in batches:
        head.append(batch)
        rows += len(batch)
        if rows >= SURVEYED:
            break
    return head


def _finished(parts: Parts) -> list[pa.Table]:
    """The parts that an earlier run finished, from row 0 on without a gap. A part that is not full is the last."""
    done: list[pa.Table] = []
    while not done or done[-1].num_rows == PART_ROWS:
        part = parts.get(f"sign-{len(done) * PART_ROWS:015d}")
        if part is None:
            break
        done.append(part)
    return done


def _said(end: pa.Table) -> tuple[int, tuple[str, ...]]:
    """What the source had to say at its end: a run that starts from finished parts does not hear it."""
    row = end.to_pylist()[0]
    return row["malformed"], tuple(row["warnings"] or ())


def _join(tables: list[pa.Table], bands: int, *, with_ids: bool) -> Signed:
    """The parts side by side. They are used up on the way, so that what they hold is not held twice."""
    rows = sum(table.num_rows for table in tables)
    ids = None
    if with_ids:
        chunks = [chunk for table in tables for chunk in table["id"].chunks]
        ids = pa.concat_arrays(chunks) if chunks else pa.array([], pa.string())
    fingerprints = np.empty((rows, 2), dtype=np.uint64)
    keys = np.empty((rows, bands), dtype=np.uint64)
    flags, characters = np.empty(rows, dtype=np.uint8), np.empty(rows, dtype=np.int64)
    start = size = 0
    while tables:
        table = tables.pop(0).combine_chunks()
        here = slice(start, start := start + table.num_rows)
        fingerprints[here] = _matrix(table["fingerprint"], 2)
        keys[here] = _matrix(table["keys"], bands)
        flags[here], characters[here] = to_numpy(table["flags"]), to_numpy(table["characters"])
        size += int(to_numpy(table["bytes"]).sum())
    return Signed(Facts(flags, characters, size, ids), fingerprints, keys)


def _matrix(column: pa.ChunkedArray, width: int) -> Any:
    array = column.combine_chunks()  # whose flatten() would import pyarrow.compute
    return to_numpy(array.values[array.offset * width :][: len(array) * width]).reshape(-1, width)


def _fixed(matrix: npt.NDArray[np.uint64]) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(to_arrow(matrix.ravel()), matrix.shape[1])
