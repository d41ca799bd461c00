"""Finds fingerprints that may come from the same finger.

A print is a list of minutiae, and there are two ways to compare prints:

- `neighbourhoods`, for prints from scanners. Each minutia is described by the minutiae around it, as seen from it, so
  that the position and rotation of a print do not matter. Candidates are aligned and checked.

      prints ──neighbourhoods──▶ sets of cells ──MinHash──▶ votes ──▶ candidates ──align──▶ matches

- `grid`, for prints that have the same position and direction. This is the textbook's example of locality-sensitive
  hashing for sets that contain many of the possible elements (MMDS, chapter 3). Minutiae are placed on a grid. Each
  hash function tests whether a print has minutiae in all of a few random squares.

      prints ──grid──▶ sets of squares ──triples──▶ buckets ──join──▶ candidates ──count──▶ matches
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from lookalike.apps.fingerprints.files import collect_prints, read_prints
from lookalike.apps.fingerprints.generate import Model
from lookalike.apps.fingerprints.grid import Grid
from lookalike.apps.fingerprints.match import PrintMatches, match
from lookalike.apps.fingerprints.minutiae import Print
from lookalike.apps.fingerprints.pairs import with_reading
from lookalike.apps.fingerprints.scans import Scans
from lookalike.apps.fingerprints.templates import read_template, write_template
from lookalike.apps.fingerprints.triples import Triples, binomial, book_rate
from lookalike.apps.fingerprints.unaligned import THRESHOLD, AlignedMatches, match_unaligned
from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_threads, check_whole
from lookalike.flow.threshold import Threshold
from lookalike.notices import Notice
from lookalike.requests import applications as requests
from lookalike.requests.option import declared
from lookalike.requests.verb import verb

__all__ = [
    "AlignedMatches",
    "Grid",
    "Model",
    "Print",
    "PrintMatches",
    "Scans",
    "Triples",
    "binomial",
    "book_rate",
    "match",
    "match_prints",
    "read_prints",
    "read_template",
    "write_template",
]


GRID_OPTIONS = ("side", "sectors", "margin", "count", "size", "groups")


@verb(requests.MatchPrints)
def match_prints(
    prints: Any, gallery: Any = None, **options: Unpack[requests.MatchPrints]
) -> AlignedMatches | PrintMatches:
    """Finds pairs of prints that may come from the same finger: among `prints`, or between `prints` and a `gallery`.

    `prints` is a list of `Print` objects, or one or more paths to templates, tables or folders (see `read_prints`).

    `method="neighbourhoods"` finds prints in any position and rotation. It needs the directions of minutiae, and
    positions in millimetres. `method="grid"` is for prints that are already aligned. Its grid covers all prints. With a
    smaller `side` or more `sectors`, prints of different fingers share fewer squares. A `margin` compensates for small
    shifts.
    """
    began = time.perf_counter()
    one, skipped = _prints(prints, options["on_error"])
    two, also_skipped = (None, []) if gallery is None else _prints(gallery, options["on_error"])
    seconds, warnings = time.perf_counter() - began, [*skipped, *also_skipped]
    every = [*one, *(two or [])]
    threads = check_threads(options["threads"])
    given = [name for name in GRID_OPTIONS if options[name] != _default(name)]  # type: ignore[literal-required]
    method = options["method"]
    if method == "auto":
        directed = all(print_.angle is not None for print_ in every)
        method = "neighbourhoods" if directed and not given else "grid"
    if method == "neighbourhoods":
        if given:
            raise InvalidOption("option-of-grid", option=given[0])
        threshold = _least(options["threshold"], THRESHOLD)
        if not 0 <= options["false_candidates"] <= 1:
            raise InvalidOption("false-candidates-not-a-share", value=options["false_candidates"])
        check_whole("seed", options["seed"], 0)
        found = match_unaligned(
            one,
            two,
            threshold=threshold,
            false_candidates=options["false_candidates"],
            angles=options["angles"],
            seed=options["seed"],
            threads=threads,
        )
        return with_reading(found, seconds, warnings)
    for name in ("false_candidates", "angles"):
        if options[name] != _default(name):
            raise InvalidOption("option-of-neighbourhoods", option=name)
    grid = Grid.over(every, options["side"], options["sectors"], options["margin"])
    nothing, size = not any(map(len, every)), options["size"]
    triples = Triples(size if nothing else grid.squares, options["count"], size, options["groups"], options["seed"])
    least = _least(options["threshold"], 0)
    return with_reading(
        match(one, two, grid=grid, triples=triples, threshold=least, threads=threads), seconds, warnings
    )


def _least(threshold: float | str | None, default: float) -> float:
    """Returns the minimum similarity. Unlike elsewhere, it may be 0: then all candidates are listed."""
    if threshold is None:
        return default
    return 0 if threshold in (0, "0") else float(Threshold(threshold).value)


def _default(name: str) -> Any:
    return declared(requests.MatchPrints)[name].option.default


def _prints(data: Any, on_error: str) -> tuple[Sequence[Print], list[Notice]]:
    if isinstance(data, str | Path):
        return collect_prints([data], on_error)
    several = list(data)
    return (several, []) if all(isinstance(one, Print) for one in several) else collect_prints(several, on_error)
