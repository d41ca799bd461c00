"""What a run leaves behind: the survivor rule, the deduplicated corpus with its audit trail, the result folder."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.results.clusters import Clusters
    from lookalike.results.counts import Overview, clusters_of, overview
    from lookalike.results.deduped import Deduped
    from lookalike.results.folder import open_result, save_result
    from lookalike.results.matches import Joined
    from lookalike.results.pairs import Pairs
    from lookalike.results.summary import Summary
    from lookalike.results.survivors import Keep, choose_survivors, preference

_HOMES = {
    "Clusters": "clusters",
    "Deduped": "deduped",
    "Joined": "matches",
    "Keep": "survivors",
    "Overview": "counts",
    "Pairs": "pairs",
    "Summary": "summary",
    "choose_survivors": "survivors",
    "clusters_of": "counts",
    "open_result": "folder",
    "overview": "counts",
    "preference": "survivors",
    "save_result": "folder",
}

__all__ = [
    "Clusters",
    "Deduped",
    "Joined",
    "Keep",
    "Overview",
    "Pairs",
    "Summary",
    "choose_survivors",
    "clusters_of",
    "open_result",
    "overview",
    "preference",
    "save_result",
]


def __getattr__(name: str) -> Any:
    """Names are looked up when they are used: most runs need none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'lookalike.results' has no attribute {name!r}")
    return getattr(import_module(f"lookalike.results.{_HOMES[name]}"), name)
