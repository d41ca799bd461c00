"""Finds pictures that are copies of one another, and the pictures that are nearest to a query.

    files ──decode──▶ thumbnails ──describe──▶ candidates ──align, compare──▶ pairs ──choose──▶ what to keep

Copies may have the same bytes or the same pixels, or may be scaled, recompressed, slightly cropped, brighter or darker,
or turned by quarter turns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from lookalike.apps.images.decode import check_pillow
from lookalike.apps.images.result import NearestPictures, PicturePairs
from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_threads, check_whole
from lookalike.flow.progress import callback
from lookalike.flow.threshold import Threshold
from lookalike.io.outputs import Outputs
from lookalike.requests import applications as requests
from lookalike.requests.verb import verb

__all__ = ["NearestPictures", "PicturePairs", "find_pairs", "nearest"]

MILLION = 1_000_000


@verb(requests.FindPictures)
def find_pairs(pictures: Any, **options: Unpack[requests.FindPictures]) -> PicturePairs:
    """Finds the pictures in a folder that are copies of one another, and suggests which copies to keep.

    `pictures` is a folder, a file, or a list of these. A pair has the kind "bytes" if the files are equal, "pixels" if
    the pictures are equal, and otherwise "near", with a similarity below or equal to 1. The table `pictures` of the
    result lists all files, with `keep` and, for those that could go, the path of the picture to keep. No file is
    removed or changed.

    Needs Pillow (the extra `images`).
    """
    check_pillow()
    from lookalike.apps.images.find import find_copies

    outputs = Outputs({"report": options["report"]}, force=options["force"])
    progress = callback(options["progress"])
    found = find_copies(
        paths_of(pictures), threshold=_threshold(options["threshold"]), keep=options["keep"],
        most=_most(options["largest"]), threads=check_threads(options["threads"]), progress=progress,
    )  # fmt: skip
    for path in outputs.paths.values():
        progress("report", 0, None)
        found.report(path, force=options["force"])
    return found


@verb(requests.NearestPictures)
def nearest(pictures: Any, queries: Any, **options: Unpack[requests.NearestPictures]) -> NearestPictures:
    """Finds the pictures that are nearest to each query: its copies, and then those with similar features.

    Features are low frequencies of light and colour. Their cosine is the column `features`, from −1 to 1; the column
    `similarity` is given for copies only.

    Needs Pillow (the extra `images`).
    """
    check_pillow()
    from lookalike.apps.images.neighbours import find_nearest

    check_whole("top", options["top"], 1)
    outputs = Outputs({"report": options["report"]}, force=options["force"])
    progress = callback(options["progress"])
    found = find_nearest(
        paths_of(pictures), paths_of(queries), top=options["top"], threshold=_threshold(options["threshold"]),
        most=_most(options["largest"]), threads=check_threads(options["threads"]), progress=progress,
    )  # fmt: skip
    for path in outputs.paths.values():
        progress("report", 0, None)
        found.report(path, force=options["force"])
    return found


def paths_of(pictures: Any) -> list[str | Path]:
    """Returns the paths of a path or of a list of paths."""
    several = [pictures] if isinstance(pictures, str | os.PathLike) else pictures
    if not isinstance(several, Iterable):
        raise InvalidOption("not-picture-paths", type=type(pictures).__name__)
    paths = list(several)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InvalidOption("not-picture-paths", type=type(path).__name__)
    return [Path(path) for path in paths]


def _threshold(value: Any) -> float:
    return float(Threshold(value).value)


def _most(largest: Any) -> int:
    """Returns the maximum number of pixels, from a number of megapixels."""
    if isinstance(largest, bool) or not isinstance(largest, int | float) or not largest > 0:
        raise InvalidOption("largest-not-positive", value=largest)
    return int(min(largest * MILLION, 2**62))
