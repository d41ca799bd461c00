"""Groups rows (set, element), in any order, into sets with lists of their elements.

Rows are distributed to temporary files by a hash of the name of their set. Each file therefore contains whole sets, and
is grouped in memory separately. An empty set has no rows, and does not appear.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import MalformedInput
from lookalike.flow.arrays import call_function, take
from lookalike.flow.documents import TEXT, TOKENS, Documents
from lookalike.io.columns import ids_name_baskets
from lookalike.io.source import Source
from lookalike.storage.foreign_errors import copying
from lookalike.storage.unnamed_files import Unnamed

PARTS = 64
"""The number of temporary files."""

BLOCK = 1 << 15
"""The number of sets that are put in order at once."""

Pairs = Iterator[tuple[pa.Array, pa.Array]]
"""Batches of two columns: names of sets, and elements. Rows without a name or an element are ignored."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Several sets: their names, their elements, and the first row of each set, in ascending order of first row."""

    names: pa.Array
    lists: pa.Array
    first: npt.NDArray[np.int64]


class Grouped:
    """Sets grouped from rows, stored in temporary files that are removed with this object."""

    def __init__(self, name: str, rows: Pairs) -> None:
        self.name = name
        self._files: dict[tuple[str, int], Unnamed] = {}
        with copying(name):
            self._deal(rows)

    def _path(self, kind: str, part: int) -> str:
        if (kind, part) not in self._files:
            self._files[kind, part] = Unnamed()
        return self._files[kind, part].path

    def _deal(self, rows: Pairs) -> None:
        schema = pa.schema([("set", TEXT), ("element", TEXT), ("row", pa.int64())])
        start = 0
        with ExitStack() as stack:
            writers: dict[int, Any] = {}
            for sets, elements in rows:
                numbers = pa.array(np.arange(start, start + len(sets)))
                start += len(sets)
                table = pa.table([sets.cast(TEXT), elements.cast(TEXT), numbers], schema=schema)
                table = table.filter(call_function("and", [_is_present(table["set"]), _is_present(table["element"])]))
                parts = _parts(table["set"].combine_chunks())
                for part in np.unique(parts).tolist():
                    if part not in writers:
                        sink = stack.enter_context(pa.OSFile(self._path("rows", part), "wb"))
                        writers[part] = stack.enter_context(pa.ipc.new_file(sink, schema))
                    writers[part].write_table(table.filter(pa.array(parts == part)))
            self._parts = sorted(writers)
        self.bytes = sum(Path(self._path("rows", part)).stat().st_size for part in self._parts)

    def parts(self) -> Iterator[Sets]:
        """Yields all sets, one temporary file at a time. Must not be called after `in_order`."""
        for part in self._parts:
            with pa.OSFile(self._path("rows", part), "rb") as file:
                table = pa.ipc.open_file(file).read_all().combine_chunks()
            yield _grouped(*(table[name].combine_chunks() for name in ("set", "element", "row")))

    def in_order(self) -> Iterator[tuple[pa.Array, pa.Array]]:
        """Yields the names and elements of all sets, in order of first occurrence. Can be called only once."""
        firsts = []
        with copying(self.name):
            for part, sets in zip(self._parts, self.parts(), strict=True):
                firsts.append(self._write(part, sets))
                del self._files["rows", part]  # not needed again, and the number of open files is limited
        if not firsts:
            return
        part_of = np.repeat(np.arange(len(firsts)), [len(first) for first in firsts])
        part_of = part_of[np.argsort(np.concatenate(firsts))]
        with ExitStack() as stack:
            files = [stack.enter_context(pa.memory_map(self._path("sets", part))) for part in self._parts]
            stored = [pa.ipc.open_file(file).get_batch(0) for file in files]
            done = np.zeros(len(firsts), np.int64)
            for low in range(0, len(part_of), BLOCK):  # each part is already in order, so take its next sets
                here = part_of[low : low + BLOCK]
                counts = np.bincount(here, minlength=len(firsts))
                some = pa.Table.from_batches(
                    [batch.slice(done[i], counts[i]) for i, batch in enumerate(stored)]
                ).combine_chunks()
                done += counts
                place = np.empty(len(here), np.int64)
                place[np.argsort(here, kind="stable")] = np.arange(len(here))
                some = some.take(pa.array(place))
                yield some["set"].combine_chunks(), some["elements"].combine_chunks()

    def _write(self, part: int, sets: Sets) -> npt.NDArray[np.int64]:
        batch = pa.record_batch([sets.names, sets.lists], names=["set", "elements"])
        with pa.OSFile(self._path("sets", part), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return sets.first


def pairs_in_rows(source: Source, sets: str, elements: str) -> Pairs:
    """Yields the (set, element) pairs of a table with one element per row."""
    with ids_name_baskets():
        for batch in source.read([sets, elements]):
            yield batch.data.column(0), batch.data.column(1)


def pairs_in_lists(lists: Iterable[tuple[pa.Array, pa.Array]]) -> Pairs:
    """Yields (element, name) pairs, which transposes the lists: the names of lists become elements."""
    for names, some in lists:
        rows = np.repeat(np.arange(len(some)), np.diff(some.offsets.to_numpy()))
        yield some.flatten(), names.take(pa.array(rows))


def named_lists(source: Source) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yields the ids (or positions) of the rows of a source, and their lists, in batches."""
    columns = [source.column, *([source.id] if source.id else [])]
    for batch in source.read(columns):
        lists = batch.data.column(0)
        if lists.type != TOKENS:
            raise MalformedInput("texts-instead-of-lists", name=source.name, column=source.column)
        names = batch.data.column(1) if source.id else pa.array(np.arange(batch.start, batch.start + len(batch)))
        yield names, Documents(lists).texts  # `Documents` replaces null lists by empty lists


def _is_present(texts: Any) -> Any:
    filled = call_function("not_equal", [texts, pa.scalar("", TEXT)])
    return call_function("and", [call_function("is_valid", [texts]), filled])


def _parts(sets: pa.Array) -> Any:
    encoded = sets.dictionary_encode()
    parts = np.array([zlib.crc32(name.encode()) % PARTS for name in encoded.dictionary.to_pylist()], np.int64)
    return parts[encoded.indices.to_numpy()]


def _grouped(sets: pa.Array, elements: pa.Array, rows: pa.Array) -> Sets:
    encoded = sets.dictionary_encode()  # numbers the sets in order of first occurrence
    numbers = encoded.indices.to_numpy()
    order = np.argsort(numbers, kind="stable")
    sizes = np.bincount(numbers)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), take(elements, order))
    return Sets(encoded.dictionary, lists, rows.to_numpy()[order[offsets[:-1]]])
