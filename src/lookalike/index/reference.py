"""An index as the reference of `dedupe`: its plan, and those of its documents with which new ones are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.engines.stages.first_pass import sketch
from lookalike.errors import InvalidOption
from lookalike.flow import Auto, Documents, Shingling, parse_shingling
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.documents import TEXT as TEXTS
from lookalike.flow.documents import TOKENS
from lookalike.flow.progress import Progress
from lookalike.flow.sketches import EMPTY
from lookalike.index.access import Access
from lookalike.index.backends import names_index
from lookalike.index.clustering import settled
from lookalike.index.index import Index
from lookalike.index.store import Store
from lookalike.index.stored_source import ID, TEXT, StoredSource
from lookalike.io.file_source import FileSource
from lookalike.io.files import File
from lookalike.io.formats.parquet import ParquetFormat
from lookalike.io.open import paths_in
from lookalike.io.source import Source
from lookalike.planning.plan import CUTTING, Goal, Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.foreign_errors import copying
from lookalike.storage.unnamed_files import Unnamed

OPEN = (None, "auto")
"""The values of an entry of a plan that leave it open."""


def index_in(against: Any, *, threads: int | None, memory: int | str | None) -> Index | None:
    """Returns the index that a reference is or names; None if the reference is other data."""
    if isinstance(against, Index):
        return against
    paths = paths_in(against) or ()
    named = [path for path in paths if names_index(path)]
    if named and len(paths) > 1:
        raise InvalidOption("index-among-others", name=named[0])
    return Index.open(named[0], threads=threads, memory=memory) if named else None


def plan_under(
    index: Index, plan: Plan | ResolvedPlan | str | Path | None, goal: Goal, given: Mapping[str, Any]
) -> Plan:
    """Returns the plan of a run against an index: that of the index. Raises InvalidOption if an option contradicts it.

    `linkage` is not part of the plan of an index, so it is taken from the options or the plan that were given.
    """
    index._access.check_texts()
    own = Plan.from_options(index.plan, goal, {})
    base = None if plan is None else Plan.from_options(plan, goal, {})
    wanted = Plan.from_options(base or own, goal, given)
    entries = given.keys() if base is None else {field.name for field in fields(Plan)}
    for name in (field.name for field in fields(Plan)):
        if name in ("goal", "linkage", "contained", "copies") or (name not in entries and name != "shingles"):
            continue
        mine, theirs = getattr(own, name), getattr(wanted, name)
        if name == "shingles":
            if entries & {*CUTTING}:
                _check_shingles(index, parse_shingling(mine), parse_shingling(theirs))
        elif theirs not in OPEN and mine != theirs:
            raise _contradiction(index, name, mine, theirs)
    return replace(own, linkage=wanted.linkage, contained=wanted.contained, copies=wanted.copies)


def _check_shingles(index: Index, own: Shingling, wanted: Shingling) -> None:
    if not isinstance(wanted, Auto) and str(own) != str(wanted):
        raise _contradiction(index, "shingles", own, wanted)
    for field in fields(Auto):
        mine, theirs = getattr(own, field.name), getattr(wanted, field.name)
        if field.name == "key" and mine != theirs:
            raise InvalidOption("key-of-another-index", name=index.store.name)
        if field.name != "ignored" and mine != theirs:
            raise _contradiction(index, field.name, mine, theirs)
    mine, theirs = getattr(own, "whitespace", None), getattr(wanted, "whitespace", None)
    if theirs is not None and mine != theirs:
        raise _contradiction(index, "whitespace", mine, theirs)


def _contradiction(index: Index, option: str, own: Any, wanted: Any) -> InvalidOption:
    return InvalidOption("contradicts-index", name=index.store.name, option=option, own=str(own), wanted=str(wanted))


class Neighbourhood(FileSource):
    """The documents of an index that share a bucket with new documents, in the order in which they were added.

    They are copied to a temporary file, because a run reads its reference more than once, maybe in other processes.
    """

    total: int
    """The number of documents of the index."""


def neighbourhood(index: Index, new: Source, *, connected: bool, progress: Progress) -> Neighbourhood:
    """Returns those documents of an index on which the answer of a run depends.

    Other documents share no bucket with a new one, so no pair contains both. With `connected`, whole clusters of the
    index are included, because new documents may be linked through them.
    """
    access = index._access
    with access.settling() if connected else access.reading():
        store, plan, known = index.store, index.store.resolved, np.zeros(0, np.int64)
        rows = np.zeros(0, np.int64)
        if plan is not None:
            known = store.all_rows()
            rows = known[_near(access, plan, new, known, progress)]
            if connected and len(rows):
                labels = settled(access, progress).of(known)
                rows = known[np.isin(labels, labels[np.searchsorted(known, rows)])]
        has_tokens = access.has_tokens()
        if has_tokens is None:
            has_tokens = next((some.has_tokens for some in new.documents(0, 1)), False)
        return _copied(StoredSource(store, rows), _schema(store, has_tokens), len(known))


def _near(access: Access, plan: ResolvedPlan, new: Source, known: Rows, progress: Progress) -> Mask:
    """Returns a mask of the rows that share a bucket with a new document."""
    is_near: Mask = np.zeros(len(known), bool)
    done = 0
    for batch in new.read([new.column]):
        documents = Documents(batch.data.column(0))
        sketches = sketch(access.kernel, documents, plan)
        for some in access.store.candidates(sketches.keys, (sketches.flags & EMPTY) > 0):
            is_near[np.searchsorted(known, np.unique(some.rows))] = True
        done += len(documents)
        progress("query", done, new.total_rows())
    return is_near


def _schema(store: Store, has_tokens: bool) -> pa.Schema:
    return pa.schema(
        {ID: pa.large_string() if store.ids == "str" else pa.int64(), TEXT: TOKENS if has_tokens else TEXTS}
    )


def _copied(rows: StoredSource, schema: pa.Schema, total: int) -> Neighbourhood:
    """Copies rows of an index to a temporary Parquet file."""
    import pyarrow.parquet as pq

    copy = Unnamed()
    digest = hashlib.blake2b(digest_size=16)
    with copying(rows.name), pq.ParquetWriter(copy.path, schema, compression="zstd") as file:
        for batch in rows.read():
            file.write_batch(batch.data)
            for column in batch.data.columns:
                for buffer in column.buffers():
                    digest.update(b"" if buffer is None else buffer)
    file = File(copy.path, rows.name, rows.name, temporary=copy, mark=digest.hexdigest())
    made = Neighbourhood(rows.name, ParquetFormat([file], TEXT, ID, "fail", 8192), column=TEXT, id=ID)
    made.total = total
    return made
