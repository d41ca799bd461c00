"""Reads the HTML of a card as a browser does: its elements, its text, and the cells of its tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

ALLOWED = {
    *"div p b i span style table thead tbody tr th td ul li mark".split(),
    *"svg text path line rect title circle".split(),
}
"""The elements that cards consist of. None of them can run a program or load anything."""


@dataclass
class Page:
    tags: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    text: str = ""

    @classmethod
    def of(cls, html: str) -> Page:
        reader = _Reader()
        reader.feed(html)
        reader.close()
        assert not reader.open, f"elements that are not closed: {reader.open}"
        return reader.page

    @property
    def harmless(self) -> bool:
        """Asserts that the page has only known elements and attributes: no script, no handler, no link, no image."""
        handlers = [name for name in self.attributes if name.startswith("on") or name in ("href", "src", "style")]
        return set(self.tags) <= ALLOWED and not handlers


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page, self.open = Page(), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.tags.append(tag)
        self.page.attributes += [name for name, _ in attrs]
        self.open.append(tag)
        if tag in ("td", "th"):
            self.page.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        if {"td", "th"} & {*self.open}:
            self.page.cells[-1] += data
        self.page.text += data
