"""Finds the pictures of a collection that are nearest to query pictures: copies first, then similar features."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.apps.images.candidates import Candidates, probes_of, table_of
from lookalike.apps.images.collection import Collection
from lookalike.apps.images.descriptors import LENGTH
from lookalike.apps.images.find import counts_of, read_collection, warnings_of
from lookalike.apps.images.matching import (
    accepted,
    agrees_in_detail,
    best_matches,
    cases_of,
    measure,
    stretched,
)  # fmt: skip
from lookalike.apps.images.result import NearestPictures
from lookalike.apps.images.sheets import Sheets
from lookalike.apps.images.thumbnails import Thumbnails
from lookalike.flow.progress import Progress
from lookalike.io.file_names import as_text
from lookalike.results.summary import Summary

SPARE = 30
"""How many more pictures than asked for are compared: copies among them are listed first."""


def find_nearest(
    paths: Sequence[str | Path],
    queries: Sequence[str | Path],
    *,
    top: int,
    threshold: float,
    most: int,
    threads: int,
    progress: Progress,
) -> NearestPictures:
    """Finds the `top` pictures that are nearest to each query."""
    began = time.perf_counter()
    files, stored = read_collection(paths, most=most, threads=threads, progress=progress)
    asked_files, asked = read_collection(queries, most=most, threads=threads, progress=progress, stage="read queries")
    seconds = {"read": time.perf_counter() - began}
    began = time.perf_counter()
    rows: list[dict[str, Any]] = []
    usable = np.flatnonzero(stored.thumbnails.detailed)
    table = table_of(stored.thumbnails, usable)
    copies: dict[int, list[int]] = defaultdict(list)
    for number, one in enumerate(stored.pictures):
        if one.copy_of is not None:
            copies[one.copy_of].append(number)
    for number, query in enumerate(asked.pictures):
        if query.problem is None:
            source = number if query.copy_of is None else query.copy_of
            near = _nearest(asked, source, stored, usable, table, copies, top, threshold, threads)
            for rank, (picture, features, similarity, kind) in enumerate(near, 1):
                rows.append(
                    {
                        "query": as_text(query.name), "picture": as_text(stored.pictures[picture].name), "rank": rank,
                        "features": features, "similarity": similarity, "kind": kind,
                        "query_file": os.fsencode(query.path), "file": os.fsencode(stored.pictures[picture].path),
                    }
                )  # fmt: skip
    seconds["search"] = time.perf_counter() - began
    kinds: dict[str, pa.DataType] = {"rank": pa.int64(), "features": pa.float64(), "similarity": pa.float64()}
    kinds |= {"query_file": pa.binary(), "file": pa.binary()}
    names = ("query", "picture", "rank", "features", "similarity", "kind", "query_file", "file")
    problems = [
        *files.problems, *asked_files.problems,
        *(one.problem for one in (*stored.pictures, *asked.pictures) if one.problem is not None),
    ]  # fmt: skip
    return NearestPictures(
        table=pa.table({name: pa.array([row[name] for row in rows], kinds.get(name, pa.string())) for name in names}),
        counts=counts_of(files, stored) | {"queries": len(asked.pictures)},
        name=as_text(", ".join(map(str, paths))),
        summary=Summary(
            documents=len(stored.pictures) + len(asked.pictures),
            malformed=len(problems),
            pairs=len(rows),
            seconds=seconds,
            warnings=tuple(warnings_of(problems)),
        ),
    )


def _nearest(
    asked: Collection,
    query: int,
    stored: Collection,
    usable: Any,
    table: Any,
    copies: Mapping[int, Sequence[int]],
    top: int,
    threshold: float,
    threads: int,
) -> list[tuple[int, float, float | None, str]]:
    """Returns the nearest pictures of one query: number, cosine, similarity (None unless a copy) and kind."""
    own = np.flatnonzero((asked.thumbnails.picture == query) & asked.thumbnails.detailed)
    if not len(own):  # almost plain: it has no features
        every = [number for number, one in enumerate(stored.pictures) if one.problem is None]
        same = sorted(_same_bytes(asked.pictures[query].path, stored, every))[:top]
        return [(number, 1.0, 1.0, "bytes") for number in same]
    best = np.full(len(stored.pictures), -2.0 * LENGTH * LENGTH)
    how = np.zeros((len(stored.pictures), 4), np.int64)  # the rows of both thumbnails, turns and crop
    for row in own.tolist():
        pixels = asked.thumbnails.pixels[[row]]
        for turns in range(4):
            probes = list(probes_of(np.rot90(pixels, turns, axes=(1, 2))))
            products = np.concatenate([vectors for _, vectors in probes]) @ table.T
            best_probe = products.argmax(axis=0)
            crop = np.array([number for number, _ in probes])[best_probe]
            highest = products[best_probe, np.arange(len(usable))]
            for at in np.flatnonzero(highest > best[stored.thumbnails.picture[usable]]).tolist():
                picture = int(stored.thumbnails.picture[usable[at]])
                if highest[at] > best[picture]:
                    best[picture], how[picture] = highest[at], (row, usable[at], turns, crop[at])
    order = [one for one in np.argsort(-best, kind="stable").tolist() if best[one] > -2.0 * LENGTH * LENGTH]
    some = order[: top + SPARE]
    paths = {0: asked.pictures[query].path} | {one + 1: stored.pictures[one].path for one in some}
    similarity = _similarities(asked.thumbnails, stored.thumbnails, how[some], paths, threshold, threads)
    exact = _same_bytes(asked.pictures[query].path, stored, some)
    found = []
    for picture in some:
        features = round(float(best[picture]) / LENGTH**2, 4)
        kind = "bytes" if picture in exact else "near" if picture in similarity else "other"
        alike = 1.0 if picture in exact else similarity.get(picture)
        found += [(number, features, alike, kind) for number in (picture, *copies.get(picture, ()))]
    found.sort(key=lambda one: (one[3] == "other", -(one[2] or 0), -one[1], one[0]))
    return found[:top]


def _same_bytes(query: Path, stored: Collection, some: Sequence[int]) -> set[int]:
    try:
        data = query.read_bytes()
        same = [one for one in some if stored.pictures[one].bytes == len(data)]
        return {one for one in same if stored.pictures[one].path.read_bytes() == data}
    except OSError:
        return set()


def _similarities(
    asked: Thumbnails, stored: Thumbnails, how: Any, paths: Mapping[int, Path], threshold: float, threads: int
) -> dict[int, float]:
    """Returns the similarity of the copies among some stored pictures, by number.

    `paths` are those of the query, with number 0, and of the stored pictures, whose numbers are one higher.
    """
    if not len(how):
        return {}
    sources, targets = np.unique(how[:, 0]), np.unique(how[:, 1])
    queries = np.flatnonzero(np.isin(asked.picture, asked.picture[sources]))
    others = np.flatnonzero(np.isin(stored.picture, stored.picture[targets]))
    parts = [(asked, queries), (stored, others)]
    columns = {
        name: np.concatenate([getattr(one, name)[rows] for one, rows in parts])
        for name in ("pixels", "ground", "width", "height")
    }
    both = Thumbnails(picture=np.concatenate([0 * queries, stored.picture[others] + 1]), **columns)
    source = np.searchsorted(queries, how[:, 0])
    target = len(queries) + np.searchsorted(others, how[:, 1])
    cases = cases_of(both, Candidates(source, target, how[:, 2], how[:, 3], np.ones(len(how), np.int64)))
    likeness = measure(both, cases, threads)
    good = accepted(likeness, threshold, stretched(both, cases))
    good &= agrees_in_detail(both, Sheets(paths), cases, likeness, good, threads)
    return {match.right - 1: match.similarity for match in best_matches(both, cases, likeness, good)}
