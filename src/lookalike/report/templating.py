"""Renders pages from templates. Each page is one HTML file that can be read without scripts and without network access.

Pages have light and dark colours, and can be printed. Only this module uses Jinja2. Each page has a folder in
`templates/`, with one file per section. Values are escaped; only the style sheet and the charts are inserted as markup.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lookalike import __version__, drawing

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def render_page(
    folder: str,
    *,
    title: str,
    lead: str,
    tiles: Sequence[tuple[str, str]],
    sections: Sequence[tuple[str, str]],
    made: datetime | None = None,
    live: object = None,
    **values: Any,
) -> str:
    """Renders a page as an HTML string.

    `tiles` are pairs of a label and a figure. `sections` are pairs (id, heading). The content of a section is the
    template `templates/FOLDER/ID.html`, which can use `values`. `live` has the data and the script of an interactive
    page, and the policy that allows the script (see `interactive.py`).
    """
    template = _environment().get_template("page.html")
    about = {"folder": folder, "title": title, "lead": lead, "tiles": tiles, "sections": sections}
    return template.render(**about, made=made, live=live, version=__version__, **values)


def chart(draw: Callable[..., str]) -> Markup:
    """Draws a chart in two sizes. The style sheet shows the one that suits the width of the page."""
    return markup(f'<div class="wide">{draw()}</div><div class="narrow">{draw(width=400, height=260)}</div>')


def markup(drawing: str) -> Markup:
    """Marks a string as trusted markup, such as a chart, so that it is inserted into a page without escaping."""
    from markupsafe import Markup

    return Markup(drawing)


@functools.cache
def _environment() -> Environment:
    """Creates the Jinja2 environment.

    Jinja2 is imported only when the first page is rendered, so other programs start faster.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("lookalike.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "seconds": seconds, "share": share, "shorten": shorten}
    sheets = [(files(package) / "style.css").read_text(encoding="utf-8") for package in (drawing, __package__)]
    environment.globals["style"] = markup("\n".join(sheets))
    return environment


def count(n: int, noun: str) -> str:
    """Formats a count with its noun, which is in the plural unless the count is 1.

    >>> count(1, "pair"), count(2000, "pair")
    ('1 pair', '2,000 pairs')
    """
    return f"{n:,} {noun if n == 1 else noun + 's'}"


def seconds(value: float) -> str:
    """Formats a duration in words.

    >>> seconds(1.234), seconds(75)
    ('1.23 s', '1 min 15 s')
    """
    return f"{value:.2f} s" if value < 60 else f"{int(value // 60)} min {int(value % 60)} s"


def share(value: float, places: int = 3) -> str:
    """Formats a share with `places` decimal places, or with more if it is below 1 and would be rounded to 1.

    >>> share(0.95), share(0.99995), share(1.0)
    ('0.950', '0.99995', '1.000')
    """
    words = f"{value:.{places}f}"
    return share(value, places + 1) if value < 1 and float(words) == 1 else words


def shorten(name: str, most: int = 80) -> str:
    """Shortens a long name by leaving out its middle, because paths differ at the end and other ids at the start.

    >>> shorten("abcdefghij", 5)
    'ab…ij'
    """
    half = most // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
