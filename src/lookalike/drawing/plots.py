"""Plots a curve as text, to an SVG file or, with matplotlib, to an image file or on the caller's axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.drawing.canvas import Canvas
from lookalike.drawing.markup import tag
from lookalike.drawing.text import Printed, draw
from lookalike.drawing.ticks import ticks
from lookalike.errors import InvalidOption, MissingExtra
from lookalike.storage.foreign_errors import writing
from lookalike.storage.whole_files import write_whole

POINTS = 200
"""The number of line segments per curve."""
STYLE = """
svg { background: #ffffff; font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
text { fill: #6a6762; } .strong { fill: #1c1b1a; font-weight: 600; } .title { fill: #6a6762; }
.grid { stroke: #e6e3dd; } .base { stroke: #b5b1a8; }
.line { fill: none; stroke: #0b6e69; stroke-width: 2.5; stroke-linejoin: round; }
.second { fill: none; stroke: #b4541a; stroke-width: 2.5; stroke-linejoin: round; }
.third { fill: none; stroke: #5b4bb0; stroke-width: 2.5; stroke-linejoin: round; }
.mark { stroke: #1c1b1a; stroke-dasharray: 4 4; } .dot { fill: #0b6e69; }
.bar { fill: #5fa8a1; } .bar.whole { fill: #0b6e69; } .bar.apart { fill: #c88a2e; } .bar.against { fill: #c0543f; }
.track { fill: #f3f1ec; } .area { fill: #0b6e69; fill-opacity: .12; }
.positive { fill: #d9a441; fill-opacity: .45; } .negative { fill: #3b6fd4; fill-opacity: .4; }
.key1, .key2, .key3 { font-weight: 600; } .key1 { fill: #0b6e69; } .key2 { fill: #b4541a; } .key3 { fill: #5b4bb0; }
@media (prefers-color-scheme: dark) {
svg { background: #1c1e1d; } text, .title { fill: #a8a59e; } .strong { fill: #ecebe7; }
.grid { stroke: #31332f; } .base { stroke: #5d5f59; } .line { stroke: #5fd0c4; } .second { stroke: #f0965a; }
.third { stroke: #a99cf5; } .mark { stroke: #ecebe7; } .dot { fill: #5fd0c4; }
.bar { fill: #3d8f87; } .bar.whole { fill: #5fd0c4; } .bar.apart { fill: #d9a441; } .bar.against { fill: #e07a63; }
.track { fill: #31332f; } .area { fill: #5fd0c4; fill-opacity: .15; }
.positive { fill: #f0c36a; fill-opacity: .4; } .negative { fill: #6f9bf5; fill-opacity: .4; }
.key1 { fill: #5fd0c4; } .key2 { fill: #f0965a; } .key3 { fill: #a99cf5; }
}
"""
"""The style sheet of SVG files, for light and dark backgrounds."""


@dataclass(frozen=True)
class Figure:
    """A plot: a curve with values from 0 to 1 over the range `span` of x, with an optional mark at one x."""

    curve: Callable[[float], float]
    span: tuple[float, float]
    x_label: str
    title: str
    mark: float | None = None

    def points(self) -> list[tuple[float, float]]:
        low, high = self.span
        places = [low + (high - low) * i / POINTS for i in range(POINTS + 1)]
        return [(x, self.curve(x)) for x in places]


class Drawing(Printed):
    """A figure drawn as text, which notebooks show as SVG."""

    figure: Figure

    def _repr_svg_(self) -> str:
        return svg(self.figure)


def plot(figure: Figure, file: str | Path | None = None, *, axes: Any = None, ascii: bool = False) -> Drawing | None:
    """Draws a figure to a file or on matplotlib axes.

    Without either, returns it as text, which notebooks show as SVG.
    """
    if figure.mark is not None and not figure.span[0] <= figure.mark <= figure.span[1]:
        low, high = figure.span
        raise InvalidOption("threshold-off-the-curve", low=low, high=high, value=figure.mark)
    if axes is not None:
        _on_axes(figure, axes)
        return None
    if file is None:
        words = "" if figure.mark is None else f"threshold {figure.mark:g}"
        drawing = Drawing(draw(figure.curve, span=figure.span, mark=figure.mark, words=words, ascii=ascii))
        drawing.figure = figure
        return drawing
    path = Path(file)
    if path.suffix.lower() == ".svg":
        with writing(str(path)):
            write_whole(path, svg(figure).encode())
    else:
        _picture(figure, path)
    return None


def svg(figure: Figure) -> str:
    """Draws the curve as a complete SVG file."""
    return chart(figure).svg(figure.title, STYLE)


def chart(figure: Figure, width: int = 520, height: int = 360) -> Canvas:
    """Draws the curve and its mark on a canvas of this size."""
    canvas = framed(figure.span, figure.x_label, width, height)
    low, high = figure.span
    canvas.path([((x - low) / (high - low), p) for x, p in figure.points()], "line")
    if figure.mark is not None:
        share = (figure.mark - low) / (high - low)
        p = figure.curve(figure.mark)
        x = canvas.x(share)
        canvas.line((x, canvas.y(0)), (x, canvas.y(1) - 8), "mark")
        canvas.parts.append(tag("circle", kind="dot", fill="#0b6e69", cx=x, cy=canvas.y(p), r="4.5"))
        side, anchor = (-8, "end") if share > 0.45 else (8, "start")
        canvas.words(x + side, canvas.y(1) - 12, f"at {figure.mark:g}: {p:.4f}", "strong", anchor)
    return canvas


def framed(span: tuple[float, float], x_label: str, width: int = 520, height: int = 360) -> Canvas:
    """Creates a canvas with both axes drawn and labelled."""
    canvas = Canvas(width, height, left=52, right=24, top=36, bottom=50)
    canvas.levels([(share, f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)])
    for value in ticks(*span):
        canvas.below((value - span[0]) / (span[1] - span[0]), f"{value:g}")
    canvas.title(x_label)
    return canvas


def _on_axes(figure: Figure, axes: Any) -> None:
    axes.plot(*zip(*figure.points(), strict=True))
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel("collision probability")
    axes.set_ylim(0, 1.02)
    if figure.mark is not None:
        axes.axvline(figure.mark, linestyle="--", color="0.4")


def _picture(figure: Figure, path: Path) -> None:
    try:
        from matplotlib.figure import Figure as Page
    except ImportError:
        raise MissingExtra.needed(f"drawing {path.suffix or 'such'} files", "matplotlib", "plot") from None
    page = Page(figsize=(6.5, 4.5), dpi=160, layout="constrained")
    _on_axes(figure, page.subplots())
    try:
        with writing(str(path)):
            page.savefig(path)
    except ValueError as error:
        raise InvalidOption("not-drawable", path=path, reason=str(error)) from None
