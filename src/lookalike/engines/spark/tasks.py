"""The work of the tasks, stage by stage. Tasks read and store parts, and receive and send shuffle blocks.

    sign      a part of the texts   → its hashes, band keys and lengths, stored
    collapse  rows by hash of words → texts with the same words, stored; the keys of other rows, by key
    group     rows by key           → the rows that are needed at each place, by part (`placement.py`)
    want      places by part        → the rows of a part that are needed, and their places, stored
    fetch     a part's needed rows  → their sets and keys, by place
    compare   sets by place         → similar pairs or components, stored (`comparing.py`)

Only `fetch` sends sets; other shuffles contain only row numbers, hashes, keys and places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.spark.comparing import Checker
from lookalike.engines.spark.corpus import Corpus, part_name, wanted_texts
from lookalike.engines.spark.hash_columns import as_lists, packed, unpacked
from lookalike.engines.spark.placement import Placement, distinct, once_in_large, runs
from lookalike.engines.spark.preferred import PreferredRows
from lookalike.engines.spark.shuffle import opened, written
from lookalike.engines.spark.staging import Staging
from lookalike.engines.stages.boilerplate import LargeBuckets
from lookalike.engines.stages.copies import too_many
from lookalike.engines.stages.first_pass import joined, sign_batch
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows, to_arrow, to_numpy
from lookalike.flow.buckets import SMALL_BUCKET
from lookalike.flow.sketches import EMPTY
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

Batches = Iterable[pa.RecordBatch]
Output = Iterator[pa.RecordBatch]

SIGNED, COPIES, LARGE_BUCKETS = "signed", "copies", "large-buckets"
PREFERRED_COPIES = "preferred-copies"
"""The stage that contains, for each row with a more preferred copy, the most preferred one. Only used for stars."""
LARGE_BUCKETS_SUMMARY = b"large_buckets"
"""The metadata key of a LARGE_BUCKETS part. Its value is a summary of the large buckets, for the warning."""

PAIR, OVERHEAD = 32, 8 << 20
"""Bytes per pair in a part (two rows, shared and total elements), and bytes of overhead for all parts together."""

LINKED = 1024
"""The maximum number of documents in a block if the goal is clusters. Comparing that many takes a tenth of a second,
even if no two of them are similar.
"""


@dataclass(frozen=True)
class TaskSetup:
    """The data that all tasks of a run share."""

    kernel: Kernel
    staging: Staging
    corpus: Corpus
    resolved: ResolvedPlan
    parts: tuple[int, ...]
    signed: Staging
    """Where the stage `sign` keeps its parts. The parts of other stages, in `staging`, may depend on the preference."""
    block: int = 0
    """The maximum number of documents in a block; set after all documents are signed."""
    preferred: PreferredRows | None = None
    """Which documents are preferred as survivors; only used for stars."""

    @property
    def large(self) -> tuple[int, int]:
        """The size of the largest bucket that is not divided into blocks, and the block size.

        If all pairs are needed, a block is as large as a task can handle. For clusters, blocks are small, so that they
        are cheap even if no two members are similar: in most large buckets, nothing remains to be compared after each
        member is compared with the first.
        """
        plan = self.resolved.plan
        if self.resolved.exact or plan.goal == "pairs" or plan.linkage == "star":
            return self.block, self.block
        return min(self.block, SMALL_BUCKET), min(self.block, LINKED)

    @property
    def bands(self) -> int:
        return self.resolved.bands

    def part_of(self, rows: Rows) -> Rows:
        """Returns, for each row, the position of its part in `parts`."""
        return np.searchsorted(np.array(self.parts, np.int64), rows // self.corpus.step)


def counted(**values: int) -> pa.RecordBatch:
    """Returns a record batch of counts, which a task sends to the driver."""
    return pa.RecordBatch.from_pydict({name: pa.array([value], pa.int64()) for name, value in values.items()})


def numbers(batches: Batches) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


# sign


def sign(run: TaskSetup, batches: Batches) -> Output:
    for number in numbers(batches):
        name = part_name(SIGNED, run.parts[number])
        if run.signed.has(name):
            table = run.signed.get(name, ["windows"])
        else:
            table = _signed(run, run.parts[number])
            run.signed.put(name, table)
        yield counted(documents=table.num_rows, windows=int(to_numpy(table["windows"]).astype(np.int64).sum()))


def _signed(run: TaskSetup, part: int) -> pa.Table:
    corpus = run.corpus
    columns = [corpus.column] + ([corpus.id] if corpus.id else [])
    signed = joined(
        [sign_batch(run.kernel, batch, run.resolved, corpus.column, corpus.id) for batch in corpus.read(part, columns)]
    )
    sketches, start = signed.sketches, part * corpus.step
    made: dict[str, Any] = {
        "row": np.arange(start, start + len(sketches.flags)),
        "words": packed(sketches.words),
        "raw": packed(sketches.bytes),
        "keys": packed(sketches.keys),
        "flags": sketches.flags,
        "characters": sketches.lengths,
        "bytes": sketches.sizes,
        "windows": sketches.windows,
    }
    return pa.table(made if signed.ids is None else made | {"id": signed.ids})


# collapse


def by_words(run: TaskSetup, addresses: int, batches: Batches) -> Output:
    for number in numbers(batches):
        part = run.parts[number]
        table = run.signed.get(part_name(SIGNED, part), ["row", "words", "keys", "flags"])
        if run.preferred is not None:
            rank = run.preferred.ranks(run.staging, part, to_numpy(table["row"]), run.corpus.step)
            table = table.append_column("rank", to_arrow(rank))
        table = table.filter(pa.array(to_numpy(table["flags"]) & EMPTY == 0)).drop_columns(["flags"])
        table = table.combine_chunks()
        yield from written(table, _spread(unpacked(table["words"])[:, 0], addresses))


def collapse(run: TaskSetup, addresses: int, batches: Batches) -> Output:
    for address, table in opened(batches):
        table = table.sort_by("row").combine_chunks()
        rows = to_numpy(table["row"])
        first = run.kernel.copies(unpacked(table["words"]), np.zeros(len(rows), bool))
        copy = first != np.arange(len(rows))
        run.staging.put(part_name(COPIES, address), pa.table({"row": rows[copy], "first": rows[first[copy]]}))
        if run.preferred is not None:
            best = run.preferred.best_copies(rows, first, to_numpy(table["rank"]))
            copy = best != np.arange(len(rows))
            copies = pa.table({"row": rows[copy], "best": rows[best[copy]]})
            run.staging.put(part_name(PREFERRED_COPIES, address), copies)
            copy |= run.preferred.excluded(rows)
        keys, rows = unpacked(table["keys"])[~copy], rows[~copy]
        band = np.repeat(np.arange(run.bands, dtype=np.uint16), len(rows))
        entries = pa.table({"key": keys.T.ravel(), "row": np.tile(rows, run.bands), "band": band})
        yield from written(entries, _spread(keys.T.ravel(), addresses))


def _spread(hashes: npt.NDArray[np.uint64], addresses: int) -> npt.NDArray[np.int32]:
    return np.asarray((hashes >> np.uint64(32)) % np.uint64(addresses), np.int32)


# group


def group(run: TaskSetup, batches: Batches) -> Output:
    for address, table in opened(batches):
        row, band, key = (to_numpy(table[name]) for name in ("row", "band", "key"))
        order = np.lexsort((row, band))  # members of a bucket are ascending
        row, band, key = row[order], band[order], key[order]
        plan, large_buckets = run.resolved.plan, LargeBuckets()
        placement = Placement(plan.goal, plan.linkage, *run.large)
        for low, high in runs(band):
            members, starts = run.kernel.buckets(key[low:high])
            large_buckets = large_buckets.with_buckets(row[low:high][members], starts)
            placement.add(int(band[low]), row[low:high][members], starts)
        if placement.split:
            run.staging.put(
                part_name(LARGE_BUCKETS, address),
                placement.large_buckets().replace_schema_metadata({LARGE_BUCKETS_SUMMARY: large_buckets.to_json()}),
            )
        yield from to_parts(run, placement.wanted())


def to_parts(run: TaskSetup, wanted: pa.Table) -> Output:
    """Sends rows and their places as shuffle blocks to the parts that contain the rows."""
    return written(wanted, run.part_of(to_numpy(wanted["row"])))


# want, fetch


def want(run: TaskSetup, stage: str, batches: Batches) -> Output:
    for address, table in opened(batches):
        part = run.parts[address]
        table = once_in_large(table) if "first" in table.column_names else distinct(table)
        run.staging.put(part_name(stage, part), table)
        row, place = to_numpy(table["row"]), to_numpy(table["place"])
        sent = np.ones(len(row), bool)  # a row is sent once per place, even if several comparisons there need it
        sent[1:] = (np.diff(row) != 0) | (place[1:] != place[:-1])
        windows = to_numpy(run.signed.get(part_name(SIGNED, part), ["windows"])["windows"]).astype(np.int64)
        shipped = row[sent] - part * run.corpus.step
        yield counted(wanted=len(np.unique(row)), shipped=len(shipped), elements=int(windows[shipped].sum()))


def fetch(
    run: TaskSetup, stage: str, parts: Sequence[int], addresses: int, with_sets: bool, batches: Batches
) -> Output:
    """Sends the set and keys of each needed row of a part, once to every address where the row is needed."""
    for number in numbers(batches):
        part = parts[number]
        wanted = run.staging.get(part_name(stage, part)).combine_chunks()
        row = to_numpy(wanted["row"])
        address = (to_numpy(wanted["place"]) % np.uint64(addresses)).astype(np.int32)
        keys = unpacked(run.signed.get(part_name(SIGNED, part), ["keys"])["keys"])
        rank = None if run.preferred is None else run.preferred.ranks(run.staging, part, row, run.corpus.step)
        for here, sets in _sets(run, part, np.unique(row), with_sets):
            low, high = np.searchsorted(row, [here[0], here[-1] + 1])
            order = low + np.lexsort((row[low:high], address[low:high]))
            new = np.ones(len(order), bool)
            new[1:] = (np.diff(row[order]) != 0) | (np.diff(address[order]) != 0)
            records = order[new]
            made: dict[str, Any] = {
                "row": row[records],
                "keys": packed(keys[row[records] - part * run.corpus.step]),
                "set": as_lists(sets).take(pa.array(np.searchsorted(here, row[records]))),
            }
            if rank is not None:
                made["rank"] = rank[records]
            ends = pa.array(np.append(np.flatnonzero(new), len(order)), pa.int64())
            for name in wanted.column_names:
                if name not in ("row", "place"):  # columns that describe the comparisons that need the row
                    values = pa.array(to_numpy(wanted[name])[order])
                    made[name] = pa.LargeListArray.from_arrays(ends, values)
            yield from written(pa.table(made), address[records])


def _sets(run: TaskSetup, part: int, rows: Rows, with_sets: bool) -> Iterator[tuple[Rows, Shingles]]:
    if with_sets:
        for here, documents in wanted_texts(run.corpus, part, rows):
            yield here, run.kernel.shingle(documents, run.resolved.shingles)
    elif len(rows):
        yield rows, Shingles(np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.uint64))


# compare


def compare(run: TaskSetup, stage: str, checker: Checker, most: int | None, batches: Batches) -> Output:
    for address, table in opened(batches):
        if most is not None and run.staging.size(stage) > most * PAIR + OVERHEAD:  # pairs found by other tasks so far
            raise too_many(run.resolved.plan)
        found, counts = checker(table.sort_by("row").combine_chunks())
        run.staging.put(part_name(stage, address), found)
        yield counted(found=found.num_rows, **counts)
