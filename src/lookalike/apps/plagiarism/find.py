"""Submissions, and sources they may stem from → the pairs that share most, ranked, with the copied passages.

For each submission the few others are looked at with which it shares most shingles, however little that is of the
whole: a page copied into a book is found by an overlap join, which asks for a number of common elements and not for a
share. What template files hold, and what more submissions have than can have copied it, tells nothing of who copied.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.apps.plagiarism.ranking import (
    Pair,
    Ranked,
    Side,
    look_closely,
    pair_table,
    passage_table,
    restored_ranking,
    stored_ranking,
)
from lookalike.apps.plagiarism.reading import Cutter, Reading, only, without
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress
from lookalike.io.source import Source, check_unchanged, identity_of
from lookalike.joins.blocks import BLOCK, in_blocks, join_blocks, put_together, size_of
from lookalike.joins.measures import Measure, Shared
from lookalike.joins.sets import SetPairs, nearest_sets
from lookalike.results import Result, Summary
from lookalike.results.result import stored_ids

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables

SHARED: list[Measure] = [Shared(1)]

CHANCE = 4
"""Fewer common shingles than this are chance, unless they are a whole document, or as many as a passage has."""

RING = 10
"""What no more submissions than these have is never too common: so many may have copied from one another."""

FEW = 1000
"""Files of an author that are passed over one by one where others' are looked for."""


@dataclass(frozen=True)
class Question:
    """What counts."""

    threshold: Fraction
    """The least similarity that is listed; a pair with a passage always is."""
    passage: int
    """Words, or tokens of a program, that a copied passage has at least."""
    common: Fraction
    """What a greater share of the submissions has (and more than RING of them) is no sign of copying."""
    top: int
    """Other submissions, and as many sources, that are looked at for each submission."""
    by_folder: bool = False
    """Whether the first folder in its path says whose a submission is; those of one author are not compared."""

    def least_shared(self, k: int, left: Rows, right: Rows) -> Rows:
        """How many shingles of k two documents of so many have to have in common."""
        return np.minimum(np.minimum(left, right), min(CHANCE, max(1, self.passage - k + 1)))


COUNTS = ("submissions", "sources", "template", "common")


@dataclass(frozen=True, eq=False, kw_only=True)
class Plagiarism(Result):
    """The ranked pairs and their passages: as values (`ranked`), and as tables (`pairs`, `passages`)."""

    ranked: list[Ranked]
    sides: Sequence[Side]
    """The submissions and, where there are any, the sources."""
    reading: Reading
    question: Question
    submissions: int
    sources: int
    template: int
    common: int
    """Shingles that are no sign of copying, because they are in a template, or in too many submissions."""
    summary: Summary

    def __len__(self) -> int:
        return len(self.ranked)

    def __repr__(self) -> str:
        return f"Plagiarism({len(self):,} pairs of {self.submissions:,} submissions and {self.sources:,} sources)"

    @property
    def pairs(self) -> pa.Table:
        """A row for each pair, what shares most first."""
        return pair_table(self.ranked, self.sides)

    @property
    def passages(self) -> pa.Table:
        """A row for each copied passage, with its places in both documents, in code points."""
        return passage_table(self.ranked, self.sides)

    def to_arrow(self) -> pa.Table:
        return self.pairs

    def tables(self) -> dict[str, pa.Table]:
        return {"pairs": self.pairs, "passages": self.passages}

    def _facts(self) -> dict[str, Any]:
        asked = vars(self.question)
        return {
            **{name: getattr(self, name) for name in COUNTS},
            "reading": vars(self.reading),
            "question": {name: str(value) if isinstance(value, Fraction) else value for name, value in asked.items()},
            "names": [side.title for side in self.sides],
        }

    def _stored(self) -> dict[str, pa.Table]:
        ids = [stored_ids(side.ids, f"ids_{number}") for number, side in enumerate(self.sides)]
        return {**stored_ranking(self.ranked), **dict(pair for one in ids for pair in one.items())}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Plagiarism:
        asked = facts["question"]
        shares = {name: Fraction(asked[name]) for name in ("threshold", "common")}
        sides = [Side(None, tables.ids(f"ids_{number}"), name) for number, name in enumerate(facts["names"])]
        return cls(
            ranked=restored_ranking(tables["pairs"], tables["passages"]),
            sides=sides,
            reading=Reading(**facts["reading"]),
            question=Question(**{**asked, **shares}),
            summary=summary,
            **{name: facts[name] for name in COUNTS},
        )


