"""Chooses the survivors of each cluster, and lists the removed rows with their similarity to the survivor."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows, ids_of, strings, take, to_arrow, to_numpy
from lookalike.io.chained_source import ChainedSource
from lookalike.results.clusters import Clusters, star_labels
from lookalike.results.deduped import EXEMPT, IDENTICAL, NEAR_COPY, SAME_WORDS, Deduped, KeptRows
from lookalike.results.survivors import Keep, choose_survivors
from lookalike.storage.parts import RESULT, Parts

if TYPE_CHECKING:
    from lookalike.choosing.choice import Choice
    from lookalike.engines.base import Answer
    from lookalike.planning.resolve import ResolvedPlan
    from lookalike.run import Run


def clusters_with_survivors(
    run: Run, keep: str | Sequence[str] | None, protect: str | Sequence[str] | None = None, decisions: Any = None
) -> tuple[Answer, Clusters, Choice | None]:
    """Runs the engine; returns its answer, and its clusters with the survivors that the other arguments choose.

    The choice is None if earlier rows are preferred. Without `keep`, the longest document is preferred if removed ones
    must be contained in it, and otherwise the first.
    """
    if keep is None:
        keep = "first" if run.plan.contained is None else "longest"  # a longer document is hardly ever contained
    rules, choice = Keep.parse(keep).rules, None
    if rules[0].name != "first" or run.reference or protect is not None or decisions is not None:
        from lookalike.choosing.choice import Choice

        if decisions is not None and run.plan.linkage == "connected":
            raise InvalidOption("decisions-need-stars")
        reached = lambda rows: run.progress("keep", rows, run.source.total_rows())  # noqa: E731
        choice = Choice.of(run.source, run.reference, rules, protect, decisions, reached)
    answer = run.answer(None if choice is None else choice.preference)
    run.progress("keep", 0, None)
    with run.stage("keep"):
        assert answer.clusters is not None and answer.lengths is not None
        survivors = answer.clusters.labels if answer.survivors is None else answer.survivors
        if choice is not None:
            preference = choice.preference(answer.lengths)
            if answer.survivors is None:
                survivors = choose_survivors(survivors, preference.order)
                protected = preference.order[run.reference : preference.always_kept]
                survivors[protected] = protected
            assert choice.ranking is not None
            if choice.decided is not None:
                run.facts["decisions"] = choice.decided.counts
            run.facts["warnings"] = (*run.facts.get("warnings", answer.summary.warnings), *choice.ranking.warnings)
        summary = dataclasses.replace(answer.summary, **run.facts)
        return answer, dataclasses.replace(answer.clusters, survivors=survivors, summary=summary), choice


def removed_rows(
    run: Run, keep: str | Sequence[str] | None, protect: str | Sequence[str] | None = None, decisions: Any = None
) -> Deduped:
    """Returns the kept rows, and the removed rows with the ids of their survivors and the similarities to them."""
    answer, clusters, choice = clusters_with_survivors(run, keep, protect, decisions)
    with run.stage("keep"):
        if answer.plan.plan.copies == "identical":
            clusters = _confirmed(run, answer, clusters)
        survivors = clusters.survivors
        assert survivors is not None
        reference, rows = run.reference, np.arange(len(survivors), dtype=np.int64)
        stays = (survivors == rows) | (rows < reference)
        gone = np.flatnonzero(~stays)
        if choice is not None and choice.ranking is not None and choice.ranking.keys.keys() - {"reference"}:
            kept_by = choice.ranking.decided(gone, survivors[gone])
            clusters = dataclasses.replace(clusters, summary=dataclasses.replace(clusters.summary, kept_by=kept_by))
        if answer.similarity is not None:
            similarity = answer.similarity[gone]
        else:
            similarity = _similarity(run, answer, gone, survivors[gone])
        removed = {
            "id": ids_of(clusters.ids, gone),
            "kept": ids_of(clusters.ids, survivors[gone]),
            "similarity": to_arrow(similarity),
            **_account(run, answer, gone, survivors[gone]),
            "cluster": to_arrow(clusters.numbers()[gone]),
        }
        if isinstance(run.source, ChainedSource):
            old = survivors[gone] < reference
            if clusters.ids is None:  # ids are positions in the reference or in the input
                kept_rows = np.where(old, survivors[gone], survivors[gone] - reference)
                removed |= {"id": to_arrow(gone - reference), "kept": to_arrow(kept_rows)}
            removed["kept_in"] = pa.array(np.where(old, "against", "input"), pa.string())
        kept = KeptRows(run.new, stays[reference:])
        account, exempt = clusters.summary.stamp(pa.table(removed)), None
        if choice is not None and (choice.protect or choice.decided is not None):
            exempt = choice.exempt()
            if exempt is not None:
                account = account.replace_schema_metadata({**account.schema.metadata, EXEMPT: str(exempt.num_rows)})
        return Deduped(clusters, np.flatnonzero(stays[reference:]), account, kept, reference, exempt)


def _account(run: Run, answer: Answer, gone: Rows, kept: Rows) -> dict[str, Any]:
    """Returns how each removed row is related to the one kept in its place, and how many of its characters are lost.

    Both are read again. Nothing is called identical unless its bytes are.
    """
    assert answer.lengths is not None
    if (related := getattr(run.engine, "measure_rows", None)) is not None:  # vectors were compared, not texts
        return dict(related(gone, kept))
    if answer.plan.plan.copies is not None:
        identical = np.ones(len(gone), dtype=bool)
        if answer.plan.plan.copies == "same-words":
            identical = _same_bytes(run, answer, gone, kept)
        how = take(strings(IDENTICAL, SAME_WORDS), np.where(identical, 0, 1))
        return {"how": how, "lost": to_arrow(np.zeros(len(gone), dtype=np.int64))}
    identical, lost = run.engine.losses(answer.plan, run.source, gone, kept, answer.lengths, progress=run.progress)
    run.source.check_unchanged()
    if hasattr(run.new, "tokenizer"):  # tokens were compared, not texts
        identical[:] = False
    same = gone == kept if answer.copy_of is None else answer.copy_of[gone] == answer.copy_of[kept]
    nth = np.where(identical, 0, np.where(same, 1, 2))
    how = take(strings(IDENTICAL, SAME_WORDS, NEAR_COPY), nth)
    return {"how": how, "lost": pa.array(lost, mask=lost < 0) if (lost < 0).any() else to_arrow(lost)}


def _confirmed(run: Run, answer: Answer, clusters: Clusters) -> Clusters:
    """Returns the clusters without rows whose bytes differ from those of their survivor although the hashes agree."""
    survivors = clusters.survivors
    assert survivors is not None
    gone = np.flatnonzero(survivors != np.arange(len(survivors)))
    different = gone[~_same_bytes(run, answer, gone, survivors[gone])]
    if not len(different):
        return clusters
    survivors = survivors.copy()
    survivors[different] = different
    return dataclasses.replace(clusters, labels=star_labels(survivors), survivors=survivors)


def _same_bytes(run: Run, answer: Answer, gone: Rows, kept: Rows) -> Any:
    from lookalike.engines.stages.same_bytes import same_bytes

    assert answer.lengths is not None
    memory, threads = getattr(run.engine, "memory", None), getattr(run.engine, "threads", 1)
    identical = same_bytes(run.source, gone, kept, answer.lengths, memory, threads, run.progress)
    run.source.check_unchanged()
    if hasattr(run.new, "tokenizer"):  # tokens were compared, not texts
        identical[:] = False
    return identical


def _similarity(run: Run, answer: Answer, left: Rows, right: Rows) -> Any:
    """Measures the exact similarity of each pair of rows. Copies get 1, and their texts are not read."""
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
