"""Decides how many rows of a row group Arrow reads at once.

Arrow reads a number of rows, whatever their size. The sizes of pages limit how long the rows can be.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.flow.arrays import Rows
from lookalike.io.formats import page_tools
from lookalike.io.formats.parquet_footers import check_footer
from lookalike.io.formats.parquet_pages import PLAIN, Kind, Page, pages_of

STEP_ROWS = 256
"""The maximum number of rows that are read at once if the pages do not limit their size. Smaller steps take more
time."""

MANY_ROWS = 64 * STEP_ROWS
"""Row groups with fewer rows are read in steps of STEP_ROWS, since a look at their pages would cost more."""

SMALL_DICTIONARY = 4 << 20
"""The maximum number of bytes of a dictionary that is read to find its longest string."""

UNKNOWN = 1 << 60


@dataclass(frozen=True, eq=False)
class ColumnPages:
    """The pages of a column of strings in one row group; None if they are not known."""

    column: pq.ColumnSchema
    chunk: pq.ColumnChunkMetaData
    pages: list[Page] | None
    longest: int | None
    """The size of the longest string in the dictionary; None if it is not known."""
    ends: list[int] = field(default_factory=list)
    """For each page with rows, the number of rows up to its end."""
    weights: list[int] = field(default_factory=list)
    """For each page with rows, an upper bound for the bytes of its strings."""

    @classmethod
    def of(cls, column: pq.ColumnSchema, chunk: pq.ColumnChunkMetaData, file: int) -> ColumnPages:
        pages = pages_of(file, chunk)
        dictionary = next((page for page in pages or [] if page.kind == Kind.DICTIONARY), None)
        longest = None if dictionary is None else _longest(dictionary, chunk, file)
        with_rows = [page for page in pages or [] if page.has_rows]
        ends = list(accumulate(page.values for page in with_rows))
        return cls(column, chunk, pages, longest, ends, [_weight(page, longest) for page in with_rows])

    @property
    def largest(self) -> int:
        """The size of the largest page, in bytes."""
        return max((page.bytes for page in self.pages or []), default=0)

    @property
    def packed_levels(self) -> bool:
        """True if bits that are packed in the old way mark the nulls."""
        return self.column.max_definition_level > 0 and any(page.packed_levels for page in self.pages or [])

    def rows_within(self, most: int, row: int) -> int | None:
        """A number of rows from `row` on that have at most `most` bytes; None if the pages do not limit it."""
        first = bisect_right(self.ends, row)
        if first == len(self.ends):
            return None
        rows, left = 0, most
        for end, weight in zip(self.ends[first:], self.weights[first:], strict=True):
            left -= weight
            if left < 0:
                break
            rows = end - row
        if rows:
            return rows
        if self.longest is None:
            return None
        # Each row may be the longest string.
        rows = most // max(1, self.longest)
        return min(rows, self.ends[first] - row) if rows > STEP_ROWS else None


@dataclass(frozen=True, eq=False)
class GroupPages:
    """The pages of some columns in one row group."""

    strings: list[ColumnPages]
    width: int
    """The bytes per row of all columns of numbers."""
    has_lists: bool
    """True if one of the columns contains lists, so that the rows of its pages are not known."""

    @classmethod
    def of(cls, metadata: pq.FileMetaData, group: int, names: Sequence[str], file: int) -> GroupPages:
        """The pages of the columns with these names, including columns within them."""
        strings, width, has_lists = list[ColumnPages](), 0, False
        for name in names:
            check_footer(metadata, name, group)
        for index in range(metadata.num_columns):
            column = metadata.schema.column(index)
            if not any(f"{column.path}.".startswith(f"{name}.") for name in names):
                continue
            if column.max_repetition_level:
                has_lists = True
            elif column.physical_type == "BYTE_ARRAY":
                strings.append(ColumnPages.of(column, metadata.row_group(group).column(index), file))
            else:
                width += max(16, column.length)
        return cls(strings, width, has_lists)

    def rows_within(self, most: int, row: int) -> int | None:
        """A number of rows from `row` on that have at most `most` bytes in each column; None if no number is known."""
        if self.has_lists:
            return None
        rows = most // max(1, self.width)
        for column in self.strings:
            here = column.rows_within(most, row)
            if here is None:
                return None
            rows = min(rows, here)
        return max(1, rows)


def _weight(page: Page, longest: int | None) -> int:
    if page.by_dictionary and longest is not None:
        return page.values * longest
    return page.bytes if page.encoding == PLAIN else UNKNOWN


def _longest(page: Page, chunk: pq.ColumnChunkMetaData, file: int) -> int | None:
    """The size of the longest string in a dictionary; None if the dictionary is large or cannot be read."""
    if page_tools.tools is None or max(page.bytes, page.stored) > SMALL_DICTIONARY:
        return None
    data = os.pread(file, page.stored, page.at)
    try:
        if chunk.compression != "UNCOMPRESSED":
            codec = pa.Codec("lz4_raw" if chunk.compression == "LZ4" else chunk.compression.lower())
            data = codec.decompress(data, page.bytes, asbytes=True)
    except (OSError, pa.ArrowException, ValueError):
        return None
    offsets: Rows = page_tools.tools.plain_values(data, page.values)[0]
    return int((offsets[1:] - offsets[:-1]).max(initial=0)) if len(offsets) == page.values + 1 else None
