"""Finds fingerprints that may come from the same finger.

Minutiae are placed on a grid. Each hash function tests whether a print has minutiae in all of a few random squares.

    prints ──grid──▶ sets of squares ──triples──▶ buckets ──join──▶ candidates ──count──▶ matches

This is locality-sensitive hashing for sets that contain many of the possible elements (MMDS, chapter 3). Prints must
already be aligned in position and direction, for example by a scanner with a finger guide, because this module does not
rotate or shift them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from lookalike.apps.fingerprints.files import read_prints
from lookalike.apps.fingerprints.generate import Model
from lookalike.apps.fingerprints.grid import Grid
from lookalike.apps.fingerprints.match import PrintMatches, match
from lookalike.apps.fingerprints.minutiae import Print
from lookalike.apps.fingerprints.templates import read_template, write_template
from lookalike.apps.fingerprints.triples import Triples, binomial, book_rate
from lookalike.flow.checks import check_threads
from lookalike.flow.threshold import Threshold
from lookalike.requests import applications as requests
from lookalike.requests.verb import verb

__all__ = [
    "Grid",
    "Model",
    "Print",
    "PrintMatches",
    "Triples",
    "binomial",
    "book_rate",
    "match",
    "match_prints",
    "read_prints",
    "read_template",
    "write_template",
]


@verb(requests.MatchPrints)
def match_prints(prints: Any, gallery: Any = None, **options: Unpack[requests.MatchPrints]) -> PrintMatches:
    """Finds pairs of prints that may come from the same finger: among `prints`, or between `prints` and a `gallery`.

    `prints` is a list of `Print` objects, or one or more paths to templates, tables or folders (see `read_prints`).
    The grid covers all prints. With a smaller `side` or more `sectors`, prints of different fingers share fewer
    squares. A `margin` compensates for small shifts.
    """
    one, two = _prints(prints), None if gallery is None else _prints(gallery)
    grid = Grid.over([*one, *(two or [])], options["side"], options["sectors"], options["margin"])
    nothing, size = not any(map(len, [*one, *(two or [])])), options["size"]
    triples = Triples(size if nothing else grid.squares, options["count"], size, options["groups"], options["seed"])
    least = 0 if options["threshold"] is None else Threshold(options["threshold"]).value
    return match(one, two, grid=grid, triples=triples, threshold=least, threads=check_threads(options["threads"]))


def _prints(data: Any) -> Sequence[Print]:
    if isinstance(data, str | Path):
        return read_prints([data])
    several = list(data)
    return several if all(isinstance(one, Print) for one in several) else read_prints(several)
