"""Joins or searches opened vectors. Returns near `Pairs`, or `Matches` between queries and their neighbours."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyarrow as pa
import tomli_w

from lookalike.errors import MalformedInput
from lookalike.flow.progress import Progress, silent
from lookalike.io.vectors import Vectors
from lookalike.joins.pair_limit import too_many
from lookalike.joins.vectors import join_vectors
from lookalike.joins.vectors.bits import HammingBits, words_of
from lookalike.joins.vectors.input_checks import checked, places_of
from lookalike.joins.vectors.measures import Measure, Values
from lookalike.joins.vectors.nearest import nearest_rows
from lookalike.joins.vectors.plan import Method, SearchMethod
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.results.matches import Matches
from lookalike.results.pairs import MOST_PAIRS, Pairs
from lookalike.results.summary import Summary


def pairs_of(
    vectors: Vectors,
    measure: Measure,
    *,
    recall: float = 0.99,
    method: Method = "auto",
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Pairs:
    """Finds the pairs that reach the measure's bound.

    A pair at the bound is found with probability `recall` or more.
    """
    report = progress or silent
    report("join", 0, None)
    began = time.perf_counter()
    found = join_vectors(
        vectors.matrix,
        measure,
        recall=recall,
        method=method,
        seed=seed,
        threads=threads,
        name=vectors.name,
        progress=report,
    )
    option = "distance" if measure.is_distance else "threshold"
    rules = {"measure": measure.name, option: measure.bound, "recall": float(recall)}
    summary = Summary(
        documents=len(vectors),
        empty=found.empty,
        checked=found.checked,
        pairs=len(found.left),
        seconds={"join": time.perf_counter() - began},
        warnings=_warnings(vectors),
    )
    return Pairs(
        found.left,
        found.right,
        threshold=None if measure.is_distance else measure.bound,
        rows=len(vectors),
        ids=vectors.ids,
        summary=summary,
        measure=measure.name,
        **columns_of(measure, found.value, places_of(vectors.matrix, measure.on_bits)),
        greatest_distance=measure.bound if measure.is_distance else None,
        noun="vectors",
        how=str(found.plan.reason),
        rules=tomli_w.dumps(rules | found.plan.to_dict()),
    )


def join_bits(
    left: Vectors, right: Vectors | None, distance: int, *, threads: int = 1, progress: Progress | None = None
) -> Matches:
    """Finds all rows of packed bits that differ in at most `distance` places: between two collections, or within one.

    No pair is missed.
    """
    (progress or silent)("join", 0, None)
    began = time.perf_counter()
    measure = HammingBits(distance)
    one = checked(left.matrix, left.name, bits=True)
    two = one if right is None else checked(right.matrix, right.name, bits=True)
    places = [places_of(left.matrix, True), places_of((left if right is None else right).matrix, True)]
    if places[0] != places[1]:
        names = {"one": left.name, "other": "" if right is None else right.name}
        raise MalformedInput("bits-differ", left=places[0], right=places[1], **names)
    kernel, words = default(threads), words_of(one)
    others = None if right is None else words_of(two)
    try:
        near = kernel.pairs_within(words, others, measure.distance, most=MOST_PAIRS)
    except OverflowError:
        raise too_many(advice="choose-smaller-distance") from None
    value = measure.values(one, two, near.left, near.right, threads)
    blocks = kernel.plan_within(words, others, measure.distance)
    how = Notice("bits-in-blocks", agreeing=blocks.agreeing, count=blocks.blocks) if blocks.blocks else None
    summary = Summary(
        documents=len(left) if right is None else len(left) + len(right),
        checked=near.checked,
        pairs=len(near.left),
        seconds={"join": time.perf_counter() - began},
        warnings=_warnings(left) + (() if right is None else _warnings(right)),
    )
    return Matches(
        left_rows=near.left,
        right_rows=near.right,
        **columns_of(measure, value, places[0]),
        asked=f"hamming distance of {measure.distance} or less",
        noun="vectors",
        how=str(how or Notice("bits-all-compared")),
        left_total=len(left),
        right_total=len(two),
        left_ids=left.ids,
        right_ids=left.ids if right is None else right.ids,
        within=right is None,
        rules=tomli_w.dumps({"measure": "hamming", "distance": measure.distance}),
        summary=summary,
    )


def nearest_of(
    vectors: Vectors,
    queries: Vectors | None,
    measure: str,
    *,
    top: int = 10,
    recall: float = 0.9,
    method: SearchMethod = "auto",
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Matches:
    """Finds the `top` nearest vectors of each query; without queries, the nearest other vectors of each vector."""
    began = time.perf_counter()
    asking = vectors if queries is None else queries
    report = progress or silent
    report("search", 0, None)
    found = nearest_rows(
        vectors.matrix, asking.matrix, measure, top=top, recall=recall, method=method, seed=seed,
        threads=threads, within=queries is None, names=(vectors.name, asking.name), progress=report,
    )  # fmt: skip
    (query, row, value), built = found.neighbours, found.build_seconds
    plan, name = found.plan, found.plan.measure.name
    rules = {"measure": name, "top": int(top), "recall": float(recall)}
    summary = Summary(
        documents=len(vectors) if queries is None else len(vectors) + len(asking),
        checked=found.checked,
        pairs=len(query),
        seconds=({} if built is None else {"build": built}) | {"search": time.perf_counter() - began - (built or 0)},
        warnings=_warnings(vectors) + (() if queries is None else _warnings(queries)),
    )
    return Matches(
        left_rows=query,
        right_rows=row,
        **columns_of(plan.measure, value, places_of(vectors.matrix, plan.measure.on_bits)),
        asked=f"{name}, {'the nearest' if top == 1 else f'the {top} nearest'} of each",
        noun="vectors",
        how=str(plan.reason),
        recall=found.recall,
        left_total=len(asking),
        right_total=len(vectors),
        left_ids=asking.ids,
        right_ids=vectors.ids,
        within=queries is None,
        rules=tomli_w.dumps(rules | plan.to_dict()),
        summary=summary,
    )


def columns_of(measure: Measure, values: Values, places: int) -> dict[str, Any]:
    """Returns the result columns for these values: similarity, distance or both, depending on the measure."""
    if not measure.is_distance:
        return {"similarity": values}
    if measure.on_bits:  # similarity: the share of equal bits
        return {"similarity": 1 - values / places, "distance": values.astype(np.int64)}
    return {"similarity": None, "distance": values}


def _warnings(vectors: Vectors) -> tuple[Notice, ...]:
    """Returns the warnings from reading the vectors, and another one if ids are repeated."""
    ids = vectors.ids
    repeated = 0 if ids is None else len(ids) - len(pa.chunked_array([ids]).unique())
    if not repeated:
        return (*vectors.warnings,)
    return (*vectors.warnings, Notice("duplicate-ids", source=vectors.name, repeated=repeated, rows=len(vectors)))
