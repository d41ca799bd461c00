"""Two texts → how similar they are, in every measure that applies, and the passages that they share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Documents, Shingling, Tokens
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics
from lookalike.results import Result, Summary
from lookalike.text.rules import normalize
from lookalike.text.spans import Cut, Text, cut, shared_runs

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables

EDITED = 20_000
"""Edit similarity is worked out for texts of up to this many characters; it grows with the product of both lengths."""


class Passage(NamedTuple):
    """A stretch of a that stands in b too: `a[start_a:end_a]` and `b[start_b:end_b]`, in code points.

    `text` is the stretch as a has it; b may differ in what the shingles do not see, such as case and punctuation.
    """

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    text: str


PASSAGES = dict.fromkeys(Passage._fields, pa.int64()) | {"text": pa.string()}

FACTS = ("a", "b", "shared", "either", "bag_shared", "bag_either", "measures", "copies", "marks_a", "marks_b")
"""The fields that are neither tables nor in the summary."""


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """What two texts have in common. `str()` of it is a short account; the command line shows it in colour."""

    a: str
    b: str
    plan: ResolvedPlan
    """How both were cut into shingles, and which similarity counts."""
    shared: int
    """Distinct shingles in both."""
    either: int
    """Distinct shingles in at least one."""
    bag_shared: int
    """Shingles in both, repetitions counted."""
    bag_either: int
    measures: dict[str, float]
    """jaccard, bag_jaccard, containment_a, containment_b, overlap, cosine; edit where both texts are short enough."""
    copies: bool
    """Whether the shingles cannot tell them apart: the same text up to case, spacing and the like."""
    passages: tuple[Passage, ...]
    """The shared stretches in order of a, each as long as it gets when a is read from left to right."""
    marks_a: tuple[tuple[int, int], ...]
    """The parts (start, end) of a that b has too: its passages, and what else is under shared shingles."""
    marks_b: tuple[tuple[int, int], ...]

    @property
    def summary(self) -> Summary:
        return Summary(documents=2, exact_copies=int(self.copies), plan=self.plan.to_toml())

    @property
    def shingles(self) -> Shingling:
        """How both were cut; what `auto` chose."""
        return self.plan.shingles

    @property
    def similarity(self) -> float:
        """What a search with this plan reports for the pair: Jaccard, of bags if the shingles are bags."""
        return self.measures["bag_jaccard" if self.shingles.bag else "jaccard"]

    @property
    def counts(self) -> bool:
        """Whether the pair reaches the plan's threshold, decided in integers."""
        shared, either = (self.bag_shared, self.bag_either) if self.shingles.bag else (self.shared, self.either)
        return self.plan.threshold.reached(shared, either)

    @property
    def chance(self) -> float:
        """The probability with which the plan's bands make the pair a candidate."""
        return self.plan.banding.collision_probability(self.similarity)

    @property
    def identical(self) -> bool:
        """Whether they are the same, character for character."""
        return self.a == self.b

    @property
    def verdict(self) -> str:
        """In a few words: identical, exact copies, or how many shingles are shared."""
        if not self.either:
            return "both empty: empty texts are similar to nothing"
        if self.identical:
            return "identical"
        if self.copies:
            return "exact copies, up to what the shingles do not see (case, spacing, …)"
        return f"{self.shared:,} of {self.either:,} distinct shingles shared"

    def marked(self, side: Literal["a", "b"], before: str = "[[", after: str = "]]") -> str:
        """The text of one side with its shared parts between marks."""
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

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
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
        """The shared passages: start_a, end_a, start_b, end_b, text."""
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
        passages = tuple(Passage(**row) for row in tables["passages"].to_pylist())
        marks = {name: tuple(tuple(mark) for mark in facts[name]) for name in ("marks_a", "marks_b")}
        return cls(plan=ResolvedPlan.from_toml(summary.plan), passages=passages, **{**facts, **marks})


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
    """Compares two texts, or two lists of tokens, as the plan would.

    | measure | of the shingles of a and b |
    |---|---|
    | `jaccard` | shared / in either, each counted once |
    | `bag_jaccard` | the same with repetitions counted; the union takes the larger count |
    | `containment_a`, `containment_b` | shared / those of a; shared / those of b |
    | `overlap` | shared / those of the smaller |
    | `cosine` | of the vectors of counts |
    | `edit` | 1 − Levenshtein distance / longer length, of the normalised characters |

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
        copies=either > 0 and one.fingerprint == two.fingerprint,
        passages=tuple(passages),
        marks_a=one.marks(two, [(p.start_a, p.end_a) for p in passages]),
        marks_b=two.marks(one, [(p.start_b, p.end_b) for p in passages]),
    )


def of_one_kind(one: Any, two: Any) -> tuple[Any, Any]:
    """Both as lists of tokens where one of them is such a list."""
    if isinstance(one, str) == isinstance(two, str):
        return one, two
    return tuple(each.split() if isinstance(each, str) else each for each in (one, two))  # type: ignore[return-value]


def _settle(a: Text, b: Text, plan: Plan) -> ResolvedPlan:
    """The plan as if a and b were its whole corpus."""
    if isinstance(a, str) != isinstance(b, str):
        raise InvalidOption("text-and-tokens")
    return plan.resolve(Statistics.of(Documents.from_texts([a, b])))


def _passages(a: Cut, b: Cut) -> list[Passage]:
    """The shared runs of shingles as stretches of both texts."""
    passages = []
    for i, j, n in shared_runs(a, b):
        start_a, end_a = int(a.starts[i]), int(a.ends[i + n - 1])
        start_b, end_b = int(b.starts[j]), int(b.ends[j + n - 1])
        passages.append(Passage(start_a, end_a, start_b, end_b, a.text[start_a:end_a]))
    return passages


def _edit_similarity(a: str, b: str, shingling: Shingling) -> float | None:
    """1 − Levenshtein distance / longer length, or None where that would take too long."""
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
    """`distances.levenshtein`, a hundred times as fast.

    Hyyrö's bit-parallel form of Myers' algorithm, on Python's long integers: one column of the table is two numbers.
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
