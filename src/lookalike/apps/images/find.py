"""Finds the copies among pictures: reads them, finds exact copies, compares the others, and chooses what to keep."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from lookalike.apps.images.collection import Collection, Picture, read_pictures
from lookalike.apps.images.copies import NEARLY, with_byte_copies, with_same_pixels
from lookalike.apps.images.files import PictureFiles, check_found, find_files
from lookalike.apps.images.hashes import difference_hashes, frequency_hashes
from lookalike.apps.images.keeping import choose
from lookalike.apps.images.matching import Match, find_matches
from lookalike.apps.images.result import KINDS, PicturePairs
from lookalike.flow.progress import Progress
from lookalike.io.file_names import as_text
from lookalike.notices import Notice
from lookalike.results.summary import Summary

LISTED = 20
"""The maximum number of warnings about single pictures. The table of pictures lists all."""


def find_copies(
    paths: Sequence[str | Path], *, threshold: float, keep: str, most: int, threads: int, progress: Progress
) -> PicturePairs:
    """Finds all pairs of copies among the pictures in these files and folders."""
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    files, collection = read_collection(paths, most=most, threads=threads, progress=progress)
    seconds["read"] = time.perf_counter() - began
    began = time.perf_counter()
    matches, candidates = find_matches(
        collection.thumbnails,
        [one.path for one in collection.pictures],
        threshold=min(threshold, NEARLY),
        threads=threads,
        progress=progress,
    )
    seconds["compare"] = time.perf_counter() - began
    began = time.perf_counter()
    equal = with_same_pixels(collection, matches, most=most, threads=threads)
    known = {(match.left, match.right) for match in matches}
    matches = [replace(one, similarity=1.0) if (one.left, one.right) in equal else one for one in matches]
    matches = [one for one in matches if one.similarity >= threshold]
    matches += [Match(*pair, 1.0, 0, 1.0) for pair in sorted(equal - known)]
    pictures = collection.pictures
    found = with_byte_copies(pictures, matches)
    first = [number if one.copy_of is None else one.copy_of for number, one in enumerate(pictures)]
    kinds = [
        KINDS[0] if same else KINDS[1 if tuple(sorted((first[one.left], first[one.right]))) in equal else 2]
        for one, same in found
    ]
    kept = choose(pictures, [(one.left, one.right) for one, _ in found], keep)
    seconds["exact copies"] = time.perf_counter() - began
    problems = [*files.problems, *(one.problem for one in pictures if one.problem is not None)]
    return PicturePairs(
        left_rows=np.array([one.left for one, _ in found], np.int64),
        right_rows=np.array([one.right for one, _ in found], np.int64),
        similarity=np.array([one.similarity for one, _ in found], np.float64),
        kind=pa.array(kinds, pa.string()),
        turned=np.array([one.turned for one, _ in found], np.int64),
        brightness=np.array([one.brightness for one, _ in found], np.float64),
        pictures=table_of_pictures(collection, kept),
        counts=counts_of(files, collection),
        threshold=threshold,
        name=as_text(", ".join(map(str, paths))),
        summary=Summary(
            documents=len(pictures),
            malformed=len(problems),
            candidates=candidates,
            pairs=len(found),
            seconds=seconds,
            warnings=tuple(warnings_of(problems)),
        ),
    )


def read_collection(
    paths: Sequence[str | Path], *, most: int, threads: int, progress: Progress, stage: str = "read"
) -> tuple[PictureFiles, Collection]:
    """Finds and reads the pictures in these files and folders."""
    files = find_files(paths)
    check_found(files, paths)
    return files, read_pictures(files, most=most, threads=threads, progress=progress, stage=stage)


def warnings_of(problems: Sequence[Notice]) -> list[Notice]:
    """Returns a warning per picture that could not be compared, or the first ones and the number of the others."""
    more = len(problems) - LISTED
    return [*problems[:LISTED], *([Notice("more-picture-problems", count=more)] if more > 0 else [])]


def counts_of(files: PictureFiles, collection: Collection) -> dict[str, int]:
    """Returns the numbers of files by what became of them."""
    thumbnails = collection.thumbnails
    detailed = set(thumbnails.picture[thumbnails.detailed].tolist())
    return {
        "others": files.others,
        "links": files.links,
        "problems": len(files.problems) + sum(one.problem is not None for one in collection.pictures),
        "plain": len(set(thumbnails.picture.tolist()) - detailed),
        "animated": sum(one.several for one in collection.pictures),
    }


def table_of_pictures(collection: Collection, kept: Sequence[int]) -> pa.Table:
    """Returns the table of pictures, including those that could not be compared."""
    pictures, thumbnails = collection.pictures, collection.thumbnails
    row_of = dict(zip(thumbnails.picture[::-1].tolist(), range(len(thumbnails) - 1, -1, -1), strict=True))
    rows = [row_of.get(number if one.copy_of is None else one.copy_of) for number, one in enumerate(pictures)]
    hashes = {}
    for name, function in (("dhash", difference_hashes), ("phash", frequency_hashes)):
        parts = [function(thumbnails.pixels[i : i + 1024]) for i in range(0, len(thumbnails), 1024)]
        every = np.concatenate([np.zeros(0, np.uint64), *parts])
        hashes[name] = pa.array([None if row is None else f"{every[row]:016x}" for row in rows], pa.string())
    detailed = thumbnails.detailed
    plain = set(thumbnails.picture.tolist()) - set(thumbnails.picture[detailed].tolist())
    names = [one.name for one in pictures]
    return pa.table(
        {
            "path": pa.array(map(as_text, names), pa.string()),
            "bytes": pa.array([one.bytes for one in pictures], pa.int64()),
            "width": pa.array([one.width or None for one in pictures], pa.int64()),
            "height": pa.array([one.height or None for one in pictures], pa.int64()),
            "format": pa.array([one.format or None for one in pictures], pa.string()),
            "keep": pa.array([kept[number] == number for number in range(len(pictures))], pa.bool_()),
            "kept": pa.array([as_text(names[one]) for one in kept], pa.string()),
            **hashes,
            "note": pa.array([_note(one, number in plain) for number, one in enumerate(pictures)], pa.string()),
            "file": pa.array([os.fsencode(one.path) for one in pictures], pa.binary()),
        }
    )


def _note(picture: Picture, plain: bool) -> str | None:
    if picture.problem is not None:
        return str(picture.problem)
    if picture.several:
        return "animated or several pages: only the first picture is compared"
    return "almost plain: compared only for exact copies" if plain else None
