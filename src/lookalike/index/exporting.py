"""All documents of an index as a stream of batches, with the clusters that they belong to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lookalike.flow.arrays import Rows, to_arrow
from lookalike.flow.documents import TOKENS
from lookalike.flow.progress import Progress
from lookalike.index.access import Access
from lookalike.index.clustering import settled
from lookalike.index.stored_source import ID, TEXT, StoredSource

CLUSTER = "cluster"


def reader(access: Access, clusters: bool, progress: Progress) -> pa.RecordBatchReader:
    """Returns the documents in the order in which they were added: id, text and, if asked for, cluster."""
    access.check_texts()
    store = access.store
    rows = store.all_rows()
    numbers = cluster_numbers(settled(access, progress).of(rows)) if clusters else None
    kinds = {
        ID: pa.large_string() if store.ids == "str" else pa.int64(),
        TEXT: TOKENS if access.has_tokens() else pa.large_string(),
    }
    schema = pa.schema(kinds | ({CLUSTER: pa.int64()} if clusters else {}))
    return pa.RecordBatchReader.from_batches(schema, _batches(access, rows, numbers, schema, progress))


def _batches(
    access: Access, rows: Rows, numbers: Rows | None, schema: pa.Schema, progress: Progress
) -> Iterator[pa.RecordBatch]:
    batches = StoredSource(access.store, rows).read()
    while True:
        with access.alone():  # not while other threads change the index
            batch = next(batches, None)
        if batch is None:
            return
        columns = batch.data.columns
        if numbers is not None:
            columns = [*columns, to_arrow(numbers[batch.start : batch.start + len(batch)])]
        yield pa.record_batch(columns, schema=schema)
        progress("export", batch.start + len(batch), len(rows))


def cluster_numbers(labels: Rows) -> Rows:
    """Numbers clusters from 0 in the order of their first members, given equal labels for members of a cluster.

    >>> cluster_numbers(np.array([7, 3, 7, 9])).tolist()
    [0, 1, 0, 2]
    """
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    result: Rows = numbers[place]
    return result
