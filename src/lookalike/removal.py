"""Chooses the survivors of each cluster, and lists the removed rows with their similarity to the survivor."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import NoSuchColumn
from lookalike.flow.arrays import Rows, ids_of, to_arrow, to_numpy
from lookalike.io.chained_source import ChainedSource
from lookalike.io.nested import has_column, read_column
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped, KeptRows
from lookalike.results.survivors import Keep, choose_survivors, preference
from lookalike.storage.parts import RESULT, Parts

if TYPE_CHECKING:
    from lookalike.engines.base import Answer
    from lookalike.planning.resolve import ResolvedPlan
    from lookalike.run import Run


def clusters_with_survivors(run: Run, keep: str) -> tuple[Answer, Clusters]:
    """Runs the engine; returns its answer, and its clusters with the survivors that the rule `keep` chooses."""
    rule = dataclasses.replace(Keep.parse(keep), reference=run.reference)
    if rule.column is not None and not has_column(run.source, rule.column):
        names = tuple(run.source.columns)
        raise NoSuchColumn("no-column-to-keep-by", where=run.source.name, column=rule.column, columns=names)
    answer = run.answer()
    run.progress("keep", 0, None)
    with run.stage("keep"):
        known: dict[str, Any] = {"lengths": answer.lengths, "values": None}
        if rule.column is not None:
            known["values"] = _values(run, rule.column)
        assert answer.clusters is not None
        if answer.edges is not None:
            left, right = answer.edges
            among = np.maximum(left, right) < rule.reference  # rows of the reference are never removed
            order = preference(rule, len(answer.clusters.labels), **known)
            answer = dataclasses.replace(answer, edges=(left[~among], right[~among])).with_preference(order)
        assert answer.clusters is not None
        survivors = choose_survivors(answer.clusters.labels, rule, **known)
        summary = dataclasses.replace(answer.summary, **run.facts)
        return answer, dataclasses.replace(answer.clusters, survivors=survivors, summary=summary)


def _values(run: Run, column: str) -> pa.ChunkedArray:
    """Reads the values of the column by which survivors are chosen."""
    chunks = []
    for batch in read_column(run.source, column):
        chunks.append(batch.data.column(0))
        run.progress("keep", batch.start + len(batch), run.source.total_rows())
    run.source.check_unchanged()
    return pa.chunked_array(chunks or [pa.nulls(0)])


def removed_rows(run: Run, keep: str) -> Deduped:
    """Returns the kept rows, and the removed rows with the ids of their survivors and the similarities to them."""
    answer, clusters = clusters_with_survivors(run, keep)
    with run.stage("keep"):
        survivors = clusters.survivors
        assert survivors is not None
        reference, rows = run.reference, np.arange(len(survivors), dtype=np.int64)
        stays = (survivors == rows) | (rows < reference)
        gone = np.flatnonzero(~stays)
        removed = {
            "id": ids_of(clusters.ids, gone),
            "kept": ids_of(clusters.ids, survivors[gone]),
            "similarity": to_arrow(_similarity(run, answer, gone, survivors[gone])),
            "cluster": to_arrow(clusters.numbers()[gone]),
        }
        if isinstance(run.source, ChainedSource):
            old = survivors[gone] < reference
            if clusters.ids is None:  # ids are positions in the reference or in the input
                kept_rows = np.where(old, survivors[gone], survivors[gone] - reference)
                removed |= {"id": to_arrow(gone - reference), "kept": to_arrow(kept_rows)}
            removed["kept_in"] = pa.array(np.where(old, "against", "input"), pa.string())
        kept = KeptRows(run.new, stays[reference:])
        account = clusters.summary.stamp(pa.table(removed))
        return Deduped(clusters, np.flatnonzero(stays[reference:]), account, kept, reference)


def _similarity(run: Run, answer: Answer, left: Rows, right: Rows) -> Any:
    """Measures the exact similarity of each pair of rows. Exact copies get 1, and their texts are not read."""
    first = answer.copy_of if answer.copy_of is not None else np.arange(answer.summary.documents)
    different = np.flatnonzero(first[left] != first[right])
    similarity = np.ones(len(left))
    pairs = first[left[different]], first[right[different]]
    if run.work is None:
        similarity[different] = run.engine.measure(answer.plan, run.source, *pairs, progress=run.progress)
        run.source.check_unchanged()
    else:
        similarity[different] = _measured_once(run, run.work.parts, answer.plan, *pairs)
    return similarity


def _measured_once(run: Run, parts: Parts, plan: ResolvedPlan, left: Rows, right: Rows) -> Any:
    """Measures the similarity of each pair of rows, or loads the values that an interrupted run saved."""
    name = f"{RESULT}-measured-{hashlib.blake2b(left.tobytes() + right.tobytes(), digest_size=8).hexdigest()}"
    if (known := parts.get(name)) is not None:
        return to_numpy(known["similarity"])
    similarity = run.engine.measure(plan, run.source, left, right, progress=run.progress)
    run.source.check_unchanged()
    parts.put(name, pa.table({"similarity": to_arrow(similarity)}))
    return similarity
