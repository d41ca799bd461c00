"""Stores an answer as parts, so that a run that is killed before it writes its output need not compute it again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa

from lookalike.engines.base import Answer
from lookalike.flow.arrays import to_arrow, to_numpy
from lookalike.flow.preference import Prefer
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.clusters import Clusters
from lookalike.results.pairs import Pairs
from lookalike.results.summary import Summary
from lookalike.storage.parts import RESULT, Parts

ROWS, PAIRS, LABELS, SURVIVORS = (f"{RESULT}-{name}" for name in ("rows", "pairs", "labels", "survivors"))


def keep_result(result: Answer, parts: Parts, prefer: Prefer | None = None) -> None:
    """Stores an answer. Survivors are stored with the digest of the preference.

    The summary is written last, so that an answer with a summary is complete.
    """
    rows: dict[str, Any] = {"id": result.ids, "characters": result.lengths, "copy_of": result.copy_of}
    parts.put(ROWS, pa.table({name: _column(values) for name, values in rows.items() if values is not None}))
    if (pairs := result.pairs) is not None:
        columns: dict[str, Any] = {"left": pairs.left_rows, "right": pairs.right_rows, "similarity": pairs.similarity}
        parts.put(PAIRS, pa.table({name: _column(values) for name, values in columns.items() if values is not None}))
    if result.survivors is not None:
        columns = {"survivor": result.survivors, "similarity": result.similarity}
        table = pa.table({name: _column(values) for name, values in columns.items() if values is not None})
        parts.put(SURVIVORS, table.replace_schema_metadata({"preference": _digest(prefer, result)}))
    if result.clusters is not None:
        parts.put(LABELS, pa.table({"label": _column(result.clusters.labels)}))
    about = {"summary": json.dumps(result.summary.to_dict()), "plan": result.plan.to_toml()}
    parts.put(RESULT, pa.table({name: [value] for name, value in about.items()}))


def kept_result(parts: Parts, prefer: Prefer | None = None) -> Answer | None:
    """Returns the answer that `keep_result` stored; None if it is missing, incomplete, or for another preference."""
    about, rows, pairs, labels, chosen = (parts.get(name) for name in (RESULT, ROWS, PAIRS, LABELS, SURVIVORS))
    if about is None or rows is None:
        return None
    values = about.to_pylist()[0]
    plan = ResolvedPlan.from_toml(values["plan"])
    if (pairs if plan.plan.goal == "pairs" else labels) is None:
        return None
    stars = plan.plan.goal == "clusters" and plan.plan.linkage == "star"
    if stars and chosen is None:
        return None
    summary = replace(Summary.from_dict(json.loads(values["summary"])), seconds={})  # no time was spent in this run
    ids = rows["id"].combine_chunks() if "id" in rows.column_names else None
    lengths, copy_of = _array(rows, "characters"), _array(rows, "copy_of")
    result = Answer(plan, summary, ids, lengths=lengths, copy_of=copy_of)
    if pairs is not None:
        left, right, similarity = (_array(pairs, name) for name in ("left", "right", "similarity"))
        return replace(result, pairs=Pairs(left, right, similarity, plan.threshold, summary.documents, ids, summary))
    assert labels is not None
    if stars and chosen is not None:
        if chosen.schema.metadata[b"preference"].decode() != _digest(prefer, result):
            return None
        result = replace(result, survivors=_array(chosen, "survivor"), similarity=_array(chosen, "similarity"))
    return replace(result, clusters=Clusters(_array(labels, "label"), ids=ids, summary=summary))


def _digest(prefer: Prefer | None, result: Answer) -> str:
    return "" if prefer is None or result.lengths is None else prefer(result.lengths).digest


def _column(values: Any) -> Any:
    return values if isinstance(values, pa.Array) else to_arrow(values)


def _array(table: pa.Table, name: str) -> Any:
    return to_numpy(table[name].combine_chunks()) if name in table.column_names else None
