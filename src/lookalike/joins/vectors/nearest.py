"""Finds the nearest vectors of each query, which is compared with all vectors, those in its buckets, or in some lists.

The cheapest method is chosen. Because the distances of neighbours are not known in advance, the true neighbours of a
sample of queries are found first. The number of bands, or of the lists to search, is chosen such that enough of these
neighbours would be found, and the recall is later measured on them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress, silent
from lookalike.joins.pair_limit import refuse_too_many
from lookalike.joins.vectors.dense import Cosine, Euclidean
from lookalike.joins.vectors.input_checks import checked, places_of
from lookalike.joins.vectors.inverted import InvertedFile, build_cost, lists_for, search_cost
from lookalike.joins.vectors.measure_names import DISTANCES, SIMILARITIES, check_name
from lookalike.joins.vectors.measures import Matrix, Measure, Values
from lookalike.joins.vectors.plan import (
    MOST_BANDS,
    MOST_KEYS,
    SORT,
    STARTUP,
    SearchMethod,
    VectorPlan,
    check_options,
    quantiles,
    random_values,
)
from lookalike.joins.vectors.scores import Scorer, Side, scorer
from lookalike.joins.vectors.single_precision import (
    from_middle,
    lengths_of,
    margin,
    padded,
    slack,
    squares_of,
)
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel

SAMPLE = 256
"""The number of sampled queries, whose true neighbours are found first."""

SELECT = 0.4
"""The cost, in nanoseconds per score, of selecting the nearest rows from all scores (see `Cost`)."""

QUERIES, ROWS = 8192, 2048
"""The maximum number of queries per block, and of rows per block. Each block of rows is prepared once per block of
queries."""

AT_ONCE = 512
"""The number of queries that are scored at a time. Their scores are read again while they are in the cache."""

WAITING, MOST_WAITING = 1 << 10, 1 << 24
"""The number of candidates kept before they are pruned: per query, in addition to 2 · top; and in total, per block of
queries.
"""

MOST_NEIGHBOURS = 1 << 20
"""The maximum value of `top`."""


class Neighbours(NamedTuple):
    """Pairs of a query and a row with their values, ordered by query, then nearest first.

    Ties go to the earlier row.
    """

    query: Rows
    row: Rows
    value: Values


@dataclass(frozen=True, eq=False)
class Found:
    """The neighbours, and the plan with which they were found."""

    neighbours: Neighbours
    plan: VectorPlan
    checked: int
    recall: float | None = None
    """The share of the sample's true neighbours that were found; None if all rows were compared."""
    build_seconds: float | None = None
    """The time that building the inverted file took, if there is one, including the search for true neighbours."""


