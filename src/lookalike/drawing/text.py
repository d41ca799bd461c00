"""Draws a curve as lines of text: with the dots of braille characters or, in ASCII, with asterisks."""

from __future__ import annotations

from collections.abc import Callable

from lookalike.drawing.ticks import ticks

Curve = Callable[[float], float]


class Printed(str):
    """Text that an interactive session shows as it is, without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


def draw(
    curve: Curve,
    *,
    span: tuple[float, float] = (0.0, 1.0),
    mark: float | None = None,
    words: str = "",
    width: int = 64,
    height: int = 12,
    ascii: bool = False,
) -> str:
    """Draws the curve as lines of text; the vertical axis runs from 0 to 1.

    The position `mark` is labelled with `words`.
    """
    low, high = span
    canvas = (_ascii_dots if ascii else _braille_dots)(curve, span, width, height)
    column = None if mark is None else round((mark - low) / (high - low) * (width - 1))
    lines = []
    for row, line in enumerate(canvas):
        cells = list(line)
        if column is not None and cells[column] == " ":
            cells[column] = ":" if ascii else "┊"
        number = {0: "1.0", height // 2: "0.5", height - 1: "0.0"}.get(row, "")
        axis = "|" if ascii else "┤" if number else "│"
        lines.append(f"{number:>5} {axis}{''.join(cells).rstrip()}")
    lines.append(" " * 6 + ("+" if ascii else "└") + ("-" if ascii else "─") * width)
    lines.append(" " * 6 + _axis_numbers(low, high, width))
    if column is not None:
        arrow, at = "^" if ascii else "▲", 7 + column
        fits = at + 2 + len(words) < 80
        lines.append(" " * at + f"{arrow} {words}" if fits else f"{words} {arrow}".rjust(at + 1))
    return "\n".join(lines)


def _axis_numbers(low: float, high: float, width: int) -> str:
    """Formats the line of numbers below the horizontal axis."""
    feet = [" "] * (width + 8)
    for value in ticks(low, high):
        text = f"{value:.1f}" if high - low <= 5 else f"{value:g}"
        at = round((value - low) / (high - low) * (width - 1))
        feet[at : at + len(text)] = text
    return "".join(feet).rstrip()


def _heights(curve: Curve, span: tuple[float, float], columns: int, levels: int) -> list[int]:
    """Returns the level of the curve in each column, 0 at the bottom.

    The first and last columns are the ends of `span`.
    """
    low, high = span
    return [round(curve(low + (high - low) * (x / (columns - 1))) * (levels - 1)) for x in range(columns)]


def _spans(heights: list[int]) -> list[tuple[int, int]]:
    """Returns the lowest and highest dot of each column, chosen so that a steep curve has no gaps."""
    spans = []
    for x, level in enumerate(heights):
        before = heights[x - 1] if x else level
        spans.append((min(before + 1, level), level) if before <= level else (level, before - 1))
    return spans


def _ascii_dots(curve: Curve, span: tuple[float, float], width: int, height: int) -> list[str]:
    spans = _spans(_heights(curve, span, width, height))
    return ["".join("*" if low <= level <= high else " " for low, high in spans) for level in range(height - 1, -1, -1)]


# The bits of the eight dots of a braille cell: two columns, each of four rows from top to bottom.
_BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))


def _braille_dots(curve: Curve, span: tuple[float, float], width: int, height: int) -> list[str]:
    cells = [[0] * width for _ in range(height)]
    for x, (low, high) in enumerate(_spans(_heights(curve, span, 2 * width, 4 * height))):
        for level in range(low, high + 1):
            down = 4 * height - 1 - level
            cells[down // 4][x // 2] |= _BRAILLE[x % 2][down % 4]
    return ["".join(chr(0x2800 + bits) if bits else " " for bits in row) for row in cells]
