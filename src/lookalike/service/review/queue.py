"""The queue: clusters to review, filtered and in order, page by page."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.checks import check_whole
from lookalike.service.fields import LARGEST
from lookalike.service.review.marks import ACCEPTED, DECIDED, DISTINCT, OPEN, SKIPPED, STATES
from lookalike.service.review.review import Review

FILTERS = ("state", "search", "min_size", "max_size", "min_least", "max_least")

WANTED = {
    OPEN: (OPEN,),
    ACCEPTED: (ACCEPTED,),
    DISTINCT: (DISTINCT,),
    SKIPPED: (SKIPPED,),
    "decided": DECIDED,
    "all": STATES,
}
"""The states that each value of the filter `state` selects."""

LARGEST_CURSOR = 20_000


class Queue:
    """Orders and filters the clusters of a review."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self._orders: dict[tuple[int, int, str], Rows] = {}
        """Orders by generation, version of the figures, and name."""
        self._names: tuple[int, pa.Array] | None = None
        """The generation, and the ids of all members, which take seconds to read from a large index."""

    def page(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a page of clusters. A cursor contains the order and the filter of its list."""
        review, limit = self.review, asked["limit"]
        if asked["cursor"] is None:
            filter, name, start = {name: asked[name] for name in FILTERS}, asked["order"], 0
            version = review.figures.version
        else:
            version, name, start, filter = self._parsed(asked["cursor"])
        order = self._order(version, name)
        with review.guard:
            chosen = self.chosen(filter)
            counts = review.marks.counts()
            places = order[start:]
            found = np.flatnonzero(chosen[places])[: limit + 1]
            shown = [self.listed(place) for place in places[found[:limit]].tolist()]
        more = len(found) > limit
        stop = start + int(found[limit]) if more else 0
        return {
            "clusters": shown,
            "total": int(np.count_nonzero(chosen)),
            "open": counts[OPEN],
            "next": self._cursor(version, name, stop, filter) if more else None,
            "figures": self.progress(),
        }

    def progress(self) -> dict[str, Any]:
        figures = self.review.figures
        total = len(figures.groups)
        return {"done": min(figures.done, total), "total": total, "complete": figures.is_complete}

    def chosen(self, filter: Mapping[str, Any]) -> Mask:
        """Returns a mask of the clusters that a filter selects."""
        review = self.review
        groups, figures, marks = review.groups, review.figures, review.marks
        numbers = [STATES.index(state) for state in WANTED[filter["state"]]]
        mask = np.isin(marks.state, numbers)
        sizes = groups.sizes
        if filter["min_size"] is not None:
            mask &= sizes >= filter["min_size"]
        if filter["max_size"] is not None:
            mask &= sizes <= filter["max_size"]
        if filter["min_least"] is not None:
            mask &= figures.least >= filter["min_least"]
        if filter["max_least"] is not None:
            mask &= figures.least <= filter["max_least"]
        if filter["search"]:
            mask &= self._found(filter["search"])
        return np.asarray(mask, np.bool_)

    def _found(self, words: str) -> Mask:
        """Returns a mask of the clusters with all these words in the id of a member or in the survivor's excerpt."""
        groups = self.review.groups
        found = np.ones(len(groups), np.bool_)
        if not len(groups):
            return found
        if self._names is None or self._names[0] != self.review.generation:
            self._names = self.review.generation, self.review.corpus.names(groups.rows)
        ids, beginnings = self._names[1], self.review.figures.beginnings()
        for word in words.split():
            here = np.logical_or.reduceat(_contains(ids, word), groups.starts[:-1])
            found &= here if beginnings is None else here | _contains(beginnings, word)
        return found

    def listed(self, place: int) -> dict[str, Any]:
        """Returns one cluster as it appears in a list."""
        review = self.review
        groups, figures, marks = review.groups, review.figures, review.marks
        row, least, density = int(marks.survivors[place]), figures.least[place], figures.density[place]
        return {
            "key": groups.key(place),
            "size": int(groups.starts[place + 1] - groups.starts[place]),
            "least": None if np.isnan(least) else float(least),
            "density": None if np.isnan(density) else float(density),
            "sampled": bool(figures.sampled[place]),
            "reasons": figures.reasons(place),
            "survivor": {"row": row, "id": str(review.corpus.ids(np.array([row]))[0])},
            "excerpt": figures.excerpt(row),
            "state": STATES[marks.state[place]],
            "excluded": int(marks.excluded[place]),
        }

    def _order(self, version: int, name: str) -> Rows:
        """Returns all places in an order. The order of a version is computed once, so that pages fit together."""
        key = self.review.generation, version, name
        if key not in self._orders:
            figures, sizes = self.review.figures, self.review.groups.sizes
            if name == "size":
                keys: tuple[Any, ...] = (-sizes,)
            elif name == "similarity":
                keys = (-sizes, np.nan_to_num(figures.least, nan=2.0))
            else:
                keys = (-sizes, -figures.suspicion())
            self._orders[key] = np.lexsort(keys).astype(np.int64)
        return self._orders[key]

    def _cursor(self, version: int, name: str, start: int, filter: Mapping[str, Any]) -> str:
        values = [self.review.corpus.identity, self.review.generation, version, name, start, *filter.values()]
        return base64.urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).decode().rstrip("=")

    def _parsed(self, cursor: str) -> tuple[int, str, int, dict[str, Any]]:
        """Returns the version, the order, the start and the filter in a cursor."""
        if len(cursor) > LARGEST_CURSOR:
            raise ServiceError("not-a-cursor")
        try:
            padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
            identity, generation, version, name, start, *rest = json.loads(
                base64.b64decode(padded, b"-_", validate=True)
            )
            filter = dict(zip(FILTERS, rest, strict=True))
            whole = [start, generation, version, *(filter[name] for name in ("min_size", "max_size") if filter[name])]
            shares = [filter[name] for name in ("min_least", "max_least") if filter[name] is not None]
            fits = all(type(one) is int and 0 <= one <= LARGEST for one in whole)
            fits &= all(type(one) in (int, float) for one in shares) and isinstance(filter["search"], str | None)
            fits &= filter["state"] in WANTED and name in ("suspicious", "size", "similarity")
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ServiceError("not-a-cursor") from None
        if not fits:
            raise ServiceError("not-a-cursor")
        if identity != self.review.corpus.identity:
            raise ServiceError("cursor-of-another-index")
        if generation != self.review.generation or version > self.review.figures.version:
            raise ServiceError("cursor-expired")
        return version, name, start, filter


def check_filter(filter: Mapping[str, Any]) -> None:
    """Raises InvalidOption if the limits of a filter are not sensible numbers."""
    for name in ("min_size", "max_size"):
        if filter[name] is not None:
            check_whole(name, filter[name], 0, LARGEST)
    for name in ("min_least", "max_least"):
        if filter[name] is not None and not 0 <= filter[name] <= 1:
            raise InvalidOption("not-a-similarity", option=name, value=filter[name])


def _contains(texts: pa.Array, word: str) -> Mask:
    found = pc.match_substring(texts, word, ignore_case=True)
    return np.asarray(pc.fill_null(found, False).to_numpy(zero_copy_only=False), np.bool_)
