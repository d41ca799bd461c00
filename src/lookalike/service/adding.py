"""Adds the documents of a request, all or none, and says what became of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lookalike import api
from lookalike.flow.arrays import to_arrow
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.io.file_names import Text
from lookalike.service.bodies import ID, TEXT

ROW = "row"

Outcome = dict[str, Any]


def add_documents(index: Index, table: pa.Table, progress: Progress) -> dict[str, Any]:
    """Adds all documents of a table with the column text and, if they have ids, id."""
    if not table.num_rows:
        return _answer([], 0)
    added = index.add(table, id=ID if ID in table.column_names else None, progress=progress)
    return _answer([_added(id) for id in added.ids.to_pylist()], added.replaced)


def add_new_documents(index: Index, table: pa.Table, progress: Progress) -> dict[str, Any]:
    """Adds the documents that are similar neither to a document of the index nor to an earlier one of the table."""
    ids = table[ID].to_pylist() if ID in table.column_names else None
    if table.num_rows == 1 and ids is not None:
        found = index.add_if_new(Text(table[TEXT][0].as_py()), id=ids[0])
        outcome = _added(ids[0]) if found is None else _duplicate(ids[0], found.id, found.similarity)
        return _answer([outcome], 0)
    if not len(index) or not table.num_rows:  # there is no plan yet under which documents could be compared
        return _first_documents(index, table, ids, progress)
    return _without_duplicates(index, table, ids, progress, against=index)


def _first_documents(index: Index, table: pa.Table, ids: list[Any] | None, progress: Progress) -> dict[str, Any]:
    """Adds the first documents of an index."""
    return _without_duplicates(index, table, ids, progress, plan=index.plan)


def _without_duplicates(
    index: Index, table: pa.Table, ids: list[Any] | None, progress: Progress, **how: Any
) -> dict[str, Any]:
    rows = table.select([TEXT]).append_column(ROW, to_arrow(np.arange(table.num_rows)))
    removed = {
        int(one["id"]): one
        for one in api.dedupe(rows, id=ROW, keep="first", progress=progress, **how).removed.to_pylist()
    }
    kept = [row for row in range(table.num_rows) if row not in removed]
    made = index.add(table.take(kept), id=None if ids is None else ID, progress=progress) if kept else None
    names: dict[int, Any] = {} if made is None else dict(zip(kept, made.ids.to_pylist(), strict=True))
    outcomes = []
    for row in range(table.num_rows):
        if row in names:
            outcomes.append(_added(names[row]))
            continue
        one = removed[row]
        in_index = one.get("kept_in") == "against"
        other = _of_type(index, one["kept"]) if in_index else names[int(one["kept"])]
        outcomes.append(_duplicate(None if ids is None else ids[row], other, one["similarity"]))
    return _answer(outcomes, 0 if made is None else made.replaced)


def _of_type(index: Index, id: Any) -> int | str:
    """Converts an id in the table of removed documents, where ids of both inputs have one type."""
    return int(id) if index.store.ids == "int" else str(id)


def _added(id: int | str) -> Outcome:
    return {"id": id, "added": True, "duplicate": None}


def _duplicate(id: Any, other: int | str, similarity: float) -> Outcome:
    return {"id": id, "added": False, "duplicate": {"id": other, "similarity": similarity}}


def _answer(outcomes: list[Outcome], replaced: int) -> dict[str, Any]:
    return {"documents": outcomes, "added": sum(one["added"] for one in outcomes), "replaced": replaced}
