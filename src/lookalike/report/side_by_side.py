"""Compares two documents for the report: both texts, with differences marked and long parts shortened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from lookalike.planning.plan import Plan
from lookalike.report.excerpts import beginning, ending, is_code
from lookalike.report.templating import share
from lookalike.text.comparison import Comparison, compare, of_one_kind

COMPARED = 100_000
"""The maximum number of characters of each text that are compared; longer texts are marked as cut."""

Piece = tuple[Literal["own", "shared", "gap"], str]
"""A piece of a text: text that only this text has (own), text that both have (shared), or a note about omitted text."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A pair of similar documents in the report, with their comparison."""

    left: str
    right: str
    measured: float | None
    """The similarity that the run measured; None if it was not measured."""
    comparison: Comparison
    cut: bool = False

    @property
    def similarity(self) -> str:
        return share(self.comparison.similarity if self.measured is None else self.measured, 4)

    @property
    def facts(self) -> list[str]:
        """The parts of the heading that follow the similarity."""
        both = self.comparison
        facts = [both.verdict]
        if both.either and not both.copies:
            containment = share(both.measures["containment_a"]), share(both.measures["containment_b"])
            facts += [f"containment {' and '.join(containment)}", f"cosine {share(both.measures['cosine'])}"]
        if self.cut:
            facts.append("only the start of these long texts is compared here")
        return facts

    @property
    def is_code(self) -> bool:
        return is_code(self.comparison.a, self.left) or is_code(self.comparison.b, self.right)

    @property
    def sides(self) -> list[tuple[str, list[Piece]]]:
        """Returns the name of each document, and its text in pieces."""
        both = self.comparison
        return [(self.left, pieces(both.a, both.marks_a)), (self.right, pieces(both.b, both.marks_b))]


def compare_sample(names: tuple[Any, Any], texts: tuple[Any, Any], similarity: float | None, plan: Plan) -> Sample:
    one, two = of_one_kind(*(beginning(text, COMPARED) if isinstance(text, str) else text[:COMPARED] for text in texts))
    cut = max(map(len, texts)) > COMPARED
    return Sample(str(names[0]), str(names[1]), similarity, compare(one, two, plan), cut)


def pieces(text: str, marks: Iterable[tuple[int, int]], *, most: int = 1800, around: int = 140) -> list[Piece]:
    """Splits a text into shared pieces (`marks`) and own pieces for display; the middle of a long piece becomes a gap.

    An own piece begins and ends with a letter or digit, because comparisons ignore punctuation and white space. After
    about `most` characters, the rest of the text becomes one gap. `around` is the length shown at each end of a long
    shared piece; an own piece shows three times as much.
    """
    found: list[tuple[bool, str]] = []
    at = 0
    for start, end in [*marks, (len(text), len(text))]:
        before, own, after = _trimmed(text[at:start])
        found += [(True, before), (False, own), (True, after), (True, text[start:end])]
        at = end
    shown: list[Piece] = []
    used = 0
    for i, (is_shared, piece) in enumerate(found):
        if not piece:
            continue
        rest = sum(len(other) for _, other in found[i:]) if used >= most else 0
        if rest > around:
            shown.append(("gap", f"{rest:,} more characters"))
            break
        kind: Literal["own", "shared"] = "shared" if is_shared else "own"
        limit = around if is_shared else 3 * around
        if len(piece) > 2 * limit + 100:
            head, tail = beginning(piece, limit), ending(piece, limit)
            gap = f"{len(piece) - len(head) - len(tail):,} characters"
            shown += [(kind, head), ("gap", gap), (kind, tail)]
            used += len(head) + len(tail)
        else:
            shown.append((kind, piece))
            used += len(piece)
    return shown


def _trimmed(text: str) -> tuple[str, str, str]:
    """Splits a text into the part from its first to its last letter or digit, and the parts before and after that."""
    places = [i for i, character in enumerate(text) if character.isalnum()]
    start, end = (places[0], places[-1] + 1) if places else (len(text), len(text))
    return text[:start], text[start:end], text[end:]
