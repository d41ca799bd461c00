"""Ranks pairs of documents by similarity: measures the share of each that is in the other, and finds shared
passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.apps.plagiarism.passages import CopiedPassage, copied_passages, covered
from lookalike.apps.plagiarism.reading import Reading, cut_without
from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Hashes
from lookalike.flow.distinct import distinct, is_among
from lookalike.flow.progress import Progress
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.text.spans import Cut

NUMBERS = ("similarity", "containment", "reverse", "resemblance", "copied")
"""The names of the measures of a ranked pair."""


class Pair(NamedTuple):
    """The row of a submission, and the row of another document: a source if `of_source`, otherwise a submission."""

    submission: int
    other: int
    of_source: bool


@dataclass(frozen=True, eq=False)
class Side:
    """A collection of documents (the submissions or the sources), and their ids."""

    source: Source | None
    """The source of the documents; None in a result that was loaded from disk, because texts are not saved."""
    ids: pa.Array | None
    title: str
    """The name of the collection."""

    @classmethod
    def of(cls, source: Source, ids: pa.Array | None) -> Side:
        return cls(source, ids, source.name)

    def texts(self, rows: Iterable[int]) -> dict[int, Any]:
        """Reads the documents in these rows from the source, and returns them by row."""
        if self.source is None:
            raise InvalidOption("texts-not-saved", title=self.title)
        return read_texts(self.source, np.array(sorted(rows), np.int64))

    def name(self, row: int) -> Any:
        return row if self.ids is None else self.ids[row].as_py()


@dataclass(frozen=True, eq=False)
class Ranked:
    """A pair of documents, measures of the text that they share, and their common passages."""

    pair: Pair
    similarity: float
    """The share of the shorter document's tokens that are in common shingles: 1 if the other contains all of it."""
    containment: float
    """The share of the submission's shingles that are in the other document."""
    reverse: float
    """The share of the other document's shingles that are in the submission."""
    resemblance: float
    """The share of the shingles of either document that are in both (Jaccard similarity)."""
    copied: float
    """The share of the submission's characters that are in copied passages."""
    passages: list[CopiedPassage]


def compare_pairs(
    pairs: Sequence[Pair],
    sides: Sequence[Side],
    reading: Reading,
    template: Hashes,
    common: Hashes,
    least: int,
    progress: Progress,
) -> list[Ranked]:
    """Reads and compares the documents of each pair. Returns the pairs ranked by similarity.

    Shingles of a template are ignored. Shingles in too many submissions are in no passage, but they count towards the
    similarity: all pairs have them, and small documents have little else (benchmarks/plagiarism.py).
    """
    cuts: list[dict[int, Cut]] = []
    for side, rows in zip(sides, _rows(pairs), strict=False):
        named = ((row, text, str(side.name(row))) for row, text in side.texts(rows).items())
        cuts.append({row: cut_without(reading.cut(text, name), template) for row, text, name in named})
    found = []
    for done, pair in enumerate(pairs, 1):
        a, b = cuts[0][pair.submission], cuts[pair.of_source][pair.other]
        passages = copied_passages(cut_without(a, common), cut_without(b, common), reading.k, least)
        found.append(_ranked(pair, a, b, reading.k, passages))
        progress("passages", done, len(pairs))
    return sorted(found, key=lambda one: (-one.similarity, -one.copied, one.pair))


def _rows(pairs: Sequence[Pair]) -> tuple[set[int], set[int]]:
    """Returns the rows of all submissions, and of all sources, in these pairs."""
    submissions = {pair.submission for pair in pairs} | {pair.other for pair in pairs if not pair.of_source}
    return submissions, {pair.other for pair in pairs if pair.of_source}


