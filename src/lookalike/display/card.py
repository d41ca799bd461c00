"""Card: a summary of a value, shown as HTML in a notebook and as text in a terminal."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from lookalike.display.cells import FirstRows, clean, width
from lookalike.drawing.markup import tag, text

WIDEST = 100
"""The maximum number of columns of a line of text."""

SHORTEST = 24
"""The minimum width of a column that is cut so that others fit."""

SENTENCE = 2000
"""The maximum number of characters shown of a sentence."""


@dataclass(frozen=True)
class Card:
    """The content of a card: a title and, optionally, counts, facts, a chart, the first rows of tables, and notes.

    Texts are plain: `html` escapes them, and `text` replaces control characters. Only `chart` and `body` are markup.
    """

    title: str
    words: str = ""
    counts: Sequence[tuple[str, str]] = ()
    """Pairs of a label and a figure."""
    facts: Sequence[tuple[str, str]] = ()
    """Pairs of a name and a sentence."""
    chart: str = ""
    """A chart as SVG, for `html` only."""
    body: str = ""
    """Further markup, for `html` only."""
    tables: Sequence[FirstRows] = ()
    notes: Sequence[str] = ()
    seconds: float = 0.0
    """The time of the run, or 0 if unknown. Only `html` shows it, so that the text of a card is the same in every run.
    """

    def html(self) -> str:
        """Returns the card as HTML.

        Colours are derived from those of the page, so that it suits light and dark notebooks.
        """
        parts = [tag("style", _style()), tag("p", tag("b", _sentence(self.title)), " ", _sentence(self.words))]
        counts = [*self.counts, *([("seconds", f"{self.seconds:.2f}")] if self.seconds >= 0.01 else [])]
        if counts:
            figures = (
                tag("span", tag("b", text(clean(figure))), " ", tag("i", text(clean(label))))
                for label, figure in counts
            )
            parts.append(tag("p", " ".join(figures), kind="counts"))
        if self.facts:
            rows = (tag("tr", tag("th", _sentence(name)), tag("td", _sentence(words))) for name, words in self.facts)
            parts.append(tag("table", *rows, kind="facts"))
        if self.chart:
            parts.append(tag("div", self.chart, kind="chart"))
        parts += [self.body, *map(_html_table, self.tables)]
        if self.notes:
            parts.append(tag("ul", *(tag("li", _sentence(note)) for note in self.notes), kind="notes"))
        return tag("div", *parts, kind="lookalike")

    def text(self) -> str:
        """Returns the card as lines of text."""
        lines = [clean(f"{self.title}: {self.words}" if self.words else self.title, SENTENCE)]
        if self.counts:
            lines.append(", ".join(f"{clean(figure)} {clean(label)}" for label, figure in self.counts))
        label = max([12, *(len(clean(name)) + 2 for name, _ in self.facts)])
        lines += [f"{clean(name):<{label}}{clean(words, SENTENCE)}" for name, words in self.facts]
        for rows in self.tables:
            lines += ["", *_text_table(rows)]
        lines += [f"note: {clean(note, SENTENCE)}" for note in self.notes]
        return "\n".join(lines)


def _sentence(words: str) -> str:
    return text(clean(words, SENTENCE))


@functools.cache
def _style() -> str:
    return (files(__package__) / "card.css").read_text(encoding="utf-8")


def _html_table(rows: FirstRows) -> str:
    kinds = ["n" if number else "" for number in rows.numeric]
    head = tag("tr", *(tag("th", text(name), kind=kind) for name, kind in zip(rows.names, kinds, strict=True)))
    body = (
        tag("tr", *(tag("td", text(one), kind=kind, dir="auto") for one, kind in zip(row, kinds, strict=True)))
        for row in rows.cells
    )
    caption = tag("p", text(rows.caption), kind="caption") if rows.caption else ""
    more = tag("p", text(rows.more()), kind="more") if rows.more() else ""
    table = tag("table", tag("thead", head), tag("tbody", *body), kind="rows")
    return tag("div", caption, tag("div", table, kind="scroll"), more)


def _text_table(rows: FirstRows) -> list[str]:
    """Formats a table as lines. Wide columns are cut so that all columns fit within WIDEST.

    If columns of SHORTEST do not fit either, the last columns are left out and counted.
    """
    lines = [f"{rows.caption}:"] if rows.caption else []
    if not rows.names:
        return lines
    lined_up = [rows.names, *rows.cells]
    columns = [[row[i] for row in lined_up] for i in range(len(rows.names))]
    widths = [max(map(width, column)) for column in columns]
    fit = 1
    while fit < len(widths) and _total(widths[: fit + 1], SHORTEST) <= WIDEST:
        fit += 1
    widths = widths[:fit]
    limit = next((limit for limit in range(WIDEST, SHORTEST, -1) if _total(widths, limit) <= WIDEST), SHORTEST)
    for row in lined_up:
        padded = (
            _pad(*one) for one in zip(row[:fit], [min(w, limit) for w in widths], rows.numeric[:fit], strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    more = rows.more(fit)
    return [*lines, more] if more else lines


def _total(widths: list[int], limit: int) -> int:
    """The width of a line whose columns are cut to `limit`."""
    return sum(min(wide, limit) for wide in widths) + 2 * (len(widths) - 1)


def _pad(words: str, wide: int, number: bool) -> str:
    if width(words) > wide:
        words = _cut(words, wide)
    space = " " * (wide - width(words))
    return f"{space}{words}" if number else f"{words}{space}"


def _cut(words: str, wide: int) -> str:
    """The beginning of a text, with an ellipsis, as wide as `wide` at most."""
    while width(words) >= wide:
        words = words[:-1]
    return f"{words}…"
