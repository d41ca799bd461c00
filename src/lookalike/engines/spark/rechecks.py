"""Finds buckets that were compared in blocks and still span several clusters, and plans their second comparison.

Such buckets are rare. Row numbers and labels are enough to find them:

    label    members and labels, by row           → members with labels, stored; smallest and largest label per bucket
    compare  smallest and largest, by bucket      → buckets with several labels, stored
    plan     members of these, by first member    → rows and places for comparisons, by part (`placement.py`)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.spark.corpus import part_name
from lookalike.engines.spark.errors import map_batches
from lookalike.engines.spark.hash_columns import mixed
from lookalike.engines.spark.placement import Recheck
from lookalike.engines.spark.shuffle import SCHEMA, opened, sent, written
from lookalike.engines.spark.tasks import LARGE_BUCKETS, TaskSetup, counted, numbers, to_parts
from lookalike.flow.arrays import to_numpy

if TYPE_CHECKING:
    from lookalike.engines.spark.stages import Stages

Batches = Iterable[pa.RecordBatch]
Output = Iterator[pa.RecordBatch]

LABELLED, UNMERGED = "labelled", "unmerged"


def settle(stages: Stages, components: str) -> dict[str, int]:
    """Counts the split buckets that span several clusters, and stores them. Also stores the label of each member."""
    run, staging = stages.run, stages.run.staging
    names = (*staging.names(LARGE_BUCKETS), *staging.names(components))
    addresses = stages.addresses(staging.size(LARGE_BUCKETS) + staging.size(components))
    shuffled = map_batches(stages.tasks(len(names)), partial(_by_row, run, names, addresses), SCHEMA)
    shuffled = map_batches(sent(shuffled, addresses), partial(_label, run, addresses), SCHEMA)
    return stages.counts(sent(shuffled, addresses), partial(_compare, run), ("buckets",))


def unmerged_to_parts(stages: Stages) -> Any:
    """Sends the members of unmerged buckets to their parts, with the places where they are compared again."""
    run, staging = stages.run, stages.run.staging
    names, unmerged = tuple(staging.names(LABELLED)), tuple(staging.names(UNMERGED))
    addresses = stages.addresses(staging.size(LABELLED))
    shuffled = map_batches(stages.tasks(len(names)), partial(_by_first, run, names, unmerged, addresses), SCHEMA)
    return map_batches(sent(shuffled, addresses), partial(_plan, run), SCHEMA)


def _by_row(run: TaskSetup, names: tuple[str, ...], addresses: int, batches: Batches) -> Output:
    for number in numbers(batches):
        table = run.staging.get(names[number])
        if "high" in table.column_names:  # a label, sent as a member of band -1
            row, label = to_numpy(table["high"]), to_numpy(table["low"])
            table = pa.table({"band": np.full(len(row), -1), "first": label, "row": row})
        yield from written(table.replace_schema_metadata(None), _address(mixed(to_numpy(table["row"])), addresses))


def _label(run: TaskSetup, addresses: int, batches: Batches) -> Output:
    for address, table in opened(batches):
        band, first, row = (to_numpy(table[name]) for name in ("band", "first", "row"))
        is_label = band < 0
        order = np.argsort(row[is_label])
        labelled, labels = row[is_label][order], first[is_label][order]
        band, first, row = band[~is_label], first[~is_label], row[~is_label]
        label = row.copy()  # the label of rows without a smaller one
        if len(labelled):
            at = np.minimum(np.searchsorted(labelled, row), len(labelled) - 1)
            found = labelled[at] == row
            label[found] = labels[at[found]]
        members = pa.table({"band": band, "first": first, "row": row, "label": label})
        run.staging.put(part_name(LABELLED, address), members)
        bucket, least, largest = _between(mixed(first, band), label, label)
        yield from written(
            pa.table({"bucket": bucket, "least": least, "largest": largest}), _address(bucket, addresses)
        )


def _compare(run: TaskSetup, batches: Batches) -> Output:
    for address, table in opened(batches):
        bucket, least, largest = _between(*(to_numpy(table[name]) for name in ("bucket", "least", "largest")))
        unmerged = pa.table({"bucket": bucket[least != largest]})
        run.staging.put(part_name(UNMERGED, address), unmerged)
        yield counted(buckets=unmerged.num_rows)


def _by_first(
    run: TaskSetup, names: tuple[str, ...], unmerged: tuple[str, ...], addresses: int, batches: Batches
) -> Output:  # fmt: skip
    buckets = np.concatenate([to_numpy(run.staging.get(name)["bucket"]) for name in unmerged])
    for number in numbers(batches):
        members = run.staging.get(names[number])
        band, first = to_numpy(members["band"]), to_numpy(members["first"])
        members = members.filter(pa.array(np.isin(mixed(first, band), buckets)))
        yield from written(members, _address(mixed(to_numpy(members["first"])), addresses))


def _plan(run: TaskSetup, batches: Batches) -> Output:
    for _, table in opened(batches):
        for wanted in Recheck(run.block).wanted(table):
            yield from to_parts(run, wanted)


def _between(bucket: npt.NDArray[np.uint64], least: Any, largest: Any) -> tuple[Any, Any, Any]:
    """Returns the distinct buckets, and the smallest and largest label in each."""
    order = np.argsort(bucket, kind="stable")
    found, starts = np.unique(bucket[order], return_index=True)
    if not len(found):
        return found, least, largest
    return found, np.minimum.reduceat(least[order], starts), np.maximum.reduceat(largest[order], starts)


def _address(hashes: npt.NDArray[np.uint64], addresses: int) -> npt.NDArray[np.int32]:
    return np.asarray(hashes % np.uint64(addresses), np.int32)