def _ranked(pair: Pair, a: Cut, b: Cut, k: int, passages: list[CopiedPassage]) -> Ranked:
    set_a, set_b = distinct(a.values), distinct(b.values)
    shared = int(np.count_nonzero(is_among(set_a, set_b)))
    here, there = is_among(a.values, set_b), is_among(b.values, set_a)
    common = min(covered_tokens(a.first[here], k), covered_tokens(b.first[there], k))
    return Ranked(
        pair,
        similarity=_ratio(common, min(covered_tokens(a.first, k), covered_tokens(b.first, k))),
        containment=_ratio(shared, len(set_a)),
        reverse=_ratio(shared, len(set_b)),
        resemblance=_ratio(shared, len(set_a) + len(set_b) - shared),
        copied=_ratio(covered((passage.start, passage.end) for passage in passages), len(a.text)),
        passages=passages,
    )


def covered_tokens(first: npt.NDArray[np.int64], k: int) -> int:
    """Returns the number of tokens covered by shingles of length k that start at these tokens.

    >>> covered_tokens(np.array([0, 1, 7]), 3)
    7
    """
    return int(np.minimum(np.diff(first), k).sum()) + k if len(first) else 0


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# Tables


def pair_table(ranked: Sequence[Ranked], sides: Sequence[Side]) -> pa.Table:
    return pa.table(
        {
            **_names(ranked, sides),
            **{name: pa.array([getattr(one, name) for one in ranked], pa.float64()) for name in NUMBERS},
            "passages": pa.array([len(one.passages) for one in ranked], pa.int64()),
            "longest": pa.array([max((p.tokens for p in one.passages), default=0) for one in ranked], pa.int64()),
        }
    )


def passage_table(ranked: Sequence[Ranked], sides: Sequence[Side]) -> pa.Table:
    several = [one for one in ranked for _ in one.passages]
    passages = [passage for one in ranked for passage in one.passages]
    numbers = ("start", "end", "other_start", "other_end", "tokens")
    return pa.table(
        {
            **_names(several, sides),
            **{name: pa.array([getattr(one, name) for one in passages], pa.int64()) for name in numbers},
            "text": pa.array([passage.text for passage in passages], pa.string()),
        }
    )


def stored_ranking(ranked: Sequence[Ranked]) -> dict[str, pa.Table]:
    """Converts a ranking to tables for saving. `restored_ranking` is the inverse."""
    pairs = [{**one.pair._asdict(), **{name: getattr(one, name) for name in NUMBERS}} for one in ranked]
    passages = [{"rank": rank, **p._asdict()} for rank, one in enumerate(ranked) for p in one.passages]
    rows = {**dict.fromkeys(Pair._fields, pa.int64()), "of_source": pa.bool_(), **dict.fromkeys(NUMBERS, pa.float64())}
    spans = {"rank": pa.int64(), **dict.fromkeys(CopiedPassage._fields, pa.int64()), "text": pa.string()}
    return {
        "pairs": pa.Table.from_pylist(pairs, pa.schema(rows)),
        "passages": pa.Table.from_pylist(passages, pa.schema(spans)),
    }


def restored_ranking(pairs: pa.Table, passages: pa.Table) -> list[Ranked]:
    """The inverse of `stored_ranking`."""
    found: dict[int, list[CopiedPassage]] = {}
    for row in passages.to_pylist():
        found.setdefault(row.pop("rank"), []).append(CopiedPassage(**row))
    return [
        Ranked(
            Pair(*(row[name] for name in Pair._fields)),
            **{name: row[name] for name in NUMBERS},
            passages=found.get(rank, []),
        )
        for rank, row in enumerate(pairs.to_pylist())
    ]


def _names(ranked: Sequence[Ranked], sides: Sequence[Side]) -> dict[str, pa.Array]:
    """Returns the columns with the ids of both documents, and with the kind of the other document.

    Ids of other documents become strings if the ids of submissions and sources differ in type.
    """
    left = [sides[0].name(one.pair.submission) for one in ranked]
    right = [sides[one.pair.of_source].name(one.pair.other) for one in ranked]
    if len({type(name) for name in right}) > 1:
        right = [str(name) for name in right]
    kinds = ["source" if one.pair.of_source else "submission" for one in ranked]
    return {"submission": pa.array(left), "other": pa.array(right), "kind": pa.array(kinds, pa.string())}
