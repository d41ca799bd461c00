"""Draws several curves of shares as SVG on one pair of axes, coloured by the style sheet of the page around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lookalike.drawing.canvas import Canvas

Draw = Callable[..., str]
"""A function that draws a chart as SVG, and takes `width` and `height` in pixels."""
Points = Sequence[tuple[float, float]]
"""Positions on both axes, as shares of their lengths."""


@dataclass(frozen=True)
class Curve:
    """A curve with the kind of line (`line`, `second` or `other`), and optionally an area around it."""

    points: Points
    kind: str = "line"
    low: Points = ()
    high: Points = ()


def curves(
    drawn: Sequence[Curve],
    ticks: Sequence[tuple[float, str]],
    x_label: str,
    words: str,
    *,
    mark: tuple[float, str] | None = None,
    percent: bool = False,
    width: int = 480,
    height: int = 300,
) -> str:
    """Draws curves from 0 to 1. `ticks` are positions and labels below the axis; `mark` is one that is marked."""
    canvas = Canvas(width, height)
    canvas.levels([(share, f"{share:.0%}" if percent else f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)])
    for share, label in ticks:
        canvas.below(share, label)
    canvas.title(x_label)
    for one in drawn:
        if one.low and one.high:
            canvas.path([*one.low, *reversed(one.high)], "area", closed=True)
    for one in drawn:
        if one.points:
            canvas.path([*one.points], one.kind)
    if mark is not None:
        x = canvas.x(mark[0])
        canvas.line((x, canvas.y(0)), (x, canvas.y(1) - 8), "mark")
        side, anchor = (-8, "end") if mark[0] > 0.5 else (8, "start")
        canvas.words(x + side, canvas.y(1) - 11, mark[1], "strong", anchor)
    return canvas.svg(words)