def nearest_rows(
    vectors: Any,
    queries: Any,
    measure: str,
    *,
    top: int = 10,
    recall: float = 0.9,
    method: SearchMethod = "auto",
    seed: int = 0,
    threads: int = 1,
    within: bool = False,
    names: tuple[str, str] = ("the vectors given", "the queries given"),
    progress: Progress = silent,
) -> Found:
    """Finds the `top` nearest rows of each query. On average, at least the share `recall` of them is found.

    With `within`, queries and vectors are the same table, and no row is its own neighbour.
    """
    name = check_name(measure)
    asked: Measure = (SIMILARITIES | DISTANCES)[name](1)  # the bound is not used
    check_search(top, recall, seed, method)
    top, recall = int(top), float(recall)
    x, y = (checked(table, label, bits=asked.on_bits) for table, label in zip((vectors, queries), names, strict=True))
    for table, label in zip((x, y), names, strict=True):
        asked.check(table, label)
    one, two = (places_of(table, asked.on_bits) for table in (vectors, queries))
    if one != two:
        raise MalformedInput("dimensions-differ", one=names[0], left=one, other=names[1], right=two)
    if x.dtype != y.dtype:
        x, y = x.astype(np.float64), y.astype(np.float64)
    refuse_too_many(len(y) * min(top, len(x)), "choose-fewer-neighbours")
    top += within  # one neighbour is the row itself
    plan = VectorPlan(asked, recall, seed=seed, brute_cost=len(x) * len(y) * (asked.cost(x).compare + SELECT))
    hashable = isinstance(asked, Cosine | Euclidean) and recall < 1 and len(x) > top
    if method in ("lsh", "ivf") and not hashable:
        code = "lsh-not-applicable" if method == "lsh" else "ivf-not-applicable"
        raise InvalidOption(code, measure=name, recall=recall)
    if not hashable or method == "exact" or not len(y) or (len(y) <= 3 * SAMPLE and method == "auto"):
        return Found(
            _without_itself(every_row(x, y, asked, top, threads, progress), top, within), plan, len(x) * len(y)
        )
    began = time.perf_counter()
    sample = np.unique(np.linspace(0, len(y) - 1, min(SAMPLE, len(y))).astype(np.int64))
    near = every_row(x, y[sample], asked, top, threads)
    truth = _without_itself(near._replace(query=sample[near.query]), top, within)
    if method != "ivf":
        plan = resolve(plan, x, y, truth, top, method)
    file = None
    if method in ("auto", "ivf"):
        plan, file = with_lists(plan, x, y, truth, method, threads)
    built = None if file is None else time.perf_counter() - began
    if plan.exact:
        return Found(
            _without_itself(every_row(x, y, plan.measure, top, threads, progress), top, within), plan, len(x) * len(y)
        )
    searched = _from_buckets(x, y, plan, top, threads) if file is None else file.nearest(y, top, threads, progress)
    found, compared = completed(searched, x, y, plan.measure, top, threads)
    found = _without_itself(found, top, within)
    hit = np.isin(truth.row + truth.query * len(x), found.row + found.query * len(x))
    return Found(found, plan, compared, float(hit.mean()), built)


def _without_itself(found: Neighbours, top: int, within: bool) -> Neighbours:
    """Removes each query from its own neighbours if `within` is True. `top` is then one more than was requested."""
    if not within:
        return found
    others = found.query != found.row
    query, row, value = (column[others] for column in found)
    few = np.arange(len(query)) - np.searchsorted(query, query, "left") < top - 1
    return Neighbours(query[few], row[few], value[few])


def check_search(top: Any, recall: Any, seed: Any, method: Any) -> None:
    """Raises an error if an option of a search is invalid."""
    check_whole("top", int(top) if isinstance(top, np.integer) else top, 1, MOST_NEIGHBOURS)
    check_options(recall, seed, method, SearchMethod)


# Compare all rows


