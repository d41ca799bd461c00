"""What is lost if a document is removed and another one is kept in its place, by definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from lookalike.engines.reference.definitions import elements, is_blank, stops, windows
from lookalike.flow import Chars, Shingling, Stopwords
from lookalike.text.definitions import token_spans, tokens

Text = str | Sequence[str | None]


def lost(removed: Text, kept: Text, shingling: Shingling) -> int:
    """Returns the number of characters of `removed` (of a list: tokens) in shingles that `kept` lacks."""
    known = set(elements(windows(kept, shingling), bag=False, ignored=shingling.ignored))
    mine = set(elements(windows(removed, shingling), bag=False, ignored=shingling.ignored))
    found = shingle_spans(removed, shingling)
    counted = [span for span in found if span[0] in mine]
    if found and not counted:  # all its shingles are ignored, and one stands for the whole text
        counted = [(min(mine), found[0][1], found[-1][2])]
    return len({place for value, start, end in counted if value not in known for place in range(start, end)})


def shingle_spans(text: Text, shingling: Shingling) -> list[tuple[int, int, int]]:
    """Returns each shingle with the start and end of the characters (of a list: tokens) that it covers."""
    if isinstance(text, str):
        if is_blank(text, shingling):
            return []
        starts, ends, hashes = token_spans(text, shingling)
    else:
        hashes = tokens(text, shingling)
        starts, ends = list(range(len(hashes))), list(range(1, len(hashes) + 1))
    whole = isinstance(text, str) and not hashes
    if whole:
        characters = Chars(1, case=shingling.case, normalize=shingling.normalize)
        starts, ends, hashes = token_spans(str(text), characters)
    k = len(hashes) if whole else min(getattr(shingling, "k", 3), len(hashes))
    firsts = list(range(len(hashes) - k + 1)) if hashes else []
    if isinstance(shingling, Stopwords) and not whole:
        chosen = [i for i in range(len(hashes) - 2) if hashes[i] in stops(shingling)]
        firsts, k = (chosen, 3) if chosen else (firsts, k)
    reach = list(accumulate(ends, max))  # normalisation can reorder combining marks
    values = windows(text, shingling).values
    return [(value, starts[i], reach[i + k - 1]) for value, i in zip(values, firsts, strict=True)]
