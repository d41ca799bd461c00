"""Chooses the survivors of each cluster, and lists the removed rows with their similarity to the survivor."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.flow.arrays import Rows, ids_of, to_arrow, to_numpy
from lookalike.io.chained_source import ChainedSource
from lookalike.notices import Notice
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped, KeptRows
from lookalike.results.survivors import Keep, Rule, choose_survivors, places
from lookalike.storage.parts import RESULT, Parts

if TYPE_CHECKING:
    from lookalike.engines.base import Answer
    from lookalike.planning.resolve import ResolvedPlan
    from lookalike.results.ranking import Ranking
    from lookalike.run import Run


def clusters_with_survivors(run: Run, keep: str | Sequence[str]) -> tuple[Answer, Clusters, Ranking | None]:
    """Runs the engine; returns its answer, and its clusters with the survivors that the rules `keep` choose.

    The ranking is None if earlier rows are preferred.
    """
    rules = Keep.parse(keep).rules
    by_input = rules[0].name == "first" and not run.reference
    if not by_input:
        from lookalike.results.rule_keys import check_rules

        check_rules(rules, run.source)
    answer = run.answer()
    run.progress("keep", 0, None)
    with run.stage("keep"):
        assert answer.clusters is not None and answer.lengths is not None
        ranking = None if by_input else _ranking(run, rules, answer.lengths)
        order = None if ranking is None else ranking.order()
        if answer.edges is not None and order is not None:
            left, right = answer.edges
            among = np.maximum(left, right) < run.reference  # rows of the reference are never removed
            answer = dataclasses.replace(answer, edges=(left[~among], right[~among])).with_preference(places(order))
        assert answer.clusters is not None
        survivors = choose_survivors(answer.clusters.labels, order)
        summary = dataclasses.replace(answer.summary, **run.facts)
        if ranking is not None:
            summary = dataclasses.replace(summary, warnings=summary.warnings + ranking.warnings)
        return answer, dataclasses.replace(answer.clusters, survivors=survivors, summary=summary), ranking


def _ranking(run: Run, rules: Sequence[Rule], lengths: Rows) -> Ranking:
    """Ranks all rows. Rows of the reference come first."""
    from lookalike.results.ranking import Ranking
    from lookalike.results.rule_keys import keys_of

    total, rules = run.source.total_rows(), [rule for rule in rules if rule.name != "first"]
    keys = keys_of(rules, run.source, lengths, reached=lambda rows: run.progress("keep", rows, total))
    ranked = dict(zip(map(str, rules), keys, strict=True))
    rows = np.arange(len(lengths), dtype=np.int64)
    ranked = ({"reference": rows >= run.reference} if run.reference else {}) | ranked
    unmatched = [str(rule) for rule, key in zip(rules, keys, strict=True) if rule.name == "where" and key.all()]
    warnings = (Notice("rule-without-rows", option="keep", rule=rule, name=run.new.name) for rule in unmatched)
    return Ranking(ranked, len(rows), tuple(warnings))


def removed_rows(run: Run, keep: str | Sequence[str]) -> Deduped:
    """Returns the kept rows, and the removed rows with the ids of their survivors and the similarities to them."""
    answer, clusters, ranking = clusters_with_survivors(run, keep)
    with run.stage("keep"):
        survivors = clusters.survivors
        assert survivors is not None
        reference, rows = run.reference, np.arange(len(survivors), dtype=np.int64)
        stays = (survivors == rows) | (rows < reference)
        gone = np.flatnonzero(~stays)
        if ranking is not None and ranking.keys.keys() - {"reference"}:
            kept_by = ranking.decided(gone, survivors[gone])
            clusters = dataclasses.replace(clusters, summary=dataclasses.replace(clusters.summary, kept_by=kept_by))
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
