"""Finds pairs of submissions, or of a submission and a source, with copied passages, and ranks them.

Each submission is compared with the few documents that share the most shingles with it, even if these are only a small
part of the document: an overlap join, which counts common elements, finds a page copied into a book. Shingles of
templates are ignored, and so are shingles in so many submissions that copying is an unlikely explanation.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.apps.plagiarism.ranking import (
    Pair,
    Ranked,
    Side,
    compare_pairs,
    pair_table,
    passage_table,
    restored_ranking,
    stored_ranking,
)
from lookalike.apps.plagiarism.reading import Cutter, Reading, only, without
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.flow.checks import check_whole
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress
from lookalike.io.source import Source
from lookalike.joins.blocks import BLOCK, in_blocks, join_blocks, put_together, size_of
from lookalike.joins.measures import Measure, Shared
from lookalike.joins.sets import SetPairs, nearest_sets
from lookalike.notices import Notice
from lookalike.results.restoring import MOST_ROWS, Damage, checked
from lookalike.results.result import Result, stored_ids
from lookalike.results.shown import Shown, display
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables

SHARED: list[Measure] = [Shared(1)]

CHANCE = 4
"""Fewer common shingles than this are attributed to chance, unless they make up a whole document or form a passage."""

RING = 10
"""Shingles in at most this many submissions are never too common, because so few authors may have copied from one
another.
"""

MANY_FILES = 1000
"""Authors with more files than this are searched separately, so that their own files do not fill the list of nearest
files.
"""


@dataclass(frozen=True)
class PlagiarismCriteria:
    """The options that decide which pairs are listed."""

    threshold: Fraction
    """The minimum similarity of listed pairs; pairs with a copied passage are always listed."""
    passage: int
    """The minimum length of a copied passage, in words or tokens."""
    common: Fraction
    """Shingles in more than this share of the submissions (and in more than `RING`) are not evidence of copying."""
    top: int
    """For each submission, the number of nearest other submissions, and of nearest sources, that are compared with
    it."""
    by_folder: bool = False
    """True if the first folder in a path is the author; files of the same author are not compared."""

    def least_shared(self, k: int, left: Rows, right: Rows) -> Rows:
        """Returns the minimum number of common shingles that is not due to chance, for sets of these sizes.

        `k` is the number of words or tokens per shingle.
        """
        return np.minimum(np.minimum(left, right), min(CHANCE, max(1, self.passage - k + 1)))


COUNTS = ("submissions", "sources", "template", "common")


@dataclass(frozen=True, eq=False, kw_only=True)
class Plagiarism(Result):
    """Pairs of documents ranked by similarity, with their passages: as objects (`ranked`) and as tables (`pairs`,
    `passages`)."""

    ranked: list[Ranked]
    sides: Sequence[Side]
    """The collection of submissions and, if there is one, the collection of sources."""
    reading: Reading
    question: PlagiarismCriteria
    submissions: int
    sources: int
    template: int
    common: int
    """The number of shingles that are ignored because they are in too many submissions; `template` is the number of
    shingles in templates."""
    summary: Summary

    def __len__(self) -> int:
        return len(self.ranked)

    def __repr__(self) -> str:
        pairs = "pair" if len(self) == 1 else "pairs"
        return f"Plagiarism({len(self):,} {pairs} of {self.submissions:,} submissions and {self.sources:,} sources)"

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a report: one HTML file that can be read offline. With `force`, an existing file is replaced.

        The documents that the report shows are read again from the data.
        """
        from lookalike.apps.plagiarism.page import write_page

        return write_page(path, self, force=force)

    def show(self, n: int = 5) -> Shown:
        """Shows the first `n` pairs side by side, with their shared passages marked.

        Scripts print them; notebooks and prompts display what is returned.
        """
        from lookalike.apps.plagiarism.shown import show_passages

        check_whole("n", n, 1)
        return display(show_passages(self, n))

    @property
    def pairs(self) -> pa.Table:
        """A table with one row per pair, most similar first."""
        return pair_table(self.ranked, self.sides)

    @property
    def passages(self) -> pa.Table:
        """A table with one row per copied passage, with its positions in both documents, in code points."""
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
        known = checked(facts, question=dict, reading=dict, names=list[str])
        counts = checked(facts, **dict.fromkeys(COUNTS, int))
        asked = checked(known["question"], threshold=str, passage=int, common=str, top=int, by_folder=bool)
        shares = {name: Fraction(asked[name]) for name in ("threshold", "common")}
        totals = (counts["submissions"], counts["sources"])
        sides = [
            Side(None, tables.ids(f"ids_{number}", totals[number]), name) for number, name in enumerate(known["names"])
        ]
        if not sides:
            raise Damage(Notice("entry-not-as-saved", name="names", value=known["names"]))
        tables.rows("pairs", "submission", totals[0])
        others, of_source = tables.rows("pairs", "other", MOST_ROWS), tables.array("pairs", "of_source")
        ends = np.where(of_source, totals[1] if len(sides) > 1 else 0, totals[0])
        if (outside := np.flatnonzero(others >= ends)).size:
            row, rows = int(others[outside[0]]), int(ends[outside[0]])
            raise Damage(Notice("row-outside", column="other", file="pairs.parquet", row=row, rows=rows))
        return cls(
            ranked=restored_ranking(tables["pairs"], tables["passages"]),
            sides=sides,
            reading=Reading(**known["reading"]),
            question=PlagiarismCriteria(**{**asked, **shares}),
            summary=summary,
            **counts,
        )


