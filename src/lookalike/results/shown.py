"""Shown: something that displays itself, as HTML in a notebook and as text elsewhere."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Shown:
    """What `show()` of a result returns. Notebooks display it as HTML, prompts as text; in a script, it is printed."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def display(shown: Shown) -> Shown:
    """Prints the text in a script. At a prompt or in a notebook, prints nothing, because these display the value.

    `sys.ps1` exists only at the prompts of Python and IPython, and in the kernels of notebooks.
    """
    if not hasattr(sys, "ps1") and sys.stdout is not None:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # a terminal may not have every character
        print(shown.text.encode(encoding, "replace").decode(encoding))
    return shown
