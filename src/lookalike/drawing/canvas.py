"""A canvas that collects the lines, bars and labels of a chart, and returns them as SVG."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from lookalike.drawing.markup import opening, tag, text

PLAIN: dict[str, dict[str, str]] = {
    "line": {"fill": "none", "stroke": "#0b6e69", "stroke-width": "2.5"},
    "second": {"fill": "none", "stroke": "#b4541a", "stroke-width": "2.5"},
    "third": {"fill": "none", "stroke": "#5b4bb0", "stroke-width": "2.5"},
    "grid": {"stroke": "#e6e3dd"},
    "base": {"stroke": "#b5b1a8"},
    "mark": {"stroke": "#6a6762", "stroke-dasharray": "4 4"},
    "break": {"stroke": "#6a6762"},
    "bar": {"fill": "#2a9d90"},
    "bar whole": {"fill": "#0b6e69"},
    "bar apart": {"fill": "#c9a15c"},
    "bar against": {"fill": "#c0543f"},
    "track": {"fill": "#f3f1ec"},
    "area": {"fill": "#0b6e69", "fill-opacity": ".12"},
    "other": {"fill": "none", "stroke": "#6a6762", "stroke-dasharray": "4 4"},
    "positive": {"fill": "#d9a441", "fill-opacity": ".45"},
    "negative": {"fill": "#3b6fd4", "fill-opacity": ".4"},
}
"""Attributes by kind of element, for viewers that remove style sheets, as some viewers of notebooks do. Without them, a
curve would be a black area. A style sheet takes precedence over them."""


@dataclass
class Canvas:
    """An SVG drawing in progress.

    `bar`, `below`, `levels` and `path` take positions as shares of the axes, from 0 to 1; `line` and `words` take
    pixels, which `x` and `y` compute from shares.
    """

    width: int
    height: int
    left: int = 46
    right: int = 12
    top: int = 28
    bottom: int = 42
    parts: list[str] = field(default_factory=list)

    @property
    def inner(self) -> int:
        """Returns the length of the horizontal axis in pixels."""
        return self.width - self.left - self.right

    def x(self, share: float) -> float:
        return round(self.left + float(share) * self.inner, 1)

    def y(self, share: float) -> float:
        return round(self.height - self.bottom - float(share) * (self.height - self.top - self.bottom), 1)

    def words(self, x: float, y: float, words: object, kind: str = "", anchor: str = "middle") -> None:
        self.parts.append(tag("text", text(words), kind=kind, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor))

    def path(self, points: list[tuple[float, float]], kind: str, closed: bool = False) -> None:
        steps = " L".join(f"{self.x(x)},{self.y(y)}" for x, y in points)
        self.parts.append(tag("path", kind=kind, **PLAIN.get(kind, {}), d=f"M{steps}{' Z' if closed else ''}"))

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
        self.parts.append(tag("line", kind=kind, **PLAIN.get(kind, {}), x1=start[0], y1=start[1], x2=end[0], y2=end[1]))

    def bar(self, x: float, width: float, share: float, words: str, kind: str = "bar") -> None:
        """Draws a bar from x to x + width, as high as `share` of the vertical axis, with `words` as its tooltip."""
        height = max(self.y(0) - self.y(share), 1.5 if share > 0 else 0)  # so that one pair among thousands is visible
        place = {"x": f"{self.x(x) + 1:.1f}", "y": f"{self.y(0) - height:.1f}"}
        size = {"width": f"{width * self.inner - 2:.1f}", "height": f"{height:.1f}"}
        self.parts.append(tag("rect", tag("title", text(words)), kind=kind, **PLAIN.get(kind, {}), **place, **size))

    def below(self, share: float, words: object) -> None:
        """Writes a label below the horizontal axis, at the given share of its length."""
        self.words(self.x(share), self.height - self.bottom + 17, words)

    def title(self, words: str) -> None:
        self.words(self.x(0.5), self.height - 4, words, "title")

    def levels(self, levels: list[tuple[float, str]]) -> None:
        """Draws horizontal lines, with their labels on the left."""
        for share, name in levels:
            y = self.y(share)
            self.line((self.left, y), (self.width - self.right, y), "grid" if share else "base")
            self.words(self.left - 8, y + 4, name, anchor="end")

    def counts(self, top: float) -> None:
        """Draws labelled horizontal lines, about four, at round whole numbers from 0 to `top`."""
        raw = top / 4
        unit = int(10 ** math.floor(math.log10(raw))) if raw >= 1 else 1
        step = next((m * unit for m in (1, 2, 5) if m * unit >= raw), 10 * unit)
        self.levels([(value / top, short(value)) for value in range(0, int(top) + 1, step)])

    def svg(self, words: str, style: str = "") -> str:
        """Returns the drawing as SVG, with `words` as its description.

        With a `style` sheet, it is a complete SVG file.
        """
        size = {"viewBox": f"0 0 {self.width} {self.height}"}
        if style:
            size |= {"xmlns": "http://www.w3.org/2000/svg", "width": f"{self.width}", "height": f"{self.height}"}
        head = opening("svg", **size, role="img", aria_label=words) + (tag("style", style) if style else "")
        return head + "".join(self.parts) + "</svg>"


def short(value: int) -> str:
    """Returns a count in short form: 950, 1.5k, 12k, 3M."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= 10 * size or (value >= size and value % (size // 10) == 0):
            return f"{value / size:.3g}{letter}"
    return f"{value:,}"