def find_plagiarism(
    submissions: Source,
    sources: Source | None,
    templates: Source | None,
    *,
    reading: Reading,
    question: PlagiarismCriteria,
    threads: int,
    progress: Progress,
) -> Plagiarism:
    """Finds the pairs with copied passages. The submissions are kept in memory; the sources are read block by block."""
    read = [source for source in (submissions, sources, templates) if source is not None]
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    cutters = [
        Cutter(source, reading, threads=threads, progress=progress, stage=stage)
        for source, stage in ((submissions, "submissions"), (sources, "sources"), (templates, "templates"))
        if source is not None
    ]
    sets = _all_sets(cutters[0])
    sizes = sets.sizes
    template = distinct(_all_sets(cutters.pop()).values) if templates is not None else np.zeros(0, np.uint64)
    sets = without(sets, template)
    common = _common(sets, question.common)
    ignored = distinct(np.append(template, common))
    sets = without(sets, ignored)
    ids = cutters[0].take_ids()
    near = _between_submissions(sets, question.top, threads, _authors(ids, len(sets)) if question.by_folder else None)
    pairs = _shared_enough(near, sizes, sizes, question, reading.k, of_source=False)
    if sources is not None:
        near, others = _with_sources(sets, cutters[1], ignored, question.top, threads)
        pairs += _shared_enough(near, sizes, others, question, reading.k, of_source=True)
    seconds["read and join"] = time.perf_counter() - began
    began = time.perf_counter()
    sides = [Side.of(submissions, ids), *(Side.of(cutter.source, cutter.take_ids()) for cutter in cutters[1:])]
    ranked = compare_pairs(pairs, sides, reading, template, common, question.passage, progress)
    ranked = [pair for pair in ranked if pair.passages or pair.similarity >= question.threshold]
    seconds["passages"] = time.perf_counter() - began
    for source in read:
        source.check_unchanged()
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


def _all_sets(cutter: Cutter) -> Shingles:
    with closing(cutter.tables()) as tables:
        return put_together(list(tables))


def _common(sets: Shingles, share: Fraction) -> Hashes:
    """Returns the shingles that are in too many submissions."""
    values, counts = np.unique(sets.values, return_counts=True)
    return values[(counts > RING) & (counts * share.denominator > share.numerator * len(sets))]


def _between_submissions(sets: Shingles, top: int, threads: int, authors: Sequence[str] | None) -> SetPairs:
    """Finds pairs of submissions by different authors in which one is among the `top` nearest of the other."""
    if not authors:
        return _once(nearest_sets(sets, top=top, measures=SHARED, threads=threads))
    number = {author: i for i, author in enumerate(dict.fromkeys(authors))}
    author_of = np.array([number[author] for author in authors], np.int64)
    counts = np.bincount(author_of)
    own = (
        int(counts[counts <= MANY_FILES].max(initial=1)) - 1
    )  # up to this many of the nearest files may be by the same author
    near = [nearest_sets(sets, top=top + own, measures=SHARED, threads=threads)]
    for author in np.flatnonzero(
        counts > MANY_FILES
    ):  # searched only among other authors, since too many of the nearest files would be their own
        mine, others = only(sets, author_of == author), only(sets, author_of != author)
        near.append(nearest_sets(mine, others, top=top, measures=SHARED, threads=threads))
    pairs = _once(SetPairs(*(np.concatenate([getattr(n, x) for n in near]) for x in ("left", "right", "overlap"))))
    return pairs.chosen(np.flatnonzero(author_of[pairs.left] != author_of[pairs.right]))


def _once(near: SetPairs) -> SetPairs:
    """Removes repeated pairs, and puts the earlier row of each pair on the left."""
    rows = np.sort(np.stack([near.left, near.right], axis=1), axis=1)
    rows, first = np.unique(rows, axis=0, return_index=True)
    return SetPairs(rows[:, 0], rows[:, 1], near.overlap[first])


def _authors(ids: pa.Array | None, count: int) -> list[str]:
    """Returns the author of each submission: the first folder of its id, or the whole id if it has no folder."""
    names = [str(row) for row in range(count)] if ids is None else [str(name) for name in ids.to_pylist()]
    return [name.partition("/")[0] for name in names]


def _with_sources(sets: Shingles, cutter: Cutter, ignored: Hashes, top: int, threads: int) -> tuple[SetPairs, Rows]:
    """Finds the nearest sources of each submission. Also returns the number of shingles of every source."""
    sizes = [np.zeros(0, np.int64)]

    def measured(tables: Iterable[Shingles]) -> Iterator[Shingles]:
        for table in tables:
            sizes.append(table.sizes)
            yield without(table, ignored)

    with closing(cutter.tables()) as tables:
        blocks = in_blocks(measured(tables), max(BLOCK, size_of(sets)))
        near = join_blocks(sets, blocks, measures=SHARED, top=top, threads=threads)
    return SetPairs(near.left, near.right, near.overlap), np.concatenate(sizes)


def _shared_enough(
    near: SetPairs, left: Rows, right: Rows, question: PlagiarismCriteria, k: int, *, of_source: bool
) -> list[Pair]:
    """Returns the pairs that share more shingles than chance explains. `left` and `right` are the sizes of all sets."""
    enough = near.overlap >= question.least_shared(k, left[near.left], right[near.right])
    near = near.chosen(np.flatnonzero(enough))
    return [Pair(one, two, of_source) for one, two in zip(near.left.tolist(), near.right.tolist(), strict=True)]
