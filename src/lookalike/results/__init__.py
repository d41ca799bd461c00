"""What a run leaves behind: the survivor rule, the deduplicated corpus with its audit trail, the result folder."""

from lookalike.results.counts import Overview, clusters_of, overview
from lookalike.results.deduped import Deduped
from lookalike.results.folder import open_result, save_result
from lookalike.results.survivors import Keep, choose_survivors

__all__ = [
    "Deduped",
    "Keep",
    "Overview",
    "choose_survivors",
    "clusters_of",
    "open_result",
    "overview",
    "save_result",
]
