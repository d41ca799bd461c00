"""Draws labelled bars as SVG, coloured by the style sheet of the page around them: horizontal ones, and pairs."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.drawing.canvas import PLAIN, Canvas
from lookalike.drawing.markup import tag, text

CHARACTER = 7
"""The approximate width of a character of a label, in pixels."""
ROW = 22
"""The height of a bar with the space around it, in pixels."""

Bars = Sequence[tuple[str, float, str]]
"""The name, value and printed value of each bar."""


def signed_bars(
    groups: Sequence[tuple[str, Bars]], words: str, labels: tuple[str, str], *, width: int = 1000, height: int = 0
) -> str:
    """Draws bars to the right of a line for positive values, and to its left for negative ones, under headings.

    `labels` are written above the left and the right side. The number of bars determines the height.
    """
    rows = sum(len(bars) + 1.5 for _, bars in groups)
    left = min(230, width // 3)
    canvas = Canvas(
        width, max(height if not groups else 0, int(rows * ROW) + 52), left=left, right=64, top=30, bottom=0
    )
    most = max([abs(value) for _, bars in groups for _, value, _ in bars] + [1e-9])
    least = min([value for _, bars in groups for _, value, _ in bars] + [0.0])
    low = 1.15 * least - 0.02 * most  # room for the printed value of the longest bar on the left
    high = max([value for _, bars in groups for _, value, _ in bars] + [0.02 * most])

    def at(value: float) -> float:
        return canvas.x((value - low) / (high - low))

    y: float = canvas.top + 16
    for name, bars in groups:
        canvas.words(0, y + 14, _fit(name, width - 80), "strong", "start")
        y += 1.1 * ROW
        for label, value, printed in bars:
            start, end = sorted((at(0), at(value)))
            place = {"x": f"{start:.1f}", "y": f"{y + 3:.1f}", "width": f"{max(end - start, 1):.1f}", "height": ROW - 6}
            kind = "bar whole" if value >= 0 else "bar against"
            canvas.parts.append(
                tag("rect", tag("title", text(f"{name}, {label}: {printed}")), kind=kind, **PLAIN[kind], **place)
            )
            canvas.words(left - 12, y + 15, _fit(label, left - 16), anchor="end")
            side, anchor = (6, "start") if value >= 0 else (-6, "end")
            canvas.words(at(value) + side, y + 15, printed, anchor=anchor)
            y += ROW
        y += 0.4 * ROW
    canvas.line((at(0), canvas.top + 4), (at(0), y), "base")
    canvas.words(at(0) - 8, canvas.top - 8, labels[0], anchor="end")
    canvas.words(at(0) + 8, canvas.top - 8, labels[1], anchor="start")
    canvas.height = int(y) + 6
    return canvas.svg(words)


def share_bars(bars: Bars, words: str, *, width: int = 1000, height: int = 0) -> str:
    """Draws a horizontal bar per share, on a track that stands for 1. The number of bars determines the height."""
    left = min(230, width // 3)
    canvas = Canvas(width, max(1, len(bars)) * ROW + 8, left=left, right=80, top=4, bottom=4)
    for place, (label, share, printed) in enumerate(bars):
        y = canvas.top + place * ROW
        for kind, length in (("track", 1.0), ("bar", share)):
            size = {"x": canvas.left, "y": y + 3, "width": f"{length * canvas.inner:.1f}", "height": ROW - 6}
            canvas.parts.append(
                tag("rect", tag("title", text(f"{label}: {printed}")), kind=kind, **PLAIN[kind], **size)
            )
        canvas.words(left - 12, y + 15, _fit(label, left - 16), anchor="end")
        canvas.words(width - canvas.right + 8, y + 15, printed, anchor="start")
    return canvas.svg(words)


def paired_bars(
    pairs: Sequence[tuple[str, float, float]],
    names: tuple[str, str],
    words: str,
    *,
    width: int = 480,
    height: int = 200,
) -> str:
    """Draws two columns side by side per label: shares from 0 to 1 of two groups with these `names`."""
    canvas = Canvas(width, height, top=12)
    top = max([0.25, *(max(first, second) for _, first, second in pairs)])
    canvas.levels([(share / top, f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1) if share <= top])
    wide = 1 / max(1, len(pairs))
    every = -(-len(pairs) * 6 * CHARACTER // canvas.inner)  # labels would touch if all were written
    for place, (label, first, second) in enumerate(pairs):
        start = place * wide
        canvas.bar(start + 0.08 * wide, 0.42 * wide, first / top, f"{names[0]}, {label}: {first:.2%}", "bar whole")
        canvas.bar(start + 0.5 * wide, 0.42 * wide, second / top, f"{names[1]}, {label}: {second:.2%}", "bar apart")
        if (len(pairs) - 1 - place) % every == 0:
            canvas.below(start + 0.5 * wide, label)
    return canvas.svg(words)


def _fit(words: str, pixels: float) -> str:
    most = max(4, int(pixels / CHARACTER))
    return words if len(words) <= most else words[: most - 1] + "…"