def find_plagiarism(
    submissions: Source,
    sources: Source | None,
    templates: Source | None,
    *,
    reading: Reading,
    question: Question,
    threads: int,
    progress: Progress,
) -> Plagiarism:
    """Holds the submissions, streams the sources past them, then looks closely at the pairs that share most."""
    read = [source for source in (submissions, sources, templates) if source is not None]
    identities = [(source, identity_of(source)) for source in read]
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    cutters = [
        Cutter(source, reading, threads=threads, progress=progress, stage=stage)
        for source, stage in ((submissions, "submissions"), (sources, "sources"), (templates, "templates"))
        if source is not None
    ]
    sets = _all_of(cutters[0])
    sizes = sets.sizes
    template = distinct(_all_of(cutters.pop()).values) if templates is not None else np.zeros(0, np.uint64)
    sets = without(sets, template)
    common = _common(sets, question.common)
    ignored = distinct(np.append(template, common))
    sets = without(sets, ignored)
    ids = cutters[0].take_ids()
    near = _among(sets, question.top, threads, _authors(ids, len(sets)) if question.by_folder else None)
    pairs = _enough(near, sizes, sizes, question, reading.k, of_source=False)
    if sources is not None:
        near, others = _with_sources(sets, cutters[1], ignored, question.top, threads)
        pairs += _enough(near, sizes, others, question, reading.k, of_source=True)
    seconds["read and join"] = time.perf_counter() - began
    began = time.perf_counter()
    sides = [Side.of(submissions, ids), *(Side.of(cutter.source, cutter.take_ids()) for cutter in cutters[1:])]
    ranked = look_closely(pairs, sides, reading, template, common, question.passage, progress)
    ranked = [pair for pair in ranked if pair.passages or pair.similarity >= question.threshold]
    seconds["passages"] = time.perf_counter() - began
    for source, identity in identities:
        check_unchanged(source, identity)
    return Plagiarism(
        ranked=ranked,
        sides=sides,
        reading=reading,
        question=question,
        submissions=cutters[0].rows,
        sources=sum(cutter.rows for cutter in cutters[1:]),
        template=len(template),
        common=len(common),
        summary=Summary(
            documents=sum(cutter.rows for cutter in cutters),
            empty=sum(cutter.empty for cutter in cutters),
            malformed=sum(source.malformed for source in read),
            pairs=len(ranked),
            seconds=seconds,
            warnings=tuple(warning for source in read for warning in source.warnings),
        ),
    )


def _all_of(cutter: Cutter) -> Shingles:
    with closing(cutter.tables()) as tables:
        return put_together(list(tables))


def _common(sets: Shingles, share: Fraction) -> Hashes:
    """The shingles that too many submissions have."""
    values, counts = np.unique(sets.values, return_counts=True)
    return values[(counts > RING) & (counts * share.denominator > share.numerator * len(sets))]


def _among(sets: Shingles, top: int, threads: int, authors: Sequence[str] | None) -> SetPairs:
    """The pairs of two submissions, not of one author, of which one is among the nearest of the other."""
    if not authors:
        return _once(nearest_sets(sets, top=top, measures=SHARED, threads=threads))
    number = {author: i for i, author in enumerate(dict.fromkeys(authors))}
    whose = np.array([number[author] for author in authors], np.int64)
    counts = np.bincount(whose)
    own = int(counts[counts <= FEW].max(initial=1)) - 1  # so many of the nearest may be one's own
    near = [nearest_sets(sets, top=top + own, measures=SHARED, threads=threads)]
    for author in np.flatnonzero(counts > FEW):  # with the others alone: their own would be too many to list
        mine, others = only(sets, whose == author), only(sets, whose != author)
        near.append(nearest_sets(mine, others, top=top, measures=SHARED, threads=threads))
    pairs = _once(SetPairs(*(np.concatenate([getattr(n, x) for n in near]) for x in ("left", "right", "overlap"))))
    return pairs.chosen(np.flatnonzero(whose[pairs.left] != whose[pairs.right]))


def _once(near: SetPairs) -> SetPairs:
    """Each pair once, the earlier row left."""
    rows = np.sort(np.stack([near.left, near.right], axis=1), axis=1)
    rows, first = np.unique(rows, axis=0, return_index=True)
    return SetPairs(rows[:, 0], rows[:, 1], near.overlap[first])


def _authors(ids: pa.Array | None, count: int) -> list[str]:
    """Whose each submission is: its first folder, or itself where it is in none."""
    names = [str(row) for row in range(count)] if ids is None else [str(name) for name in ids.to_pylist()]
    return [name.partition("/")[0] for name in names]


def _with_sources(sets: Shingles, cutter: Cutter, ignored: Hashes, top: int, threads: int) -> tuple[SetPairs, Rows]:
    """The sources that are among the nearest of each submission, and how many shingles every source has."""
    sizes = [np.zeros(0, np.int64)]

    def measured(tables: Iterable[Shingles]) -> Iterator[Shingles]:
        for table in tables:
            sizes.append(table.sizes)
            yield without(table, ignored)

    with closing(cutter.tables()) as tables:
        blocks = in_blocks(measured(tables), max(BLOCK, size_of(sets)))
        near = join_blocks(sets, blocks, measures=SHARED, top=top, threads=threads)
    return SetPairs(near.left, near.right, near.overlap), np.concatenate(sizes)


def _enough(near: SetPairs, left: Rows, right: Rows, question: Question, k: int, *, of_source: bool) -> list[Pair]:
    """The pairs that share more than chance would have it; `left` and `right` are the sizes of all documents."""
    enough = near.overlap >= question.least_shared(k, left[near.left], right[near.right])
    near = near.chosen(np.flatnonzero(enough))
    return [Pair(one, two, of_source) for one, two in zip(near.left.tolist(), near.right.tolist(), strict=True)]
