"""Vectors and queries → the nearest few of each query: all compared, or those that share a bucket, by predicted cost.

How near neighbours are is not known beforehand, so the true ones of a sample of queries are found first. They say how
many bands it takes, and afterwards what share of them was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.families import Family
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress, silent
from lookalike.joins.pair_limit import refuse_too_many
from lookalike.joins.vectors.dense import Cosine, Euclidean
from lookalike.joins.vectors.input_checks import checked, places_of
from lookalike.joins.vectors.measure_names import DISTANCES, SIMILARITIES, check_name
from lookalike.joins.vectors.measures import Matrix, Measure, Values
from lookalike.joins.vectors.plan import (
    BEGIN,
    MOST_BANDS,
    MOST_KEYS,
    SORT,
    Method,
    VectorPlan,
    check_options,
    drawn,
    quantiles,
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
"""Queries whose true neighbours are looked for first."""

PICK = 4.0
"""Nanoseconds, like those of `Cost`: finding the nearest among the scores of all."""

QUERIES, ROWS = 2048, 4096
"""Sizes of a block."""

WAITING, MOST_WAITING = 1 << 10, 1 << 24
"""Rows that wait to be told apart: of a query besides twice those that are looked for, and of a block of queries."""


MOST_NEIGHBOURS = 1 << 20


class Neighbours(NamedTuple):
    """Pairs of a query and a row, query by query, the nearest first, ties in order of rows; and how near they are."""

    query: Rows
    row: Rows
    value: Values


@dataclass(frozen=True, eq=False)
class Found:
    """What was found, and how."""

    neighbours: Neighbours
    plan: VectorPlan
    checked: int
    recall: float | None = None
    """The share of the sample's true neighbours that was found, where not all were compared."""


def nearest_rows(
    vectors: Any,
    queries: Any,
    measure: str,
    *,
    top: int = 10,
    recall: float = 0.9,
    method: Method = "auto",
    seed: int = 0,
    threads: int = 1,
    within: bool = False,
    names: tuple[str, str] = ("the vectors given", "the queries given"),
    progress: Progress = silent,
) -> Found:
    """Of each query the `top` nearest rows, of which the share `recall` is found at least.

    With `within`, queries and vectors are the same, and no row is its own neighbour.
    """
    name = check_name(measure)
    asked: Measure = (SIMILARITIES | DISTANCES)[name](1)  # no bound is looked at
    check_way(top, recall, seed, method)
    top, recall = int(top), float(recall)
    x, y = (checked(table, said, bits=asked.on_bits) for table, said in zip((vectors, queries), names, strict=True))
    for table, said in zip((x, y), names, strict=True):
        asked.check(table, said)
    one, two = (places_of(table, asked.on_bits) for table in (vectors, queries))
    if one != two:
        raise MalformedInput("dimensions-differ", one=names[0], left=one, other=names[1], right=two)
    if x.dtype != y.dtype:
        x, y = x.astype(np.float64), y.astype(np.float64)
    refuse_too_many(len(y) * min(top, len(x)), "choose-fewer-neighbours")
    top += within  # one of them will be the row itself
    plan = VectorPlan(asked, recall, seed=seed, brute_cost=len(x) * len(y) * (asked.cost(x).compare + PICK))
    hashable = isinstance(asked, Cosine | Euclidean) and recall < 1 and len(x) > top
    if method == "lsh" and not hashable:
        raise InvalidOption("lsh-not-applicable", measure=name, recall=recall)
    if not hashable or method == "exact" or not len(y) or (len(y) <= 3 * SAMPLE and method == "auto"):
        return Found(_others(every_row(x, y, asked, top, threads, progress), top, within), plan, len(x) * len(y))
    sample = np.unique(np.linspace(0, len(y) - 1, min(SAMPLE, len(y))).astype(np.int64))
    near = every_row(x, y[sample], asked, top, threads)
    truth = _others(near._replace(query=sample[near.query]), top, within)
    plan = resolve(plan, x, y, truth, top, method)
    if plan.exact:
        return Found(_others(every_row(x, y, plan.measure, top, threads, progress), top, within), plan, len(x) * len(y))
    found, compared = hashed_rows(x, y, plan, top, threads)
    found = _others(found, top, within)
    hit = np.isin(truth.row + truth.query * len(x), found.row + found.query * len(x))
    return Found(found, plan, compared, float(hit.mean()))


