"""Compares two texts: their similarity in every measure that applies, and the passages that they share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Documents, Shingling, Tokens
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics
from lookalike.results.restoring import checked
from lookalike.results.result import Result
from lookalike.results.summary import Summary
from lookalike.text.rules import normalize
from lookalike.text.spans import Cut, Text, cut, shared_runs

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables

EDITED = 20_000
"""The maximum number of characters for which edit similarity is computed, because its time grows with the product of
both lengths.
"""


class Passage(NamedTuple):
    """A passage that both texts contain: `a[start_a:end_a]` and `b[start_b:end_b]`, in code points.

    `text` is the passage as it appears in a. In b it may differ in details that shingles ignore, such as case and
    punctuation.
    """

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    text: str


PASSAGES = dict.fromkeys(Passage._fields, pa.int64()) | {"text": pa.string()}

FACTS = ("a", "b", "shared", "either", "bag_shared", "bag_either", "measures", "copies", "marks_a", "marks_b")
"""The fields of a comparison that are saved as facts, because neither its tables nor its summary contain them."""


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """The similarities of two texts, and the passages that they share. `str()` returns a short summary."""

    a: str
    b: str
    plan: ResolvedPlan
    """The resolved plan, with the shingles and threshold that were used."""
    shared: int
    """The number of distinct shingles that are in both texts."""
    either: int
    """The number of distinct shingles that are in at least one of the texts."""
    bag_shared: int
    """The number of shingles that are in both texts, counting repetitions."""
    bag_either: int
    measures: dict[str, float]
    """The value of each measure, by name: jaccard, bag_jaccard, containment_a, containment_b, overlap, cosine and,
    unless a text is too long, edit."""
    copies: bool
    """True if the texts are equal after normalization, which ignores details such as case."""
    passages: tuple[Passage, ...]
    """The shared passages, in the order in which they appear in `a`. Each passage is as long as possible."""
    marks_a: tuple[tuple[int, int], ...]
    """The parts of `a` that are also in `b`, as (start, end): passages, and other text in shared shingles."""
    marks_b: tuple[tuple[int, int], ...]

    @property
    def summary(self) -> Summary:
        return Summary(documents=2, same_words=int(self.copies), plan=self.plan.to_toml())

    @property
    def shingles(self) -> Shingling:
        """The shingling of both texts; for `auto`, the shingling that was chosen."""
        return self.plan.shingles

    @property
    def similarity(self) -> float:
        """The similarity that a search with this plan would report: `jaccard`, or `bag_jaccard` for bags."""
        return self.measures["bag_jaccard" if self.shingles.bag else "jaccard"]

    @property
    def counts(self) -> bool:
        """True if the similarity reaches the plan's threshold. The comparison is exact, without rounding."""
        shared, either = (self.bag_shared, self.bag_either) if self.shingles.bag else (self.shared, self.either)
        return self.plan.threshold.reached(shared, either)

    @property
    def chance(self) -> float:
        """The probability that a pair of this similarity becomes a candidate with the plan's bands."""
        return self.plan.banding.collision_probability(self.similarity)

    @property
    def identical(self) -> bool:
        """True if the texts are equal, character for character."""
        return self.a == self.b

    @property
    def verdict(self) -> str:
        """A short description: both empty, identical, the same words, or the number of shared shingles."""
        if not self.either:
            return "both empty: empty texts are similar to nothing"
        if self.identical:
            return "identical"
        if self.copies:
            return "the same words in the same order: differences are in case, spacing or signs that shingles ignore"
        return f"{self.shared:,} of {self.either:,} distinct shingles shared"

    def marked(self, side: Literal["a", "b"], before: str = "[[", after: str = "]]") -> str:
        """Returns the text of one side, with the strings `before` and `after` around each shared part."""
        text, marks = (self.a, self.marks_a) if side == "a" else (self.b, self.marks_b)
        pieces, at = [], 0
        for start, end in marks:
            pieces += [text[at:start], before, text[start:end], after]
            at = end
        return "".join([*pieces, text[at:]])

    def __repr__(self) -> str:
        found = f"{len(self.passages)} shared passage{'' if len(self.passages) == 1 else 's'}"
        return f"Comparison(similarity {self.similarity:.4f} by {self.shingles}, {found})"

    def __str__(self) -> str:
        lines = [f"{self.verdict} ({self.shingles})"]
        lines += [f"{LABELS[name]:<23}{value:.4f}" for name, value in self.measures.items()]
        longest = sorted(self.passages, key=lambda p: p.start_a - p.end_a)[:5]
        lines += [f"shared: {_short(p.text)!r}" for p in longest]
        if len(self.passages) > len(longest):
            lines.append(f"and {len(self.passages) - len(longest):,} more shared passages")
        return "\n".join(lines)

    def _card(self) -> Card:
        from lookalike.display.marked_texts import side_by_side

        counts = [(LABELS[name], f"{value:.4f}") for name, value in self.measures.items()]
        body = side_by_side((self.a, self.marks_a), (self.b, self.marks_b))
        facts = [("verdict", self.verdict), *([("marked", "what both texts share")] if self.passages else [])]
        return replace(self._heading(), counts=counts, facts=facts, body=body)

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison in JSON types."""
        return {
            "similarity": self.similarity,
            "measures": self.measures,
            "shared": self.shared,
            "either": self.either,
            "identical": self.identical,
            "copies": self.copies,
            "shingles": self.shingles.to_dict(),
            "passages": [p._asdict() for p in self.passages],
        }

    def to_arrow(self) -> pa.Table:
        """Returns a table of the shared passages, with the columns start_a, end_a, start_b, end_b and text."""
        return pa.table(
            {
                name: pa.array([getattr(passage, name) for passage in self.passages], PASSAGES[name])
                for name in Passage._fields
            }
        )

    def tables(self) -> dict[str, pa.Table]:
        return {"passages": self.to_arrow()}

    def _facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in FACTS}

    def _stored(self) -> dict[str, pa.Table]:
        return self.tables()

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Comparison:
        counts = checked(facts, **dict.fromkeys(("shared", "either", "bag_shared", "bag_either"), int))
        known = checked(facts, a=str, b=str, copies=bool, measures=dict[str, float])
        checked(known["measures"], jaccard=float, bag_jaccard=float)
        marks = checked(facts, marks_a=list[list[int]], marks_b=list[list[int]])
        plan = ResolvedPlan.from_toml(summary.plan)
        passages = tuple(Passage(**row) for row in tables.with_columns("passages", *PASSAGES).to_pylist())
        paired: dict[str, Any] = {name: tuple((start, end) for start, end in some) for name, some in marks.items()}
        return cls(plan=plan, passages=passages, **counts, **known, **paired)


LABELS = {
    "jaccard": "Jaccard",
    "bag_jaccard": "Jaccard of bags",
    "containment_a": "containment of a in b",
    "containment_b": "containment of b in a",
    "overlap": "overlap",
    "cosine": "cosine",
    "edit": "edit similarity",
}


def compare(a: Text, b: Text, plan: Plan | None = None) -> Comparison:
    """Compares two texts, or two lists of tokens, with the shingles and the threshold of a plan.

    | measure | computed from the shingles of a and b |
    |---|---|
    | `jaccard` | shared / in either, each shingle counted once |
    | `bag_jaccard` | the same with repetitions; the union has the greater count of each shingle |
    | `containment_a`, `containment_b` | shared / all of a; shared / all of b |
    | `overlap` | shared / all of the smaller set |
    | `cosine` | the cosine of the vectors of counts |
    | `edit` | 1 − Levenshtein distance / longer length, of the normalized characters |

    Empty texts are similar to nothing, not even to each other.

    >>> from lookalike.flow import Words
    >>> compare("the quick brown fox", "The quick red fox", Plan(shingles=Words(1))).measures["jaccard"]
    0.6
    """
    resolved = _settle(a, b, plan or Plan())
    shingling = resolved.shingles
    one, two = cut(a, shingling), cut(b, shingling)
    set_a, counts_a = np.unique(one.values, return_counts=True)
    set_b, counts_b = np.unique(two.values, return_counts=True)
    _, in_a, in_b = np.intersect1d(set_a, set_b, assume_unique=True, return_indices=True)
    shared, either = len(in_a), len(set_a) + len(set_b) - len(in_a)
    least = int(np.minimum(counts_a[in_a], counts_b[in_b]).sum())
    most = len(one.values) + len(two.values) - least
    dot = int(np.dot(counts_a[in_a], counts_b[in_b]))
    squares = int(np.dot(counts_a, counts_a)) * int(np.dot(counts_b, counts_b))
    measures = {
        "jaccard": _ratio(shared, either),
        "bag_jaccard": _ratio(least, most),
        "containment_a": _ratio(shared, len(set_a)),
        "containment_b": _ratio(shared, len(set_b)),
        "overlap": _ratio(shared, min(len(set_a), len(set_b))),
        "cosine": 1.0 if dot * dot == squares > 0 else _ratio(dot, math.sqrt(squares)),
    }
    passages = _passages(one, two)
    edit = _edit_similarity(one.text, two.text, shingling)
    if edit is not None:
        measures["edit"] = edit
    return Comparison(
        a=one.text,
        b=two.text,
        plan=resolved,
        shared=shared,
        either=either,
        bag_shared=least,
        bag_either=most,
        measures=measures,
        copies=either > 0 and np.array_equal(one.tokens, two.tokens),
        passages=tuple(passages),
        marks_a=one.marks(two, [(p.start_a, p.end_a) for p in passages]),
        marks_b=two.marks(one, [(p.start_b, p.end_b) for p in passages]),
    )


def of_one_kind(one: Any, two: Any) -> tuple[Any, Any]:
    """Splits a text at white space if the other value is a list, so that both are lists of tokens."""
    if isinstance(one, str) == isinstance(two, str):
        return one, two
    return tuple(each.split() if isinstance(each, str) else each for each in (one, two))  # type: ignore[return-value]


def _settle(a: Text, b: Text, plan: Plan) -> ResolvedPlan:
    """Resolves the plan as if a and b were the whole corpus."""
    if isinstance(a, str) != isinstance(b, str):
        raise InvalidOption("text-and-tokens")
    return plan.resolve(Statistics.of(Documents.from_texts([a, b])))


def _passages(a: Cut, b: Cut) -> list[Passage]:
    """Returns the passages that two texts share, found as runs of shared shingles."""
    passages = []
    for i, j, n in shared_runs(a, b):
        start_a, end_a = int(a.starts[i]), int(a.ends[i + n - 1])
        start_b, end_b = int(b.starts[j]), int(b.ends[j + n - 1])
        passages.append(Passage(start_a, end_a, start_b, end_b, a.text[start_a:end_a]))
    return passages


def _edit_similarity(a: str, b: str, shingling: Shingling) -> float | None:
    """Returns 1 − Levenshtein distance / longer length; None if a text is too long."""
    if isinstance(shingling, Tokens):  # given tokens are not normalised
        one, two = a, b
    else:
        one, two = normalize(a, shingling), normalize(b, shingling)
    one, two = " ".join(one.split()), " ".join(two.split())
    longer = max(len(one), len(two))
    if longer > EDITED:
        return None
    return 1 - _levenshtein(one, two) / longer if one and two else 0.0


def _levenshtein(a: str, b: str) -> int:
    """Computes the Levenshtein distance about a hundred times as fast as `distances.levenshtein`.

    This is Hyyrö's bit-parallel form of Myers' algorithm. Each column of the table is stored in two Python integers.
    """
    if not a or not b:
        return len(a) + len(b)
    where: dict[str, int] = {}
    for i, character in enumerate(a):
        where[character] = where.get(character, 0) | 1 << i
    everything, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down, distance = everything, 0, len(a)
    for character in b:
        equal = where.get(character, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right_up, right_down = down | (everything & ~(diagonal | up)), up & diagonal
        distance += bool(right_up & last) - bool(right_down & last)
        right_up = (right_up << 1 | 1) & everything
        right_down = right_down << 1 & everything
        up, down = right_down | (everything & ~(diagonal | right_up)), right_up & diagonal
    return distance


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
