"""lookalike: the same entities, for splink_theirs.py and dedupe_theirs.py."""

from __future__ import annotations

import lookalike as la


def entities(path: str) -> list[tuple[int, int]]:
    found = la.resolve(path).clusters.to_arrow()
    ids, clusters = found["id"].to_pylist(), found["cluster"].to_pylist()
    return [(int(id), cluster) for id, cluster in zip(ids, clusters, strict=True)]
