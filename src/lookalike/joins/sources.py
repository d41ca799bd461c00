"""Joins a source with itself or with another source, and returns `Matches`. Texts are joined as sets or as strings.

If two collections of sets are joined, only the smaller is kept in memory; the larger is read, cut and joined block by
block.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import tomli_w

from lookalike.errors import InvalidOption
from lookalike.flow import Auto, Chars, Documents, Shingling
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.io.source import Source
from lookalike.joins import reference
from lookalike.joins.blocks import BLOCK, BlockPairs, in_blocks, join_blocks, put_together, size_of, smaller_first
from lookalike.joins.measures import Hamming
from lookalike.joins.reference import Definitions
from lookalike.joins.request import JoinRequest
from lookalike.joins.sets import best_of_each, join_sets, nearest_sets
from lookalike.joins.source_sets import Cutting, surveyed
from lookalike.joins.strings import edit_pairs
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.matches import Matches
from lookalike.results.summary import Summary
from lookalike.text import definitions
from lookalike.text.rules import normalize

BLANK = r"\A[\pZ\t-\r\x{85}]*\z"
"""Matches a text that counts as empty: it has no characters except those with the property White_Space."""


def join_sources(
    left: Source,
    right: Source | None,
    request: JoinRequest,
    shingles: Shingling,
    *,
    threads: int = 1,
    progress: Progress | None = None,
    reference: Definitions | None = None,
) -> Matches:
    """Finds the requested pairs. A join of strings uses only the options `case` and `normalize` of `shingles`.

    If `reference` is given (the functions of the reference engine), the same result is computed by definition, more
    slowly.
    """
    sources = [left] if right is None else [left, right]
    join = _Join(sources, threads, progress or silent, reference)
    try:
        return join.sets(request, shingles) if request.of_sets else join.strings(request, shingles)
    finally:
        for source in sources:
            source.check_unchanged()  # also after an error, which a changed input explains


@dataclass(eq=False)
class _Join:
    sources: list[Source]
    threads: int
    progress: Progress
    reference: Definitions | None = None
    ids: list[pa.Array | None] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    empty: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def sets(self, request: JoinRequest, shingles: Shingling) -> Matches:
        if request.measure == "sum-bag" and not shingles.bag:
            raise InvalidOption("sum-bag-of-sets")
        with self._stage("read"):
            plan = self._resolved(shingles)
            resolved = plan.shingles
        cuttings = [
            Cutting(source, resolved, threads=self.threads, progress=self.progress, reference=self.reference)
            for source in self.sources
        ]
        if self.reference is not None:
            found = self._by_definition(cuttings, request)
        else:
            found = self._within(cuttings[0], request) if len(cuttings) == 1 else self._between(cuttings, request)
        for cutting in cuttings:
            self.ids.append(cutting.take_ids())
            self.rows.append(cutting.rows)
            self.empty += cutting.empty
        away = Hamming.distance(*found.sizes) if request.distance is not None else None
        similarity = request.measures()[0].similarity(*found.sizes)
        rules = request.to_dict() | {"shingles": resolved.to_dict()}
        if plan.shingles_reason is not None:
            rules["shingles_reason"] = plan.shingles_reason.to_dict()
        return self._matches(request, found.left, found.right, similarity, away, rules, str(resolved))

    def _within(self, cutting: Cutting, request: JoinRequest) -> BlockPairs:
        """Finds the pairs within one collection, which is kept in memory."""
        with self._stage("read"), closing(cutting.tables()) as tables:
            sets = put_together(list(tables))
        with self._stage("join"):
            measures = request.measures()
            if request.top is None:
                found = join_sets(sets, measure=measures[0], threads=self.threads)
            else:
                found = nearest_sets(sets, top=request.top, measures=measures, threads=self.threads)
        return BlockPairs(found.left, found.right, found.overlap, sets.sizes[found.left], sets.sizes[found.right])

    def _between(self, cuttings: list[Cutting], request: JoinRequest) -> BlockPairs:
        """Finds the pairs between two collections.

        The smaller is kept in memory, and the other is joined block by block.
        """
        with closing(cuttings[0].tables()) as left, closing(cuttings[1].tables()) as right:
            with self._stage("read"):
                held, rest, held_is_left = smaller_first(left, right)
            with self._stage("join"):
                for cutting in cuttings:
                    cutting.stage = "join"
                return join_blocks(
                    held,
                    in_blocks(rest, max(BLOCK, size_of(held))),
                    measures=request.measures(),
                    top=request.top,
                    held_is_left=held_is_left,
                    threads=self.threads,
                )

    def _by_definition(self, cuttings: list[Cutting], request: JoinRequest) -> BlockPairs:
        """Finds the pairs with the reference engine, which compares every pair."""
        with self._stage("read"):
            whole = [put_together(list(cutting.tables())) for cutting in cuttings]
        left, right = whole[0], None if len(whole) == 1 else whole[1]
        with self._stage("join"):
            measures = request.measures()
            if request.top is None:
                found = reference.similar_sets(left, right, measures[0])
            else:
                found = reference.nearest_sets(left, right, measures[-1], request.top)
        a, b, overlap = _columns(found)
        return BlockPairs(a, b, overlap, left.sizes[a], (left if right is None else right).sizes[b])

    def strings(self, request: JoinRequest, rules: Shingling) -> Matches:
        assert request.distance is not None
        with self._stage("read"):
            texts = [self._texts(source, rules) for source in self.sources]
        one, two = texts[0], texts[-1]
        right = None if len(texts) == 1 else two
        with self._stage("join"):
            if self.reference is None:
                a, b, away = self._edit_pairs(one, right, request)
            else:
                a, b, away = _edit_pairs_by_definition(one, right, request)
        lengths = [pc.utf8_length(column).to_numpy(zero_copy_only=False).astype(np.int64) for column in (one, two)]
        most = lengths[0][a] + lengths[1][b]
        if request.measure == "levenshtein":
            most = np.maximum(lengths[0][a], lengths[1][b])
        self.empty = sum(int(pc.sum(pc.equal(column, "")).as_py() or 0) for column in texts)
        self.rows = [*map(len, texts)]
        used = request.to_dict() | {"case": rules.case, "normalize": rules.normalize}
        return self._matches(request, a, b, 1 - away / most, away, used)

    def _edit_pairs(self, one: pa.Array, right: pa.Array | None, request: JoinRequest) -> tuple[Rows, Rows, Rows]:
        assert request.distance is not None
        found = edit_pairs(one, right, distance=request.distance, measure=request.measure, threads=self.threads)
        a, b, away = found.left, found.right, found.distance
        if request.top is None:
            return a, b, away
        if right is None:  # every row is also a left row
            a, b, away = np.concatenate([a, b]), np.concatenate([b, a]), np.concatenate([away, away])
        best = best_of_each(a, b, away, request.top)
        return a[best], b[best], away[best]

    # Reading

    def _resolved(self, shingles: Shingling) -> ResolvedPlan:
        """Returns a plan with the shingling of both sides. `auto` is resolved from the first side that has any text."""
        sides = dict(zip(("left", "right"), self.sources, strict=False))
        return Plan(shingles=shingles).resolve(surveyed(sides, is_open=isinstance(shingles, Auto)))

    def _texts(self, source: Source, rules: Shingling) -> pa.Array:
        chunks = [pa.array([], pa.large_string())]
        for documents in self._read(source):
            if documents.has_tokens:
                raise InvalidOption("edit-distance-of-tokens", column=source.column, source=source.name)
            texts = self._normalized(documents.texts, rules)
            chunks.append(pc.if_else(pc.match_substring_regex(texts, BLANK), pa.scalar("", texts.type), texts))
        return pa.concat_arrays(chunks)

    def _normalized(self, texts: pa.Array, rules: Shingling) -> pa.Array:
        if rules.case == "keep" and rules.normalize == "none":
            return texts
        cut = Chars(1, case=rules.case, normalize=rules.normalize)
        by = normalize if self.reference is None else definitions.normalize
        return pa.array([by(text, cut) for text in texts.to_pylist()], pa.large_string())

    def _read(self, source: Source) -> Iterator[Documents]:
        """Yields the documents of a source, and finally adds its ids to `self.ids`."""
        ids = []
        columns = [source.column] + ([source.id] if source.id else [])
        for batch in source.read(columns):
            if source.id:
                ids.append(batch.data.column(source.id))
            yield Documents(batch.data.column(source.column), batch.start)
            self.progress("read", batch.start + len(batch), source.total_rows())
        self.ids.append((pa.concat_arrays(ids) if ids else pa.array([], pa.large_string())) if source.id else None)

    # Result

    def _matches(
        self,
        request: JoinRequest,
        left: Any,
        right: Any,
        similarity: Any,
        away: Any,
        rules: dict[str, Any],
        shingles: str = "",
    ) -> Matches:
        summary = Summary(
            documents=sum(self.rows),
            empty=self.empty,
            malformed=sum(source.malformed for source in self.sources),
            pairs=len(left),
            seconds=self.seconds,
            shingles=shingles,
            warnings=tuple(w for source in self.sources for w in source.warnings) + self._repeated(),
        )
        return Matches(
            left_rows=left,
            right_rows=right,
            similarity=np.asarray(similarity, np.float64),
            distance=away,
            asked=str(request),
            left_total=self.rows[0],
            right_total=self.rows[-1],
            left_ids=self.ids[0],
            right_ids=self.ids[-1],
            within=len(self.sources) == 1,
            rules=tomli_w.dumps(rules),
            summary=summary,
        )

    def _repeated(self) -> tuple[Notice, ...]:
        found = []
        for source, ids in zip(self.sources, self.ids, strict=True):
            if ids is not None and (repeated := len(ids) - pc.count_distinct(ids).as_py()):
                found.append(Notice("duplicate-ids", source=source.name, repeated=repeated, rows=len(ids)))
        return tuple(found)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        self.progress(name, 0, None)
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def _edit_pairs_by_definition(one: pa.Array, right: pa.Array | None, request: JoinRequest) -> tuple[Rows, Rows, Rows]:
    assert request.distance is not None
    left, others = one.to_pylist(), None if right is None else right.to_pylist()
    if request.top is None:
        return _columns(reference.near_strings(left, others, request.distance, request.measure))
    return _columns(reference.nearest_strings(left, others, request.distance, request.measure, request.top))


def _columns(found: reference.Found) -> tuple[Rows, Rows, Rows]:
    """Converts pairs to three arrays: left rows, right rows, and overlaps or distances."""
    left, right, number = np.array(found, np.int64).reshape(-1, 3).T
    return left, right, number