def every_row(
    vectors: Matrix, queries: Matrix, measure: Measure, top: int, threads: int, progress: Progress = silent
) -> Neighbours:
    """Finds the exact nearest rows of each query. One block of queries is compared with one block of rows at a time."""
    scoring = scorer(measure, vectors)
    parts = []
    step = max(1, min(QUERIES, MOST_WAITING // most_waiting(top)))
    for first in range(0, len(queries), step):
        block = np.asarray(queries[first : first + step])

        def best(query: Rows, row: Rows, block: Matrix = block) -> Neighbours:
            return _best(Neighbours(query, row, measure.values(block, vectors, query, row, threads)), measure, top)

        found = best(*_candidates(scoring.prepare(block), vectors, scoring, top, threads, best))
        parts.append(found._replace(query=found.query + first))
        progress("search", first + len(block), len(queries))
    return _concatenated(parts)


def most_waiting(top: int) -> int:
    """Returns the number of candidates kept per query, on average, before they are pruned."""
    return 2 * top + WAITING


def _candidates(
    queries: Side, vectors: Matrix, scoring: Scorer, top: int, threads: int, best: Callable[[Rows, Rows], Neighbours]
) -> tuple[Rows, Rows]:
    """Finds every row that may be among the `top` nearest of a query, given the errors of the scores.

    Returns the queries and the rows.

    If too many rows remain because their scores are nearly equal, `best` selects the nearest so far by exact values.
    """
    scores = default(threads).top_scores(queries.margins, top)
    most = most_waiting(top) * len(queries.values)
    for start in range(0, len(vectors), ROWS):
        rows = scoring.prepare(np.asarray(vectors[start : start + ROWS]))
        for first in range(0, len(queries.values), AT_ONCE):
            some = Side(*(column[first : first + AT_ONCE] for column in queries))
            scores.add(scoring.score(some, rows), rows.margins, first=first, first_row=start)
        if scores.waiting > most:
            found = scores.remaining()
            if len(found[0]) > most // 2:
                kept = best(*found)
                order = np.lexsort((kept.row, kept.query))
                scores.keep(kept.query[order], kept.row[order])
    return scores.remaining()


def _best(found: Neighbours, measure: Measure, top: int) -> Neighbours:
    far = found.value if measure.is_distance else -found.value
    order = np.lexsort((found.row, far, found.query))
    query = found.query[order]
    here = order[np.arange(len(order)) - np.searchsorted(query, query, "left") < top]
    return Neighbours(found.query[here], found.row[here], found.value[here])


def _concatenated(parts: list[Neighbours]) -> Neighbours:
    nothing = Neighbours(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return Neighbours(*(np.concatenate(column) for column in zip(nothing, *parts, strict=True)))


# Compare rows that share a bucket, or rows of some lists


def resolve(
    plan: VectorPlan, vectors: Matrix, queries: Matrix, truth: Neighbours, top: int, method: SearchMethod
) -> VectorPlan:
    """Returns the cheapest plan that finds the share `recall` of the neighbours, if the sample is representative."""
    measure = plan.measure
    if isinstance(measure, Euclidean):  # the width of bins depends on the distance of neighbours
        measure = Euclidean(max(float(np.median(truth.value)), 1e-9 * float(truth.value.max()), 1e-100))
        plan = replace(plan, measure=measure)
    near = quantiles(measure.distances(truth.value))
    far = quantiles(measure.distances(random_values(measure, vectors, queries, plan.seed)))
    best = min(_plans(plan, vectors, len(queries), near, far), key=lambda one: one.hashed_cost, default=plan)
    if method == "lsh" and best.exact:
        raise InvalidOption("lsh-out-of-reach", recall=plan.recall)
    chosen = best if best.hashed_cost < plan.brute_cost or method == "lsh" else plan
    return replace(chosen, hashed_cost=best.hashed_cost)


def _plans(plan: VectorPlan, vectors: Matrix, queries: int, near: Values, far: Values) -> Iterator[VectorPlan]:
    cost = plan.measure.cost(vectors)
    n = len(vectors)
    aim = aimed(plan.recall)
    for family in plan.measure.families(vectors):
        of_near, of_far = (np.array([family.chance_at(float(x)).hit for x in values]) for values in (near, far))
        for rows in range(1, 33):
            bands = _enough_bands(of_near**rows, aim, min(MOST_BANDS, MOST_KEYS // (n + queries)))
            if bands is None:
                break
            colliding = n * queries * float(np.mean(of_far**rows))
            fetched = min(n * cost.fetch, colliding * cost.fetch)
            total = STARTUP + (n + queries) * cost.prepare
            total += bands * ((n + queries) * (rows * cost.function + SORT) + fetched + colliding * cost.meet)
            yield replace(plan, base=family, rows=rows, bands=bands, hashed_cost=total)


def aimed(recall: float) -> float:
    """Returns the share of the sample's neighbours to find: a little more than `recall`, because of sampling errors."""
    return recall + (1 - recall) / 4


def _enough_bands(once: Values, aim: float, most: int) -> int | None:
    """Returns the minimum number of bands that finds the share `aim` of pairs; None if it is greater than `most`.

    `once` contains, for each pair, the probability that it is found in one band.
    """

    def share(bands: int) -> float:
        return float(np.mean(-np.expm1(bands * np.log1p(-np.minimum(once, 1 - 1e-15)))))

    if share(most) < aim:
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if share(middle) >= aim else (middle, high)
    return high


def with_lists(
    plan: VectorPlan, vectors: Matrix, queries: Matrix, truth: Neighbours, method: SearchMethod, threads: int
) -> tuple[VectorPlan, InvertedFile | None]:
    """Builds an inverted file and tunes it to the recall, if `method` asks for it or if it is faster than the plan.

    How many lists a query must search is only known once they are built. So the file is built if that takes at most a
    quarter of the time of the plan: if it is then not used, little is lost.
    """
    n, cost, other = len(vectors), plan.measure.cost(vectors), min(plan.brute_cost, plan.hashed_cost)
    counts = [lists_for(n, factor) for factor in (4, 2, 1)]
    if method == "auto":
        counts = [count for count in counts if build_cost(n, count, cost) < other / 4]
    if not counts:
        return plan, None
    asked, query = np.unique(truth.query, return_inverse=True)
    file = InvertedFile.of(vectors, plan.measure, counts[0], plan.seed, threads)
    file, share = file.tuned(queries[asked], query, truth.row, aimed(plan.recall), threads)
    searching = search_cost(n, len(queries), counts[0], share, cost)
    if method == "auto" and searching >= other:
        return plan, None
    total = build_cost(n, counts[0], cost) + searching
    chosen = replace(plan, base=None, rows=0, bands=0, lists=counts[0], compared=share, listed_cost=total)
    return chosen, file


def completed(
    found: kernel.Nearest, vectors: Matrix, queries: Matrix, measure: Measure, top: int, threads: int
) -> tuple[Neighbours, int]:
    """Compares queries with all rows if fewer than `top` were found. Also returns the number of comparisons."""
    met = found.rows >= 0
    complete = np.asarray(met.all(axis=1))
    query, place = np.nonzero(met)
    far = found.far[query, place]
    near = Neighbours(query, found.rows[query, place], far if measure.is_distance else -far)
    lacking = np.flatnonzero(~complete)
    if not len(lacking):
        return near, found.checked
    stay = complete[near.query]
    kept = Neighbours(near.query[stay], near.row[stay], near.value[stay])
    rest = every_row(vectors, queries[lacking], measure, top, threads)
    both = _concatenated([kept, rest._replace(query=lacking[rest.query])])
    return _best(both, measure, top), found.checked + len(lacking) * len(vectors)


def _from_buckets(vectors: Matrix, queries: Matrix, plan: VectorPlan, top: int, threads: int) -> kernel.Nearest:
    """Finds, for each query, the nearest rows that share a bucket with it."""
    measure, base = plan.measure, plan.base
    assert base is not None
    if isinstance(measure, Euclidean):
        scaled = from_middle(vectors, measure.distance)
        one, two = (
            kernel.Table(padded(x, scaled), slack(lengths_of(x, scaled)).astype(np.float32)) for x in (vectors, queries)
        )
    else:
        one, two = measure.table(vectors), measure.table(queries)
    a, b = (
        measure.keys(x, table, base, plan.bands, plan.rows, plan.seed, threads)
        for x, table in ((vectors, one), (queries, two))
    )
    if isinstance(measure, Euclidean):
        scale = (1 + margin(one.values.shape[1])) / measure.distance
        return default(threads).nearest_by_distance((one, two), (a, b), (vectors, queries), scale=scale, top=top)
    squares = tuple(squares_of(x, np.arange(len(x), dtype=np.int64), threads) for x in (vectors, queries))
    lost = 2 * margin(one.values.shape[1])
    return default(threads).nearest_by_cosine(
        (one, two), (a, b), (vectors, queries), (squares[0], squares[1]), margin=lost, top=top
    )


__all__ = ["Found", "Neighbours", "every_row", "nearest_rows"]
