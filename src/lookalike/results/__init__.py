"""The results of verbs: their base class, pairs, clusters, matches, survivors, summaries, and saved results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.lazy import lazy

if TYPE_CHECKING:
    from lookalike.results.clusters import Clusters as Clusters
    from lookalike.results.counts import Overview as Overview
    from lookalike.results.counts import clusters_of as clusters_of
    from lookalike.results.counts import overview as overview
    from lookalike.results.deduped import Deduped as Deduped
    from lookalike.results.matches import Matches as Matches
    from lookalike.results.pairs import Pairs as Pairs
    from lookalike.results.result import Result as Result
    from lookalike.results.saved import load as load
    from lookalike.results.summary import Summary as Summary
    from lookalike.results.survivors import Keep as Keep
    from lookalike.results.survivors import choose_survivors as choose_survivors
    from lookalike.results.survivors import preference as preference


_HOMES = {
    "Clusters": "clusters",
    "Deduped": "deduped",
    "Keep": "survivors",
    "Matches": "matches",
    "Overview": "counts",
    "Pairs": "pairs",
    "Result": "result",
    "Summary": "summary",
    "choose_survivors": "survivors",
    "clusters_of": "counts",
    "load": "saved",
    "overview": "counts",
    "preference": "survivors",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy(__name__, _HOMES)
