"""Clusters: groups of similar documents, each with one representative."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import pyarrow as pa

from lookalike.flow.arrays import Rows, ids_of, to_arrow
from lookalike.flow.distinct import distinct
from lookalike.results.reporting import DocumentReport
from lookalike.results.result import Result, stored_ids
from lookalike.results.summary import Overview, Summary, counted

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables


@dataclass(frozen=True, eq=False)
class Clusters(DocumentReport, Result):
    """The cluster of each row, and the row that represents the cluster.

    `labels[row]` is the first row of the cluster that contains `row`; a document that is similar to no other is a
    cluster of its own. `survivors[row]` is the row that represents this cluster: the first, unless a survivor rule
    chose another. A row that `dedupe` protects represents itself.
    """

    labels: Rows
    survivors: Rows | None = None
    ids: pa.Array | None = None
    summary: Summary = field(default_factory=Summary)

    @classmethod
    def from_edges(
        cls,
        rows: int,
        left: Rows,
        right: Rows,
        *,
        ids: pa.Array | None = None,
        summary: Summary | None = None,
    ) -> Clusters:
        """Returns the connected components of the graph with these edges."""
        return cls(connected_components(rows, left, right), ids=ids, summary=summary or Summary())

    def __len__(self) -> int:
        """Returns the number of clusters of two or more documents."""
        return int(np.count_nonzero(self._sizes_by_label >= 2))

    def __getitem__(self, place: SupportsIndex | slice | str) -> Any:
        """Returns the ids of the members of one cluster, or of several: `clusters[0]` is the largest, as in `members`.

        With the name of a column, returns that column of the table, as in `clusters["size"]`. Iterating yields the rows
        of the table, one per document.
        """
        return self.to_arrow()[place].combine_chunks() if isinstance(place, str) else self.members()[place]

    def __repr__(self) -> str:
        grouped = int(self._sizes_by_label[self._sizes_by_label >= 2].sum())
        return f"Clusters({len(self):,} of two or more, with {grouped:,} of {counted(len(self.labels), 'document')})"

    def to_arrow(self) -> pa.Table:
        """Returns a table with one row per document: id, cluster, size and representative (an id).

        Clusters are numbered in the order of their first members.
        """
        return self.to_reader(max(1, len(self.labels))).read_all()

    def to_reader(self, rows: int = 1 << 16) -> pa.RecordBatchReader:
        """Returns the table of `to_arrow` as a stream of batches with at most `rows` rows each."""
        empty = self._batch(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        schema = self.summary.stamp(pa.Table.from_batches([empty])).schema
        return pa.RecordBatchReader.from_batches(schema, self._batches(rows, schema))

    def _batches(self, rows: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        numbers = self.numbers()
        for start in range(0, len(self.labels), rows):
            here = np.arange(start, min(start + rows, len(self.labels)), dtype=np.int64)
            yield self._batch(here, numbers).replace_schema_metadata(schema.metadata)

    def _batch(self, rows: Rows, numbers: Rows) -> pa.RecordBatch:
        labels = self.labels[rows]
        survivors = labels if self.survivors is None else self.survivors[rows]
        return pa.RecordBatch.from_pydict(
            {
                "id": ids_of(self.ids, rows),
                "cluster": to_arrow(numbers[rows]),
                "size": to_arrow(self._sizes_by_label[labels]),
                "representative": ids_of(self.ids, survivors),
            }
        )

    def tables(self) -> dict[str, pa.Table]:
        return {"clusters": self.to_arrow()}

    def _stored(self) -> dict[str, pa.Table]:
        """Returns the clusters as row numbers, and the ids in a separate table."""
        columns = {"label": self.labels} | ({} if self.survivors is None else {"survivor": self.survivors})
        table = pa.table({name: to_arrow(rows) for name, rows in columns.items()})
        return {"clusters": table, **stored_ids(self.ids)}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Clusters:
        labels = tables.labels("clusters", "label")
        chosen = "survivor" in tables["clusters"].column_names
        survivors = tables.rows("clusters", "survivor") if chosen else None
        return cls(labels, survivors, tables.ids(rows=len(labels)), summary)

    def _card(self) -> Card:
        from lookalike.display.cells import ROWS, FirstRows
        from lookalike.display.charts import size_chart

        largest = self.largest(ROWS)
        survivors = self.labels if self.survivors is None else self.survivors
        first = {
            "size": [len(rows) for rows in largest],
            "representative": ids_of(self.ids, survivors[[rows[0] for rows in largest]]),
            "members": [_listed(self.ids, rows) for rows in largest],
        }
        shown = FirstRows(pa.table(first), len(self), "Largest clusters")
        return replace(self._heading(), chart=size_chart(self.sizes()), tables=[shown])

    def numbers(self) -> Rows:
        """Returns the cluster number of each row. Clusters are numbered from 0 in the order of their first members."""
        firsts = self.labels == np.arange(len(self.labels))
        return (np.cumsum(firsts, dtype=np.int64) - 1)[self.labels]

    def sizes(self) -> dict[int, int]:
        """Returns the number of clusters of each size, smallest size first: {1: 970, 2: 12, 6: 1}."""
        counts = np.bincount(np.bincount(self.labels))
        sizes = np.flatnonzero(counts[1:]) + 1
        return dict(zip(sizes.tolist(), counts[sizes].tolist(), strict=True))

    def _overview(self, **more: int | None) -> Overview:
        """Computes the counts that people are shown. `more` are those of pairs, or of kept and removed rows."""
        sizes = [(size, count) for size, count in self.sizes().items() if size >= 2]
        groups, clustered = sum(count for _, count in sizes), sum(size * count for size, count in sizes)
        copies = self.summary.same_words
        return Overview(
            documents=len(self.labels),
            copies=copies,
            near=max(0, clustered - groups - copies),
            clusters=groups,
            clustered=clustered,
            sizes=tuple(sizes),
            largest=tuple([size for size, count in reversed(sizes) for _ in range(min(count, 5))][:5]),
            **more,
        )

    def members(self) -> list[list[Any]]:
        """Returns the clusters of two or more documents as lists of ids, largest first."""
        return [ids_of(self.ids, rows).to_pylist() for rows in self.largest()]

    def representatives(self) -> list[Any]:
        """Returns the ids of all representatives in input order, including those of clusters with one document.

        `dedupe` keeps these documents.
        """
        survivors = distinct(self.labels if self.survivors is None else self.survivors)
        return list(ids_of(self.ids, survivors).to_pylist())

    def largest(self, n: int | None = None) -> list[Rows]:
        """Returns the rows of each of the n largest clusters of two or more documents, largest first."""
        sizes = self._sizes_by_label
        firsts = np.flatnonzero(sizes >= 2)
        chosen = firsts[np.argsort(-sizes[firsts], kind="stable")][:n]
        if not len(chosen):
            return []
        # Only rows of these clusters are sorted: most rows are singletons, and there may be very many.
        place = np.full(len(sizes), -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        rows = np.flatnonzero(place[self.labels] >= 0)
        rows = rows[np.argsort(place[self.labels[rows]], kind="stable")].astype(np.int64)
        return np.split(rows, np.cumsum(sizes[chosen])[:-1])

    @cached_property
    def _sizes_by_label(self) -> Rows:
        return np.bincount(self.labels, minlength=len(self.labels)).astype(np.int64)


def _listed(ids: pa.Array | None, rows: Rows, most: int = 5) -> str:
    """Lists the ids of the first rows in words."""
    names = [str(name) for name in ids_of(ids, rows[:most]).to_pylist()]
    return ", ".join([*names, *(["…"] if len(rows) > most else [])])


def connected_components(rows: int, left: Rows, right: Rows) -> Rows:
    """Returns, for each row, the smallest row that it is connected to.

    Larger roots are hooked onto smaller ones. Written in plain NumPy, so that `Pairs` can be clustered without a
    kernel; engines have their own union-find.
    """
    label = np.arange(rows, dtype=np.int64)
    while len(left):
        a, b = label[left], label[right]
        unmerged = a != b
        left, right = left[unmerged], right[unmerged]
        low, high = np.minimum(a, b)[unmerged], np.maximum(a, b)[unmerged]
        np.minimum.at(label, high, low)
        while True:  # until every row points at its root
            root = label[label]
            if np.array_equal(root, label):
                break
            label = root
    return label


def star_labels(survivors: Rows) -> Rows:
    """Returns, for each row, the first row of its cluster, given the survivor of each row.

    >>> star_labels(np.array([2, 1, 2, 1])).tolist()
    [0, 1, 0, 1]
    """
    label = np.full(len(survivors), len(survivors), dtype=np.int64)
    np.minimum.at(label, survivors, np.arange(len(survivors), dtype=np.int64))
    labels: Rows = label[survivors]
    return labels
