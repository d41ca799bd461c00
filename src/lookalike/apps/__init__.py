"""Applications: tools built on the other packages of lookalike, one folder each.

`la.apps.NAME` imports an application when it is first used.
"""

from __future__ import annotations

from lookalike.lazy import lazy

__all__: list[str] = []
__getattr__, __dir__ = lazy(__name__, {}, packages=("fingerprints", "images", "plagiarism", "resolve", "stories"))
