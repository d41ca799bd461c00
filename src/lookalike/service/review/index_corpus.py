"""An index under review. Its rows are those of the store, whose numbers are never used again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.choosing.decision_lines import Document
from lookalike.errors import InvalidOption, LookalikeError
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress
from lookalike.index.ids import as_ids
from lookalike.index.index import Index
from lookalike.index.packing import texts_at
from lookalike.notices import Notice
from lookalike.planning.resolve import ResolvedPlan
from lookalike.service.review.corpus import Known, Name, Similarities, readable, similarities, spread
from lookalike.service.review.groups import Groups

AT_ONCE = 1024
"""The number of documents that are read at a time by calls about many documents."""


class IndexCorpus:
    """The documents of an index, which is opened twice for this purpose, because a handle answers one call at a time.

    A view or a decision needs a few documents, and must not wait for a thread that reads all of them.
    """

    kind = "index"
    at_once = AT_ONCE

    def __init__(self, index: Index, for_many: Index, name: str) -> None:
        """`for_many` is a second handle of the same index, for calls about many documents."""
        self.index, self._for_many, self.name = index, for_many, name
        self.identity = hashlib.sha256(index.store.name.encode(errors="surrogatepass")).hexdigest()[:16]
        self._state: tuple[int, int] | None = None

    @property
    def documents(self) -> int:
        return len(self.index)

    @property
    def plan(self) -> ResolvedPlan | None:
        plan = self.index.plan
        return plan if isinstance(plan, ResolvedPlan) else None

    @property
    def missing(self) -> Notice | None:
        return None if self.index._access.keeps_texts else Notice("review-without-texts")

    def _now(self) -> tuple[int, int]:
        with self.index._access.reading():
            return self.index.store.next_row, self.index.store.deletions

    def groups(self, progress: Progress) -> Groups:
        with self.index._access.settling():  # the same state for the clusters and the rows
            self._state = self._now()
            clusters = self.index.clusters(progress=progress)
            return Groups.of(self.index.store.all_rows(), clusters.labels)

    def known(self, groups: Groups) -> Known:
        unknown = np.full(len(groups), np.nan)
        return Known(unknown, unknown.copy(), np.zeros(0), "members")

    @property
    def changed(self) -> bool:
        return self._state is not None and self._state != self._now()

    def ids(self, rows: Rows) -> list[Name]:
        return list(self._ids(rows).to_pylist())

    def names(self, rows: Rows) -> pa.Array:
        return self._ids(rows).cast(pa.large_string())

    def _ids(self, rows: Rows) -> pa.Array:
        with self.index._access.reading():
            self._check(rows)
            return self.index.store.ids_of(rows)

    def _check(self, rows: Rows) -> None:
        """Raises an error if one of the rows does not exist. Rows of deleted documents have ids until compaction."""
        store = self.index.store
        outside = rows[(rows < 0) | (rows >= store.next_row)]
        if len(outside):
            raise InvalidOption("no-such-document-row", row=int(outside[0]))

    def texts(self, rows: Rows) -> dict[int, Any]:
        readable(self)
        with self.index._access.reading():
            self._check(rows)
            gone = rows[~self.index.store.is_alive(rows)]
            if len(gone):
                raise InvalidOption("no-such-document-row", row=int(gone[0]))
            return dict(zip(rows.tolist(), texts_at(self.index.store, rows).to_pylist(), strict=True))

    def blocks(self, rows: Rows) -> Iterator[tuple[Rows, pa.Array]]:
        readable(self)
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            with self._for_many._access.reading():
                store = self._for_many.store
                some = some[store.is_alive(some)]
                texts = texts_at(store, some)
            yield some, texts

    def compared(self, rows: Rows, left: Rows, right: Rows) -> Similarities:
        plan = self.plan
        assert plan is not None  # there are clusters, so documents were added
        with self._for_many._access.reading():
            texts = texts_at(self._for_many.store, rows)
        return similarities(plan, texts, left, right)

    def rows_of(self, documents: Sequence[Document]) -> dict[str, list[int]]:
        with self.index._access.reading():
            store, names = self.index.store, [*dict.fromkeys(document.id for document in documents)]
            if store.ids is None or not names:
                return {}
            if store.ids == "int":
                names = [name for name in names if _is_integer(name)]
                rows = store.rows_of(as_ids([int(name) for name in names])) if names else np.zeros(0, np.int64)
            else:
                names = [name for name in names if name.encode(errors="ignore").decode() == name]
                rows = store.rows_of(as_ids(names)) if names else np.zeros(0, np.int64)
            return {name: [row] for name, row in zip(names, rows.tolist(), strict=True) if row >= 0}

    def sample(self, size: int) -> Rows:
        with self.index._access.reading():
            return spread(self.index.store.all_rows(), size)

    def search(self, text: str, top: int, progress: Progress) -> tuple[list[tuple[int, float]], int]:
        with self.index._access.reading():
            found = self.index.query(text, top=top)
            rows = self.index.store.rows_of(found.found_ids) if len(found.left_rows) else np.zeros(0, np.int64)
            values = np.zeros(0) if found.similarity is None else found.similarity
            return [*zip(rows.tolist(), values.tolist(), strict=True)], len(self.index)

    def kept_by_run(self, groups: Groups) -> Mask:
        kept = np.ones(self._now()[0], np.bool_)
        kept[groups.rows] = False
        kept[groups.survivors] = True
        return kept

    def rows_kept(self, kept: Mask) -> pa.RecordBatchReader:
        with self.index._access.reading():
            rows = self.index.store.all_rows()
        rows = rows[kept[np.minimum(rows, len(kept) - 1)] | (rows >= len(kept))]
        kind = self._ids(rows[:1]).type if len(rows) else pa.int64()
        schema = pa.schema({"id": kind, "text": self._type(rows)})
        return pa.RecordBatchReader.from_batches(schema, self._batches(rows, schema))

    def _type(self, rows: Rows) -> pa.DataType:
        return next((texts.type for _, texts in self.blocks(rows[:1])), pa.large_string())

    def _batches(self, rows: Rows, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        for some, texts in self.blocks(rows):
            yield pa.record_batch([self._ids(some), texts], schema=schema)

    def failed(self, error: LookalikeError) -> None:
        """Nothing is noted: another request may succeed."""

    def close(self) -> None:
        self.index.close()
        self._for_many.close()


def _is_integer(name: str) -> bool:
    digits = name.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) < 19 and str(int(name)) == name
