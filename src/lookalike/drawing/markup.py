"""Builds HTML and SVG: `text` escapes a value, `tag` makes an element. Only this module writes angle brackets."""

from __future__ import annotations

from html import escape


def text(value: object) -> str:
    """Any value as text of a page, with markup characters escaped."""
    return escape(str(value))


def tag(name: str, /, *content: str, **attributes: object) -> str:
    """An element. Its content must be markup; attributes are escaped. The attribute `class` is written `kind`.

    >>> tag("td", text("a < b"), kind="n")
    '<td class="n">a &lt; b</td>'
    """
    return f"{opening(name, **attributes)}{''.join(content)}</{name}>"


def opening(name: str, /, **attributes: object) -> str:
    """The opening tag of an element: `text_anchor` becomes text-anchor, and `kind` becomes class."""
    words = "".join(
        f' {"class" if key == "kind" else key.replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value not in ("", None)
    )
    return f"<{name}{words}>"
