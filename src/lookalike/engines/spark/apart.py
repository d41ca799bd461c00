"""Buckets that were met in blocks: which of them are still in several clusters, and what of them has to meet again.

Rarely anything. That is found out by the row numbers and labels of their members alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.engines.spark.letters import SCHEMA, opened, sent, written
from lookalike.engines.spark.meetings import Apart
from lookalike.engines.spark.tables import mixed
from lookalike.engines.spark.tasks import HOT, Run, counted
from lookalike.flow.arrays import to_numpy

if TYPE_CHECKING:
    from lookalike.engines.spark.stages import Stages

Batches = Iterable[pa.RecordBatch]


def settle(stages: Stages, components: str) -> dict[str, int]:
    """How many members of split buckets are in buckets that are not all of one cluster."""
    members = _labelled(stages, components)
    return stages.counts(members, partial(_count, stages.run), ("members",))


def apart_to_parts(stages: Stages, components: str, members: int) -> Any:
    """The same members, as letters that say where they have to meet."""
    return _labelled(stages, components).mapInArrow(partial(_wanted, stages.run), SCHEMA)


def _labelled(stages: Stages, components: str) -> Any:
    """Letters: band, first, row and label of the members of split buckets, a bucket in one task.

    Members are sent to their row's address, where the labels of the components meet them, and on to their bucket's.
    """
    staging = stages.run.staging
    hot, labels = staging.names(HOT), staging.names(components)
    addresses = stages.addresses((stages.run.staging.marked("propose") or {}).get("shipped", 0) * 32)
    letters = stages.tasks(len(hot) + len(labels)).mapInArrow(
        partial(_by_row, stages.run, (*hot, *labels), addresses), SCHEMA
    )
    letters = sent(letters, addresses).mapInArrow(partial(_by_bucket, addresses), SCHEMA)
    return sent(letters, addresses)


def _by_row(run: Run, names: tuple[str, ...], addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            table = run.staging.get(names[number])
            if "high" in table.column_names:  # a label, told as a member of no band
                row, label = to_numpy(table["high"]), to_numpy(table["low"])
                table = pa.table({"band": np.full(len(row), -1), "first": label, "row": row})
            yield from written(
                table.replace_schema_metadata(None),
                (mixed(to_numpy(table["row"])) % np.uint64(addresses)).astype(np.int32),
            )


def _by_bucket(addresses: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        band, first, row = (to_numpy(table[name]) for name in ("band", "first", "row"))
        said = band < 0
        order = np.argsort(row[said])
        known, label = row[said][order], first[said][order]
        band, first, row = band[~said], first[~said], row[~said]
        labels = row.copy()
        at = np.minimum(np.searchsorted(known, row), max(0, len(known) - 1))
        if len(known):
            hangs = known[at] == row
            labels[hangs] = label[at[hangs]]
        members = pa.table({"band": band, "first": first, "row": row, "label": labels})
        yield from written(members, (mixed(first, band) % np.uint64(addresses)).astype(np.int32))


def _still_apart(table: pa.Table) -> pa.Table:
    """The buckets of several labels."""
    bucket = np.stack([to_numpy(table["band"]), to_numpy(table["first"])], axis=1)
    _, which = np.unique(bucket, axis=0, return_inverse=True)
    label = to_numpy(table["label"])
    low, high = np.full(len(label), np.iinfo(np.int64).max), np.full(len(label), -1, np.int64)
    np.minimum.at(low, which.ravel(), label)
    np.maximum.at(high, which.ravel(), label)
    return table.filter(pa.array((low != high)[which.ravel()]))


def _count(run: Run, batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        yield counted(members=_still_apart(table).num_rows)


def _wanted(run: Run, batches: Batches) -> Iterator[pa.RecordBatch]:
    for _, table in opened(batches):
        members = _still_apart(table)
        if members.num_rows:
            wanted = Apart(run.block).wanted(members)
            yield from written(wanted, run.part_of(to_numpy(wanted["row"])))
