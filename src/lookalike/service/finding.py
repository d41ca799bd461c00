"""Finds the documents that are similar to the texts of a request, within the limit of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lookalike.errors import ServiceError
from lookalike.flow.arrays import to_arrow
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.io.file_names import Text
from lookalike.results.index_matches import IndexMatches
from lookalike.service.bodies import ID

AT_ONCE = 64
"""The number of texts that are asked about at a time if their answers might exceed the limit together. Each finds at
most one row more than the limit, so memory is bounded."""


@dataclass(frozen=True)
class Found:
    """The documents found, in parts, and the number of texts of each part."""

    parts: list[IndexMatches]
    named: bool
    """True if the texts have ids."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the answer in JSON types."""
        last = self.parts[-1]
        rows: list[dict[str, Any]] = []
        for start, part in self._with_starts():
            queries = part.left.to_pylist() if self.named else (part.left_rows + start).tolist()
            containment = [None] * len(part) if part.containment is None else part.containment.tolist()
            columns = (queries, part.right.to_pylist(), part.similarity.tolist(), containment)
            names = ("query", "id", "similarity", "containment")
            rows += [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        queries = sum(part.queries for part in self.parts)
        return {"queries": queries, "documents": last.documents, "asked": last.asked, "found": rows}

    def to_arrow(self) -> pa.Table:
        """Returns a table: query_row, row (the numbers of the query and of the document), id, similarity, containment.

        Its metadata has the counts. The plan, which may contain the key of the index, is left out.
        """
        tables = [
            pa.table(
                {
                    "query_row": to_arrow(part.left_rows + start),
                    "row": to_arrow(part.right_rows),
                    "id": part.right,
                    "similarity": to_arrow(part.similarity),
                    "containment": pa.nulls(len(part)) if part.containment is None else to_arrow(part.containment),
                }
            )
            for start, part in self._with_starts()
        ]
        last = self.parts[-1]
        facts = {"queries": sum(part.queries for part in self.parts), "documents": last.documents, "asked": last.asked}
        return pa.concat_tables(tables).replace_schema_metadata({"lookalike.found": json.dumps(facts)})

    def _with_starts(self) -> Iterator[tuple[int, IndexMatches]]:
        start = 0
        for part in self.parts:
            yield start, part
            start += part.queries


def find(index: Index, texts: pa.Table | str, options: dict[str, Any], most: int, progress: Progress) -> Found:
    """Answers a query. Raises ServiceError if it finds more than `most` rows."""
    options = {name: value for name, value in options.items() if value is not None}
    top = options.pop("top", None)
    if top is not None:
        check_whole("top", top, 1)
    capped = most + 1 if top is None else min(top, most + 1)
    if isinstance(texts, str):
        parts = [index.query(Text(texts), top=capped, **options)]
        _check_rows(len(parts[0]), most)
        return Found(parts, named=False)
    named = ID in texts.column_names
    step = max(AT_ONCE, most // capped)
    parts = []
    for start in range(0, max(1, texts.num_rows), step):
        here = texts.slice(start, step)
        parts.append(index.query(here, id=ID if named else None, top=capped, progress=progress, **options))
        _check_rows(sum(map(len, parts)), most)
        progress("query", start, texts.num_rows)
    return Found(parts, named)


def _check_rows(found: int, most: int) -> None:
    if found > most:
        raise ServiceError("too-many-rows", most=most)
