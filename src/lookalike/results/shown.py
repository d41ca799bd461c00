"""Shown: something that displays itself, as HTML in a notebook and as text elsewhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Shown:
    """What `show()` of a result returns. A notebook displays it as HTML, a terminal as text; `print` works too."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html
