"""Finds the passages that two documents share, from their shingles, with the positions in both.

A passage is a run of shared shingles. A changed word splits a run in two; runs that follow one another in both
documents, with a few tokens between them, are joined into one passage.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lookalike.text.spans import Cut, shared_runs

GAP = 10
"""Two runs are joined into one passage if at most this many tokens lie between them, in either document."""

EXCERPT = 200
"""The maximum number of characters of a passage that tables contain."""


class CopiedPassage(NamedTuple):
    """A copied passage: `text[start:end]` of the submission, `text[other_start:other_end]` of the other document.

    Positions are in code points.
    """

    start: int
    end: int
    other_start: int
    other_end: int
    tokens: int
    """The length of the passage in the submission, in words or tokens."""
    text: str
    """The text of the passage in the submission, shortened to `EXCERPT` characters."""


def copied_passages(a: Cut, b: Cut, k: int, least: int = 1) -> list[CopiedPassage]:
    """Finds the shared passages of `least` or more tokens, in the order of `a`.

    `k` is the number of tokens per shingle.
    """
    joined: list[list[int]] = []  # per passage: first and last shingle in a, first and last shingle in b
    for i, j, n in shared_runs(a, b):
        run = [i, i + n - 1, j, j + n - 1]
        if joined and _follows(joined[-1], run, a, b, k):
            joined[-1][1], joined[-1][3] = run[1], run[3]
        else:
            joined.append(run)
    found = []
    for i, last, j, end in joined:
        tokens = int(a.first[last] - a.first[i]) + k
        if tokens >= least:
            start, stop = int(a.starts[i]), int(a.ends[last])
            found.append(
                CopiedPassage(start, stop, int(b.starts[j]), int(b.ends[end]), tokens, _short(a.text[start:stop]))
            )
    return found


def _follows(one: list[int], two: list[int], a: Cut, b: Cut, k: int) -> bool:
    """True if the second run starts where the first ends, or a little later, in both documents."""
    gap_a = a.first[two[0]] - a.first[one[1]]
    gap_b = b.first[two[2]] - b.first[one[3]]
    return bool(0 < gap_a <= k + GAP and 0 < gap_b <= k + GAP)


def covered(spans: Iterable[tuple[int, int]]) -> int:
    """Returns the number of characters covered by spans, which may overlap."""
    total, reach = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, reach))
        reach = max(reach, end)
    return total


def _short(text: str) -> str:
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"
