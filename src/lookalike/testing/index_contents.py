"""What an index should contain, in plain Python, and the comparison of an index with it.

Whatever happened to the index, it must answer like a run over its documents under its plan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.api import find_pairs
from lookalike.corpus.segment_writer import records_of
from lookalike.engines.reference import definitions
from lookalike.engines.stages.first_pass import sketch
from lookalike.flow import Documents
from lookalike.flow.sketches import EMPTY
from lookalike.flow.threshold import Threshold
from lookalike.index.comparing import keeps_texts
from lookalike.index.ids import as_ids
from lookalike.index.index import Index
from lookalike.index.packing import texts_at
from lookalike.index.passages import run_of
from lookalike.index.short_signatures import short_signatures
from lookalike.kernel import default
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.testing.comparing import same, same_array

Id = int | str


class Contents:
    """The documents that an index should contain, by id, in the order in which they were added."""

    def __init__(self) -> None:
        self.texts: dict[Id, Any] = {}
        """Texts, or lists of tokens."""
        self.rows: dict[Id, int] = {}
        """The row of each document, as seen when the index was compared before."""
        self.former_rows: set[int] = set()
        """The rows of documents that were deleted or replaced."""

    def __len__(self) -> int:
        return len(self.texts)

    def put(self, documents: Mapping[Any, Any]) -> int:
        """Adds documents, and returns how many of them replace others."""
        replaced = self.remove(documents)
        self.texts |= documents
        return replaced

    def remove(self, ids: Iterable[Id]) -> int:
        """Deletes documents, and returns how many there were."""
        there = set(ids) & self.texts.keys()
        for id in there:
            del self.texts[id]
            if (row := self.rows.pop(id, None)) is not None:
                self.former_rows.add(row)
        return len(there)

    def compare(self, index: Index, others: Iterable[Any] = ()) -> None:
        """Raises AssertionError at the first difference. `others` are further texts to ask about."""
        same("len", len(self), len(index))
        same("info: documents", len(self), index.info()["documents"])
        with index.store.reading():
            self._compare_rows(index)
            if index.store.resolved is not None:
                self._compare_lookups(index)
        self._compare_answers(index, [*self.texts.values(), *others])

    def _compare_rows(self, index: Index) -> None:
        store, ids = index.store, list(self.texts)
        rows = store.all_rows()
        same("all_rows: ascending", True, bool((np.diff(rows) > 0).all()))
        same("ids_of(all_rows)", ids, store.ids_of(rows).to_pylist())
        texts = list(self.texts.values()) if store.plan.verify == "exact" else [""] * len(ids)
        same("texts_of(all_rows)", texts, texts_at(store, rows).to_pylist())
        same("texts_of, in another order", texts[::-2], texts_at(store, rows[::-2]).to_pylist())
        same("next_row: above all rows", True, not len(rows) or store.next_row > int(rows[-1]))
        known = {id: row for id, row in zip(ids, rows.tolist(), strict=True) if id in self.rows}
        same("rows keep their numbers", self.rows, known)
        used_again = self.former_rows & set(rows.tolist())
        same("numbers of former rows are not used again", set(), used_again)
        edges = store.edges()
        named = np.unique(np.concatenate([rows, edges.ravel(), store.dirty()]))
        same_array("is_alive", np.isin(named, rows), store.is_alive(named))
        self.rows = dict(zip(ids, rows.tolist(), strict=True))
        if ids:
            unknown: list[Any] = ["no such id"] if isinstance(ids[0], str) else [2**62]
            asked = as_ids([*ids[::-1], *unknown])
            same_array("rows_of", np.append(rows[::-1], -1), store.rows_of(asked))
        same_array("edges from the second on", edges[1:], store.edges(1))

    def _compare_lookups(self, index: Index) -> None:
        """Compares records and band keys with those of the texts."""
        store, plan = index.store, index.store.resolved
        assert plan is not None
        rows = store.all_rows()
        documents = Documents.from_texts(list(self.texts.values()))
        sketches = sketch(default(1), documents, plan)
        signatures = None if keeps_texts(plan) else short_signatures(default(1), documents, plan)
        records = records_of(sketches, as_ids(list(self.texts)) if len(self) else pa.array([], pa.int64()), signatures)
        for name in records.dtype.names or ():
            same_array(f"records: {name}", records[name], store.records(rows)[name])
        empty = (sketches.flags & EMPTY) > 0
        if signatures is not None:
            same_array("keys_of", sketches.keys[~empty], store.keys_of(rows[~empty]))
        buckets: dict[tuple[int, int], list[int]] = defaultdict(list)
        for row, keys, is_empty in zip(rows.tolist(), sketches.keys.tolist(), empty, strict=True):
            for band, key in enumerate(keys):
                if not is_empty:
                    buckets[band, key].append(row)
        wanted: list[tuple[int, int]] = []
        for query, keys in enumerate(sketches.keys.tolist()):
            if not empty[query]:
                found = {row for band, key in enumerate(keys) for row in buckets[band, key]}
                wanted += [(query, row) for row in sorted(found)]
        got = [
            (query, row)
            for piece in store.candidates(sketches.keys, empty)
            for query, row in zip(piece.queries.tolist(), piece.rows.tolist(), strict=True)
        ]
        same("candidates, by query and row", wanted, got)
        few = store.few_candidates(sketches.keys, empty, 2)
        some = list(zip(few.queries.tolist(), few.rows.tolist(), strict=True))
        cut = set(zip(few.cut_queries.tolist(), few.cut_bands.tolist(), strict=True))
        same("few_candidates: each pair once, by query and row", sorted(set(some)), some)
        same("few_candidates: no others", set(), set(some) - set(wanted))
        for query, keys in enumerate(sketches.keys.tolist()):
            for band, key in enumerate(keys):
                if not empty[query] and (query, band) not in cut:
                    missing = {(query, row) for row in buckets[band, key]} - set(some)
                    same(f"few_candidates: all of query {query} and band {band}, which is not cut", set(), missing)
        for (band, key), members in list(buckets.items())[:: max(1, len(buckets) // 40)]:
            same(f"bucket({band}, {key})", members, store.bucket(band, key).tolist())

    def _compare_answers(self, index: Index, texts: list[Any]) -> None:
        """Compares queries and clusters with runs over the documents."""
        ids, plan = list(self.texts), index.plan
        if not ids:
            same("clusters of no documents", 0, len(index.clusters().labels))
            same("answers among no documents", 0, len(index.query("some text")))
            return
        assert not isinstance(plan, Plan)
        pairs = _pairs(texts, plan)
        empty = sketch(default(1), Documents.from_texts(texts), plan).flags & EMPTY
        wanted = [(i, i, 1.0) for i in range(len(ids)) if not empty[i]]
        for i, j, similarity in pairs:
            wanted += [(i, j, similarity)] * (j < len(ids)) + [(j, i, similarity)] * (i < len(ids))
        wanted = sorted(wanted, key=lambda answer: (answer[0], -answer[2], answer[1]))
        found = index.query(texts)
        got = zip(found.left_rows.tolist(), found.right.to_pylist(), found.similarity.tolist(), strict=True)
        same("query", [(i, ids[j], similarity) for i, j, similarity in wanted], list(got))
        if index.store.contain:
            _compare_containment(index, ids, texts, plan)
        labels = definitions.connect(len(ids), [(i, j) for i, j, _ in pairs if j < len(ids)])
        same("clusters", labels, index.clusters().labels.tolist())
        for place in range(0, len(ids), 1 + len(ids) // 8):
            mine = [ids[i] for i, label in enumerate(labels) if label == labels[place]]
            same(f"cluster_of({ids[place]!r})", mine, index.cluster_of(ids[place]))


def _compare_containment(index: Index, ids: list[Id], texts: list[Any], plan: ResolvedPlan) -> None:
    """Compares queries by containment with the definition: all rows that have a chosen shingle of the query."""
    run = run_of(plan.shingles)
    windows = [definitions.windows(text, plan.shingles) for text in texts]
    sets = [set(definitions.set_of(one, plan.shingles)) for one in windows]
    chosen = [set(definitions.winnow(one, run)) for one in windows[: len(ids)]]
    asked = [set(definitions.winnow(one, 1)) for one in windows]
    threshold = Threshold("0.3")  # below that of the index
    wanted = []
    for query, mine in enumerate(sets):
        for place in range(len(ids)):
            shared = len(mine & sets[place])
            if asked[query] & chosen[place] and threshold.reached(shared, len(mine)):
                wanted.append((query, place, shared / len(mine)))
    wanted = sorted(wanted, key=lambda answer: (answer[0], -answer[2], answer[1]))
    found = index.query(texts, measure="containment", threshold=str(threshold))
    got = zip(found.left_rows.tolist(), found.right.to_pylist(), found.similarity.tolist(), strict=True)
    same("query by containment", [(query, ids[place], share) for query, place, share in wanted], list(got))
    some = [(query, ids[place], share) for query, place, share in wanted if query == 0]
    alone = index.query(texts[:1], measure="containment", threshold=str(threshold))
    same("one query by containment", some, list(alone))


def _pairs(texts: list[Any], plan: ResolvedPlan) -> list[tuple[int, int, float]]:
    """Returns the pairs of texts that an index with this plan finds, in order."""
    if keeps_texts(plan):
        found = find_pairs(texts, plan=plan)
        assert found.similarity is not None
        return list(zip(found.left_rows.tolist(), found.right_rows.tolist(), found.similarity.tolist(), strict=True))
    candidates = find_pairs(texts, plan=replace(plan, plan=replace(plan.plan, verify="none")))
    documents, slots = Documents.from_texts(texts), plan.plan.hashes
    signed = short_signatures(default(1), documents, plan).tolist()
    words = sketch(default(1), documents, plan).words.tolist()
    pairs = []
    for i, j in zip(candidates.left_rows.tolist(), candidates.right_rows.tolist(), strict=True):
        equal = sum(a == b for a, b in zip(signed[i], signed[j], strict=True))
        estimate = Fraction(1)
        if words[i] != words[j]:
            estimate = (Fraction(equal, slots) - Fraction(1, 256)) / Fraction(255, 256)
        if plan.threshold.reached(estimate.numerator, estimate.denominator):
            pairs.append((i, j, float(estimate)))
    return pairs
