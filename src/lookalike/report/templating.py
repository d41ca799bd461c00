"""Templates → pages: one HTML file each, with no scripts, no network, light and dark, and fit to print.

The only module that knows Jinja2. A page has a folder in `templates/`, with one file per section. Values are escaped;
only the style sheet and the charts are inserted as markup.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lookalike import __version__

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
    **values: Any,
) -> str:
    """The page as text.

    `tiles` are labels with figures. `sections` are (id, heading): the content of each is `templates/FOLDER/ID.html`,
    which sees `values`.
    """
    template = _environment().get_template("page.html")
    about = {"folder": folder, "title": title, "lead": lead, "tiles": tiles, "sections": sections}
    return template.render(**about, made=made, version=__version__, **values)


def markup(drawing: str) -> Markup:
    """A drawing of `charts.py`, which is inserted into a page as it is."""
    from markupsafe import Markup

    return Markup(drawing)


@functools.cache
def _environment() -> Environment:
    """Jinja2 is loaded with the first page: programs without a report do not pay for it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("lookalike.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "seconds": seconds, "share": share, "shorten": shorten}
    environment.globals["style"] = markup((files(__package__) / "style.css").read_text(encoding="utf-8"))
    return environment


def count(n: int, noun: str) -> str:
    """
    >>> count(1, "pair"), count(2000, "pair")
    ('1 pair', '2,000 pairs')
    """
    return f"{n:,} {noun if n == 1 else noun + 's'}"


def seconds(value: float) -> str:
    """
    >>> seconds(1.234), seconds(75)
    ('1.23 s', '1 min 15 s')
    """
    return f"{value:.2f} s" if value < 60 else f"{int(value // 60)} min {int(value % 60)} s"


def share(value: float, places: int = 3) -> str:
    """With as many decimal places as it takes not to round up to 1.

    >>> share(0.95), share(0.99995), share(1.0)
    ('0.950', '0.99995', '1.000')
    """
    words = f"{value:.{places}f}"
    return share(value, places + 1) if value < 1 and float(words) == 1 else words


def shorten(name: str, most: int = 80) -> str:
    """A long name without its middle: paths differ at the end, other ids at the start.

    >>> shorten("abcdefghij", 5)
    'ab…ij'
    """
    half = most // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
