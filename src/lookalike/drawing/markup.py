"""Builds HTML and SVG: `text` escapes a value, and `tag` makes an element."""

from __future__ import annotations

from html import escape


def text(value: object) -> str:
    """Converts a value to text, with markup characters escaped."""
    return escape(str(value))


def tag(name: str, /, *content: str, **attributes: object) -> str:
    """Returns an element as markup. The content must be markup; attribute values are escaped.

    The attribute `class` is passed as `kind`, because `class` is a Python keyword.

    >>> tag("td", text("a < b"), kind="n")
    '<td class="n">a &lt; b</td>'
    """
    return f"{opening(name, **attributes)}{''.join(content)}</{name}>"


def opening(name: str, /, **attributes: object) -> str:
    """Returns the opening tag of an element. `text_anchor` becomes text-anchor, and `kind` becomes class.

    Attributes that are empty or None are left out.
    """
    words = "".join(
        f' {"class" if key == "kind" else key.replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value not in ("", None)
    )
    return f"<{name}{words}>"
