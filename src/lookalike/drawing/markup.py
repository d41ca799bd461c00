"""Strings → markup, HTML or SVG. `text` escapes, `tag` wraps; nothing else writes an angle bracket by hand."""

from __future__ import annotations

from html import escape


def text(value: object) -> str:
    """Any value as text of the page, with nothing in it that a browser would take for markup."""
    return escape(str(value))


def tag(name: str, /, *content: str, **attributes: object) -> str:
    """An element around content that is markup already; attributes are escaped. `kind` stands for `class`.

    >>> tag("td", text("a < b"), kind="n")
    '<td class="n">a &lt; b</td>'
    """
    return f"{opening(name, **attributes)}{''.join(content)}</{name}>"


def opening(name: str, /, **attributes: object) -> str:
    """The start of an element: `text_anchor` becomes text-anchor, `kind` class."""
    words = "".join(
        f' {"class" if key == "kind" else key.replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value not in ("", None)
    )
    return f"<{name}{words}>"
