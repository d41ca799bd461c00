"""Shows pairs of documents side by side, with their copied passages marked, in notebooks and terminals."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.apps.plagiarism.find import Plagiarism
from lookalike.apps.plagiarism.page import names_of, texts_of
from lookalike.display.card import Card
from lookalike.display.cells import clean
from lookalike.display.marked_texts import side_by_side
from lookalike.drawing.markup import tag, text
from lookalike.results.shown import Shown

PASSAGES, LONGEST = 5, 300
"""The maximum number of passages of a pair, and of characters of each, that are shown in a terminal."""


def show_passages(found: Plagiarism, n: int) -> Shown:
    """Shows the first `n` pairs. In a terminal, their longest passages are listed."""
    ranked = found.ranked[:n]
    title = f"{len(ranked):,} of {len(found):,} {'pair' if len(found) == 1 else 'pairs'}, passages marked"
    blocks, lines = [], [title]
    for one, (mine, other) in zip(ranked, texts_of(found, ranked), strict=True):
        heading = " – ".join(map(clean, names_of(found, one)))
        facts = f"similarity {one.similarity:.3f}, {one.copied:.1%} of the submission copied"
        left = _apart([(passage.start, passage.end) for passage in one.passages])
        right = _apart([(passage.other_start, passage.other_end) for passage in one.passages])
        blocks += [tag("p", tag("b", text(heading)), " ", text(facts)), side_by_side((mine, left), (other, right))]
        longest = sorted(left, key=lambda span: span[0] - span[1])[:PASSAGES]
        lines += ["", f"{heading}: {facts}", *(f"  [[{clean(mine[a:b], LONGEST)}]]" for a, b in longest)]
        if len(left) > PASSAGES:
            lines.append(f"  and {len(left) - PASSAGES:,} more passages")
    return Shown("\n".join(lines), Card(title, body="".join(blocks)).html())


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the spans in ascending order. One that overlaps an earlier one starts where that one ends."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start = max(start, apart[-1][1]) if apart else start
        if start < end:
            apart.append((start, end))
    return apart