def _others(found: Neighbours, top: int, within: bool) -> Neighbours:
    """The neighbours of each row but itself; it was looked for one more than that."""
    if not within:
        return found
    others = found.query != found.row
    query, row, value = (column[others] for column in found)
    few = np.arange(len(query)) - np.searchsorted(query, query, "left") < top - 1
    return Neighbours(query[few], row[few], value[few])


def check_way(top: Any, recall: Any, seed: Any, method: Any) -> None:
    check_whole("top", int(top) if isinstance(top, np.integer) else top, 1, MOST_NEIGHBOURS)
    check_options(recall, seed, method)


# All compared


def every_row(
    vectors: Matrix, queries: Matrix, measure: Measure, top: int, threads: int, progress: Progress = silent
) -> Neighbours:
    """The nearest of each query, exactly, a block of queries with a block of rows at a time."""
    how = scorer(measure, vectors)
    parts = []
    step = max(1, min(QUERIES, MOST_WAITING // most_waiting(top)))
    for first in range(0, len(queries), step):
        block = np.asarray(queries[first : first + step])

        def best(query: Rows, row: Rows, block: Matrix = block) -> Neighbours:
            return _best(Neighbours(query, row, measure.values(block, vectors, query, row, threads)), measure, top)

        found = best(*_candidates(how.prepare(block), vectors, how, top, best))
        parts.append(found._replace(query=found.query + first))
        progress("search", first + len(block), len(queries))
    return _together(parts)


def most_waiting(top: int) -> int:
    """Rows that wait, for each query, until those are left out that cannot be among its nearest."""
    return 2 * top + WAITING


def _candidates(
    queries: Side, vectors: Matrix, how: Scorer, top: int, best: Callable[[Rows, Rows], Neighbours]
) -> tuple[Rows, Rows]:
    """Queries and rows that may be among their nearest: not worse than the `top`-th of those that are sure to be.

    Where scores cannot tell too many rows apart, as equal ones, `best` says which are nearest so far.
    """
    bar = np.full(len(queries.values), -np.inf, queries.values.dtype)
    kept = [(np.zeros(0, np.int64), np.zeros(0, np.int64), bar[:0], bar[:0])]  # query, row, score at most and at least
    waiting = 0
    for start in range(0, len(vectors), ROWS):
        rows = how.prepare(np.asarray(vectors[start : start + ROWS]))
        most = how.score(queries, rows)
        most += rows.margins
        if start == 0 and len(rows.values) > top:
            few = max(1024, 4 * top)
            bar = np.partition(most[:, :few] - 2 * rows.margins[:few], -top, axis=1)[:, -top] - 2 * queries.margins
        query, row = np.nonzero(most >= bar[:, None])
        kept.append((query, row + start, most[query, row], most[query, row] - 2 * rows.margins[row]))
        waiting += len(query)
        if waiting > most_waiting(top) * len(bar):
            kept = [_above_the_bar(kept, bar, queries.margins, top)]
            if len(kept[0][0]) > most_waiting(top) * len(bar) // 2:
                kept = [_only(kept[0], best(*kept[0][:2]), len(vectors))]
            waiting = len(kept[0][0])
    query, row, *_ = (np.concatenate(column) for column in zip(*kept, strict=True))
    return query, row


def _above_the_bar(kept: list[Any], bar: Any, margins: Any, top: int) -> Any:
    """Raises the bar to the `top`-th best of each query so far, and leaves out what is below it now."""
    query, row, most, least = (np.concatenate(column) for column in zip(*kept, strict=True))
    order = np.lexsort((-least, query))
    place = np.arange(len(order)) - np.searchsorted(query[order], query[order], "left")
    last = order[place == top - 1]
    bar[query[last]] = np.maximum(bar[query[last]], least[last] - 2 * margins[query[last]])
    stay = most >= bar[query]
    return query[stay], row[stay], most[stay], least[stay]


def _only(kept: Any, best: Neighbours, rows: int) -> Any:
    stay = np.isin(kept[0] * rows + kept[1], best.query * rows + best.row)
    return tuple(column[stay] for column in kept)


def _best(found: Neighbours, measure: Measure, top: int) -> Neighbours:
    far = found.value if measure.is_distance else -found.value
    order = np.lexsort((found.row, far, found.query))
    query = found.query[order]
    here = order[np.arange(len(order)) - np.searchsorted(query, query, "left") < top]
    return Neighbours(found.query[here], found.row[here], found.value[here])


def _together(parts: list[Neighbours]) -> Neighbours:
    nothing = Neighbours(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return Neighbours(*(np.concatenate(column) for column in zip(nothing, *parts, strict=True)))


# Hashed


def resolve(
    plan: VectorPlan, vectors: Matrix, queries: Matrix, truth: Neighbours, top: int, method: Method
) -> VectorPlan:
    """The cheapest way that finds the share `recall` of neighbours like those of the sample."""
    measure = plan.measure
    if isinstance(measure, Euclidean):  # lines are cut into bins by how far neighbours are
        measure = Euclidean(max(float(np.median(truth.value)), 1e-9 * float(truth.value.max()), 1e-100))
        plan = replace(plan, measure=measure)
    near = quantiles(measure.distances(truth.value))
    far = quantiles(measure.distances(drawn(measure, vectors, queries, plan.seed)))
    best = min(_ways(plan, vectors, len(queries), near, far), key=lambda way: way.hashed_cost, default=plan)
    if method == "lsh" and best.exact:
        raise InvalidOption("lsh-out-of-reach", recall=plan.recall)
    chosen = best if best.hashed_cost < plan.brute_cost or method == "lsh" else plan
    return replace(chosen, hashed_cost=best.hashed_cost)


def _ways(plan: VectorPlan, vectors: Matrix, queries: int, near: Values, far: Values) -> Iterator[VectorPlan]:
    cost = plan.measure.cost(vectors)
    n = len(vectors)
    aim = plan.recall + (1 - plan.recall) / 4  # a sample is not all of them
    for family in plan.measure.families(vectors):
        of_near, of_far = (np.array([family.chance_at(float(x)).hit for x in values]) for values in (near, far))
        for rows in range(1, 33):
            bands = _enough_bands(of_near**rows, aim, min(MOST_BANDS, MOST_KEYS // (n + queries)))
            if bands is None:
                break
            meeting = n * queries * float(np.mean(of_far**rows))
            fetched = min(n * cost.fetch, meeting * cost.fetch)
            total = BEGIN + (n + queries) * cost.prepare
            total += bands * ((n + queries) * (rows * cost.function + SORT) + fetched + meeting * cost.meet)
            yield replace(plan, base=family, rows=rows, bands=bands, hashed_cost=total)


def _enough_bands(once: Values, aim: float, most: int) -> int | None:
    """The least number of bands in which the share `aim` meets, of pairs that meet in one with these probabilities."""

    def share(bands: int) -> float:
        return float(np.mean(-np.expm1(bands * np.log1p(-np.minimum(once, 1 - 1e-15)))))

    if share(most) < aim:
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if share(middle) >= aim else (middle, high)
    return high


def hashed_rows(vectors: Matrix, queries: Matrix, plan: VectorPlan, top: int, threads: int) -> tuple[Neighbours, int]:
    """Those that share a bucket; a query that has too few is compared with all rows."""
    measure, base = plan.measure, plan.base
    assert base is not None
    found = _from_buckets(vectors, queries, plan, base, top, threads)
    met = found.rows >= 0
    whole = np.asarray(met.all(axis=1))
    query, place = np.nonzero(met)
    far = found.far[query, place]
    near = Neighbours(query, found.rows[query, place], far if measure.is_distance else -far)
    lacking = np.flatnonzero(~whole)
    if not len(lacking):
        return near, found.checked
    stay = whole[near.query]
    kept = Neighbours(near.query[stay], near.row[stay], near.value[stay])
    rest = every_row(vectors, queries[lacking], measure, top, threads)
    both = _together([kept, rest._replace(query=lacking[rest.query])])
    return _best(both, measure, top), found.checked + len(lacking) * len(vectors)


def _from_buckets(
    vectors: Matrix, queries: Matrix, plan: VectorPlan, base: Family, top: int, threads: int
) -> kernel.Nearest:
    measure = plan.measure
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
