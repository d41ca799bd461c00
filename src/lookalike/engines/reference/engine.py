"""The reference engine, which carries out plans using only the definitions. Try it before you report a bug.

It is slow on purpose: every other engine must give the same answers, bit for bit (`lookalike.testing.check_engine`).
The definitions are in `definitions`; `textbook` has the algorithms of MMDS.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations, product
from time import perf_counter

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.distances import jaccard
from lookalike.engines.base import Answer
from lookalike.engines.reference import definitions
from lookalike.engines.reference.losses import lost
from lookalike.flow import Candidates, Documents, Shingles, Signatures
from lookalike.flow.preference import Prefer, Preference
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.planning.plan import Linkage, Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.planning.survey import survey
from lookalike.results.clusters import Clusters, star_labels
from lookalike.results.pairs import Pairs
from lookalike.results.summary import Summary
from lookalike.storage.parts import Parts
from lookalike.text.definitions import WORD

Found = dict[tuple[int, int], float | None]
"""Maps (left, right) to the similarity of the pair, or to None if it was not computed."""


class Reference:
    """Carries out plans in plain Python, one document at a time."""

    name = "reference"

    def __init__(self, warnings: tuple[Notice, ...] = ()) -> None:
        self.warnings = warnings
        """Warnings that are added to every result of this engine."""

    # The arrows

    def shingle(self, documents: Documents, plan: ResolvedPlan) -> Shingles:
        return definitions.shingle(documents, plan.shingles)

    def sign(self, shingles: Shingles, plan: ResolvedPlan) -> Signatures:
        p = plan.plan
        values = definitions.sign(shingles, sketch=p.sketch, hashes=p.hashes, seed=p.seed)
        return Signatures(values, plan.signed_by, shingles.start)

    def propose(self, signatures: Signatures, plan: ResolvedPlan) -> Candidates:
        keys = definitions.band_keys(signatures.values, plan.bands, plan.rows)
        empty = [all(slot == WORD for slot in slots) for slots in signatures.values.tolist()]
        found = definitions.candidates(keys, empty)
        return Candidates(found.left + signatures.start, found.right + signatures.start)

    def verify(self, candidates: Candidates, shingles: Shingles, signatures: Signatures, plan: ResolvedPlan) -> Pairs:
        found: Found = {}
        sets = [set(values.tolist()) for values in shingles]
        slots = signatures.values.tolist()
        for left, right in zip(candidates.left.tolist(), candidates.right.tolist(), strict=True):
            i, j = left - shingles.start, right - shingles.start
            if plan.plan.verify == "none":
                found[left, right] = None
                continue
            if plan.plan.verify == "exact":
                agree, total = len(sets[i] & sets[j]), len(sets[i] | sets[j])
            else:
                agree, total = sum(a == b for a, b in zip(slots[i], slots[j], strict=True)), signatures.hashes
            if plan.threshold.reached(agree, total):
                found[left, right] = agree / total
        return _pairs(found, plan, shingles.start + len(shingles))

    def connect(self, pairs: Pairs, linkage: Linkage = "connected") -> Clusters:
        edges = zip(pairs.left_rows.tolist(), pairs.right_rows.tolist(), strict=True)
        rows = pairs.rows
        if linkage == "star":
            labels = star_labels(np.array(definitions.survivors(range(rows), edges), dtype=np.int64))
        else:
            labels = np.array(definitions.connect(rows, edges), dtype=np.int64)
        return Clusters(labels, ids=pairs.ids, summary=pairs.summary)

    # The whole search

    def run(
        self,
        plan: Plan,
        source: Source,
        parts: Parts,
        progress: Progress | None = None,
        prefer: Prefer | None = None,
    ) -> Answer:
        """Runs the arrows in turn, with equal texts collapsed. Stores no parts, so a run cannot be resumed."""
        return _Execution(self, source, progress, prefer).result(plan)

    def measure(
        self,
        plan: ResolvedPlan,
        source: Source,
        left: npt.NDArray[np.int64],
        right: npt.NDArray[np.int64],
        *,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.float64]:
        rows = {*left.tolist(), *right.tolist()}
        texts = enumerate(_read(source).to_pylist())
        windows = {row: definitions.windows(text, plan.shingles) for row, text in texts if row in rows}
        sets = {row: set(definitions.set_of(found, plan.shingles)) for row, found in windows.items()}
        similarities = [jaccard(sets[i], sets[j]) for i, j in zip(left.tolist(), right.tolist(), strict=True)]
        return np.array(similarities, dtype=np.float64)

    def losses(
        self,
        plan: ResolvedPlan,
        source: Source,
        removed: npt.NDArray[np.int64],
        kept: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        *,
        progress: Progress | None = None,
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        texts = _read(source).to_pylist()
        pairs = [(texts[i], texts[j]) for i, j in zip(removed.tolist(), kept.tolist(), strict=True)]
        missing = [lost(one, two, plan.shingles) for one, two in pairs]
        return np.array([one == two for one, two in pairs], bool), np.array(missing, np.int64)


@dataclass
class _Execution:
    """One run, and the seconds spent in each stage."""

    engine: Reference
    source: Source
    progress: Progress | None
    prefer: Prefer | None
    seconds: dict[str, float] = field(default_factory=dict)

    def result(self, plan: Plan) -> Answer:
        with self.stage("read"):
            documents, ids = _read(self.source), self.ids()
            resolved = plan.resolve(survey(plan, self.source, [documents], self.engine))
        texts = documents.to_pylist()
        with self.stage("shingle"):
            windows = [definitions.windows(text, resolved.shingles) for text in texts]
            empty = [not found.values for found in windows]
            hashes = [definitions.hash_words(text, resolved.shingles) for text in texts]
            if plan.copies == "identical":
                hashes = [definitions.hash_raw(text) for text in texts]
            first = definitions.copies(hashes, empty)
            distinct = [row for row in range(len(texts)) if first[row] == row]
            shingles = definitions.as_shingles(definitions.set_of(windows[row], resolved.shingles) for row in distinct)
        with self.stage("sign"):
            signatures = self.engine.sign(shingles, resolved)
        with self.stage("propose"):
            candidates = self.engine.propose(signatures, resolved)
            if plan.copies is not None:  # nothing else is similar
                candidates = Candidates.from_pairs(set())
        with self.stage("verify"):
            verified = self.engine.verify(candidates, shingles, signatures, resolved)
            found = _unfold(verified, distinct, first, resolved)
            pairs = _pairs(found, resolved, len(texts))
        wants_pairs = plan.goal == "pairs"
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        survivors: npt.NDArray[np.int64] | None = None
        with self.stage("connect"):
            if plan.goal == "clusters" and plan.linkage == "star":
                sets = dict(zip(distinct, (set(values.tolist()) for values in shingles), strict=True))
                survivors = self.survivors(found, lengths, first, [sets[row] for row in first], plan.contained)
                clusters = Clusters(star_labels(survivors), ids=ids)
            else:
                clusters = self.engine.connect(pairs)
        sizes = clusters.sizes()
        summary = Summary(
            documents=len(texts),
            empty=sum(empty),
            malformed=self.source.malformed,
            short=0 if plan.copies == "identical" else sum(found.short for found in windows),
            fallback=sum(found.fallback for found in windows),
            same_words=len(texts) - len(distinct),
            candidates=len(candidates),
            checked=0 if plan.verify == "none" else len(candidates),
            pairs=len(pairs) if wants_pairs else None,
            clusters=None if wants_pairs else len(clusters),
            clustered=None if wants_pairs else sum(size * n for size, n in sizes.items() if size >= 2),
            bytes=sum(_bytes(text) for text in texts),
            seconds=self.seconds,
            warnings=self.engine.warnings + self.source.warnings + _repeated(ids),
            shingles=str(resolved.shingles),
            plan=resolved.to_toml(),
            verified=plan.verify,
            engine=self.engine.name,
        )
        return Answer(
            resolved,
            summary,
            ids,
            pairs=_with(pairs, ids, summary) if wants_pairs else None,
            clusters=None if wants_pairs else Clusters(clusters.labels, ids=ids, summary=summary),
            lengths=lengths,
            copy_of=np.array(first, dtype=np.int64),
            survivors=survivors,
            similarity=None if survivors is None or plan.verify != "exact" else _similarity(found, survivors),
        )

    def survivors(
        self,
        found: Found,
        lengths: npt.NDArray[np.int64],
        first: Sequence[int],
        sets: Sequence[set[int]],
        contained: Threshold | float | str | None,
    ) -> npt.NDArray[np.int64]:
        """Returns the row that is kept in the place of each row."""
        share = None if contained is None else Threshold(contained)
        preference = Preference.of_input(len(lengths)) if self.prefer is None else self.prefer(lengths)
        alone = set() if preference.alone is None else set(preference.alone.tolist())
        left, right = preference.different or (lengths[:0], lengths[:0])
        different = {(min(pair), max(pair)) for pair in zip(left.tolist(), right.tolist(), strict=True)}
        decided = alone.union(left.tolist(), right.tolist())
        edges = [pair for pair in found if pair not in different and not alone.intersection(pair)]
        copy_of = [-row - 1 if row in decided else first[row] for row in range(len(first))]

        def may_replace(one: int, row: int) -> bool:
            return share is None or share.reached(len(sets[one] & sets[row]), len(sets[row]))

        order = preference.order.tolist()
        kept = definitions.survivors(order, edges, preference.always_kept, copy_of, may_replace)
        return np.array(kept, dtype=np.int64)

    def ids(self) -> pa.Array | None:
        if self.source.id is None:
            return None
        chunks = [batch.data.column(self.source.id) for batch in self.source.read([self.source.id])]
        return pa.concat_arrays(chunks) if chunks else pa.array([], pa.string())

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        if self.progress is not None:
            self.progress(name, 0, None)
        began = perf_counter()
        yield
        self.seconds[name] = perf_counter() - began


def _read(source: Source) -> Documents:
    """Reads all documents of a source into one table."""
    chunks = [documents.texts for documents in source.documents()]
    return Documents(pa.concat_arrays(chunks)) if chunks else Documents.from_texts([])


def _unfold(verified: Pairs, distinct: Sequence[int], first: Sequence[int], plan: ResolvedPlan) -> Found:
    """Converts pairs of distinct documents (positions in `distinct`) to pairs of rows. Adds pairs of equal texts."""
    copies: dict[int, list[int]] = defaultdict(list)
    for row, original in enumerate(first):
        copies[original].append(row)
    found: Found = {}
    for group in copies.values():
        for pair in combinations(group, 2):
            found[pair] = None if plan.plan.verify == "none" else 1.0
    similarities = [None] * len(verified) if verified.similarity is None else verified.similarity.tolist()
    for i, j, similarity in zip(verified.left_rows.tolist(), verified.right_rows.tolist(), similarities, strict=True):
        for a, b in product(copies[distinct[i]], copies[distinct[j]]):
            found[min(a, b), max(a, b)] = similarity
    return found


def _pairs(found: Found, plan: ResolvedPlan, rows: int) -> Pairs:
    """Converts the pairs to a table, sorted by (left, right)."""
    candidates = Candidates.from_pairs(set(found))
    similarity = None
    if plan.plan.verify != "none":
        similarity = np.array([value for _, value in sorted(found.items())], dtype=np.float64)
    return Pairs(candidates.left, candidates.right, similarity, plan.threshold, rows)


def _with(pairs: Pairs, ids: pa.Array | None, summary: Summary) -> Pairs:
    return Pairs(pairs.left_rows, pairs.right_rows, pairs.similarity, pairs.threshold, pairs.rows, ids, summary)


def _similarity(found: Found, survivors: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Returns the similarity of each row to its survivor."""
    pairs = ((min(pair), max(pair)) for pair in enumerate(survivors.tolist()))
    return np.array([1.0 if i == j else found[i, j] for i, j in pairs], dtype=np.float64)


def _bytes(text: str | Sequence[str | None]) -> int:
    if isinstance(text, str):
        return len(text.encode())
    return sum(len(token.encode()) for token in text if token is not None)


def _repeated(ids: pa.Array | None) -> tuple[Notice, ...]:
    if ids is None:
        return ()
    repeated = len(ids) - len(set(ids.to_pylist()))
    return (Notice("duplicate-ids", source=None, repeated=repeated, rows=len(ids)),) if repeated else ()
