"""The results of the first pass, by column: loaded whole if they fit into memory, otherwise read part by part.

Each band has its own column of keys, so that the keys of one band can be read without those of other bands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.answer_builder import RowFacts
from lookalike.flow.arrays import Hashes, to_arrow, to_numpy
from lookalike.storage.spill import Spill
from lookalike.work.text_parts import TextParts

PRINTS = ("fingerprint-0", "fingerprint-1")


TEXTS = b"texts"
"""Metadata key of a part. Its value lists the first row of each text part that contains texts of these rows."""


def key_column(band: int) -> str:
    return f"key-{band:04d}"


def columns_of(matrix: Hashes, names: list[str] | tuple[str, ...]) -> dict[str, pa.Array]:
    """Converts the columns of a matrix to Arrow columns with these names."""
    return {name: to_arrow(column) for name, column in zip(names, np.ascontiguousarray(matrix.T), strict=True)}


def matrix_of(table: pa.Table, names: list[str] | tuple[str, ...], out: Hashes | None = None) -> Hashes:
    """Inverse of `columns_of`. Writes to `out`, if given."""
    matrix = np.empty((table.num_rows, len(names)), dtype=np.uint64) if out is None else out
    for i, name in enumerate(names):
        matrix[:, i] = to_numpy(table[name])
    return matrix


@dataclass(frozen=True, eq=False)
class Whole:
    """All results of the first pass, in memory."""

    facts: RowFacts
    fingerprints: Hashes
    keys: Hashes
    windows: npt.NDArray[np.uint32]


class Signed:
    """The tables of the first pass, which are added in row order."""

    def __init__(self, spill: Spill, bands: int, *, with_ids: bool) -> None:
        self.spill = spill
        self.bands = bands
        self.with_ids = with_ids
        self.starts: list[int] = []
        self.rows = 0
        self.texts: TextParts | None = None
        """The texts of all rows, if they are also stored as parts. Each first-pass part lists its text parts."""

    @property
    def fits(self) -> bool:
        return not self.spill.full

    @property
    def key_columns(self) -> list[str]:
        return [key_column(band) for band in range(self.bands)]

    def add(self, start: int, table: pa.Table, *, stored: bool = False) -> None:
        """Adds a table whose first row is `start`. `stored` means that it is already a durable part."""
        if stored:
            if self.texts is not None:
                self.texts.starts[start] = json.loads(table.schema.metadata[TEXTS])
            self.spill.add(name_of(start), table)
        else:
            if self.texts is not None:
                table = table.replace_schema_metadata({TEXTS: json.dumps(self.texts.starts[start])})
            self.spill.put(name_of(start), table)
        self.starts.append(start)
        self.rows += table.num_rows

    def read(self, *columns: str) -> Iterator[tuple[int, pa.Table]]:
        """Yields the first row of each part, and a table of these columns of the part."""
        for nth, start in enumerate(self.starts):
            yield start, self.part(nth, list(columns))

    def part(self, nth: int, columns: list[str] | None = None) -> pa.Table:
        start = self.starts[nth]
        table = self.spill.get(name_of(start), columns)
        assert table is not None, f"the part of row {start} is gone"
        return table

    def column(self, name: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """One column, for all rows."""
        whole = np.empty(self.rows, dtype=dtype)
        for start, table in self.read(name):
            whole[start : start + table.num_rows] = to_numpy(table[name])
        return whole

    def keys(self, band: int) -> Iterator[tuple[int, Hashes]]:
        """Yields the first row of each part, and its keys in one band."""
        name = key_column(band)
        for start, table in self.read(name):
            yield start, to_numpy(table[name])

    def whole(self) -> Whole:
        """Loads all columns of all rows. The parts are released, so that no data is in memory twice."""
        chunks: list[pa.Array] = []
        fingerprints = np.empty((self.rows, 2), dtype=np.uint64)
        keys = np.empty((self.rows, self.bands), dtype=np.uint64)
        flags, characters = np.empty(self.rows, dtype=np.uint8), np.empty(self.rows, dtype=np.int64)
        windows = np.empty(self.rows, dtype=np.uint32)
        size = 0
        for nth, start in enumerate(self.starts):
            table = self.part(nth)
            self.spill.drop(name_of(start))
            here = slice(start, start + table.num_rows)
            matrix_of(table, PRINTS, fingerprints[here])
            matrix_of(table, self.key_columns, keys[here])
            flags[here], characters[here] = to_numpy(table["flags"]), to_numpy(table["characters"])
            windows[here] = to_numpy(table["windows"])
            size += int(to_numpy(table["bytes"]).sum())
            chunks += table["id"].chunks if self.with_ids else []
        return Whole(RowFacts(flags, characters, size, self._ids(chunks)), fingerprints, keys, windows)

    def take_back(self, whole: Whole) -> None:
        """Converts the result of `whole` back into parts, because the next stage does not fit into memory with it."""
        self.spill.flush()
        for start, stop in pairwise([*self.starts, self.rows]):
            if self.spill.keeps:
                break  # the parts still exist
            facts, here = whole.facts, slice(start, stop)
            sizes = np.zeros(stop - start, dtype=np.int64)
            sizes[:1] = 0 if start else facts.bytes  # only the total is still known
            table = {
                **columns_of(whole.fingerprints[here], PRINTS),
                "flags": to_arrow(facts.flags[here]),
                "characters": to_arrow(facts.characters[here]),
                "bytes": to_arrow(sizes),
                "windows": to_arrow(whole.windows[here]),
                **columns_of(whole.keys[here], self.key_columns),
                **({} if facts.ids is None else {"id": facts.ids[here]}),
            }
            self.spill.add(name_of(start), pa.table(table))

    def facts(self) -> RowFacts:
        """Per-row facts, without keys."""
        chunks = [chunk for _, table in self.read("id") for chunk in table["id"].chunks] if self.with_ids else []
        size = sum(int(to_numpy(table["bytes"]).sum()) for _, table in self.read("bytes"))
        return RowFacts(self.column("flags", np.uint8), self.column("characters", np.int64), size, self._ids(chunks))

    def _ids(self, chunks: list[pa.Array]) -> pa.Array | None:
        if not self.with_ids:
            return None
        return pa.concat_arrays(chunks) if chunks else pa.array([], pa.string())


def name_of(start: int) -> str:
    return f"sign-{start:015d}"
