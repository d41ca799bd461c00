"""The results of comparing pictures: pairs, and the pictures nearest to a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.flow.arrays import Rows
from lookalike.results.restoring import checked
from lookalike.results.result import Result
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables

KINDS = ("bytes", "pixels", "near", "other")
"""What two pictures have in common: the bytes of their files, all pixels, what they show, or less than that."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PicturePairs(Result):
    """Pairs of pictures that are copies of one another, and for each picture whether to keep it."""

    left_rows: Rows
    """For each pair, the row of its first picture in `pictures`."""
    right_rows: Rows
    similarity: npt.NDArray[np.float64]
    kind: pa.Array
    """For each pair: bytes, pixels or near."""
    turned: Rows
    """By how many degrees the left picture is turned, anticlockwise, to look like the right one."""
    brightness: npt.NDArray[np.float64]
    """For each pair, the light of the right picture divided by that of the left one."""
    pictures: pa.Table
    """One row per picture file: path, bytes, width, height, format, keep, kept (the path of the picture to keep in its
    place), dhash and phash, note (such as why it could not be compared), and file (its place)."""
    counts: dict[str, int]
    """The numbers of files: others (no pictures), links, problems, plain pictures and animated ones."""
    threshold: float
    name: str
    summary: Summary

    @property
    def left(self) -> pa.Array:
        return self._paths(self.left_rows)

    @property
    def right(self) -> pa.Array:
        return self._paths(self.right_rows)

    def _paths(self, rows: Rows) -> pa.Array:
        return self.pictures["path"].combine_chunks().take(pa.array(rows, pa.int64()))

    def __len__(self) -> int:
        return len(self.left_rows)

    def __repr__(self) -> str:
        pairs = "pair" if len(self) == 1 else "pairs"
        return f"PicturePairs({len(self):,} {pairs} of copies among {self.pictures.num_rows:,} pictures)"

    @property
    def removable(self) -> int:
        """The number of pictures that have a copy to keep in their place."""
        return int(pc.sum(pc.invert(self.pictures["keep"])).as_py() or 0)

    def kind_counts(self) -> dict[str, int]:
        """The number of pairs of each kind."""
        return {kind: int(pc.sum(pc.equal(self.kind, kind)).as_py() or 0) for kind in KINDS[:3]}

    def to_arrow(self) -> pa.Table:
        return pa.table(
            {
                "left": self.left,
                "right": self.right,
                "similarity": pa.array(self.similarity, pa.float64()),
                "kind": self.kind,
                "turned": pa.array(self.turned, pa.int64()),
                "brightness": pa.array(self.brightness, pa.float64()),
            }
        )

    def tables(self) -> dict[str, pa.Table]:
        return {"pairs": self.to_arrow(), "pictures": self.pictures.drop_columns(["file"])}

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a report: one HTML file with the copies side by side, which can be read offline.

        The pictures that it shows are read again.
        """
        from lookalike.apps.images.page import write_page

        return write_page(path, self, force=force)

    def _card(self) -> Card:
        kinds = [(kind, f"{count:,}") for kind, count in self.kind_counts().items() if count]
        counts = [*kinds, *([("pictures could go", f"{self.removable:,}")] if self.removable else [])]
        return replace(super()._card(), counts=counts)

    def _facts(self) -> dict[str, Any]:
        return {"counts": self.counts, "threshold": self.threshold, "name": self.name}

    def _stored(self) -> dict[str, pa.Table]:
        names = ("left_rows", "right_rows", "similarity", "kind", "turned", "brightness")
        return {"pairs": pa.table({name: getattr(self, name) for name in names}), "pictures": self.pictures}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> PicturePairs:
        pictures = tables["pictures"]
        return cls(
            left_rows=tables.rows("pairs", "left_rows", pictures.num_rows),
            right_rows=tables.rows("pairs", "right_rows", pictures.num_rows),
            similarity=tables.floats("pairs", "similarity"),
            kind=tables["pairs"]["kind"].combine_chunks(),
            turned=tables.rows("pairs", "turned", 360),
            brightness=tables.floats("pairs", "brightness"),
            pictures=pictures,
            summary=summary,
            **checked(facts, counts=dict[str, int], threshold=float, name=str),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestPictures(Result):
    """The pictures of a collection that are nearest to each query."""

    table: pa.Table
    """One row per neighbour: query, picture, rank, features (the cosine of their descriptors), similarity, kind, and
    query_file and file (their places)."""
    counts: dict[str, int]
    name: str
    summary: Summary

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        queries = len(pc.unique(self.table["query"]))
        return f"NearestPictures({len(self):,} neighbours of {queries:,} queries)"

    def to_arrow(self) -> pa.Table:
        return self.table.drop_columns(["query_file", "file"])

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a report: one HTML file with each query and its neighbours, which can be read offline."""
        from lookalike.apps.images.page import write_neighbours

        return write_neighbours(path, self, force=force)

    def _facts(self) -> dict[str, Any]:
        return {"counts": self.counts, "name": self.name}

    def _stored(self) -> dict[str, pa.Table]:
        return {"neighbours": self.table}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> NearestPictures:
        known = checked(facts, counts=dict[str, int], name=str)
        return cls(table=tables["neighbours"], summary=summary, **known)
