"""Shows two texts side by side as HTML, with the parts that they share highlighted."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.drawing.markup import tag, text

LONGEST = 5000
"""The maximum number of characters shown of a text."""

Marked = tuple[str, Sequence[tuple[int, int]]]
"""A text, and the parts to highlight: ascending (start, end)."""


def side_by_side(one: Marked, other: Marked) -> str:
    return tag("div", *(tag("div", marked(*each), dir="auto") for each in (one, other)), kind="sides")


def marked(words: str, marks: Sequence[tuple[int, int]]) -> str:
    """Returns the start of a text as markup, with the parts in `marks` wrapped in `<mark>`.

    >>> marked("a < b, c", [(0, 5)])
    '<mark>a &lt; b</mark>, c'
    """
    shown, pieces, at = words[:LONGEST], [], 0
    for start, end in marks:
        pieces += [text(shown[at:start]), tag("mark", text(shown[start:end])) if start < len(shown) else ""]
        at = end
    cut = f" … {len(words) - LONGEST:,} more characters" if len(words) > LONGEST else ""
    return "".join([*pieces, text(shown[at:]), cut])
