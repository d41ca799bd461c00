"""The verbs: data in, answers out. Each builds a plan, opens the source and hands both to an engine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from lookalike.engines import engine
from lookalike.errors import InvalidOption
from lookalike.flow import Shingling, parse_shingling
from lookalike.flow.progress import Progress, silent
from lookalike.io.description import reopen
from lookalike.planning.plan import Goal, Plan, ResolvedPlan
from lookalike.requests.options import (
    OF_RIGHT,
    READING,
    AuditOptions,
    ContaminationOptions,
    JoinOptions,
    Options,
    PlanOptions,
    VectorOptions,
    plan_from,
    shingles_of_join,
    vector_options,
)
from lookalike.results import Clusters, Joined, Pairs
from lookalike.run import begin, check_path, is_source, source_of

# What only some verbs need is imported by these: `find_pairs` on a small file is mostly imports.
if TYPE_CHECKING:
    from lookalike.frequent import BasketOptions, FrequentPairs, Method
    from lookalike.results import Deduped
    from lookalike.text.comparison import Comparison
    from lookalike.trust.audit import Audit
    from lookalike.trust.contamination import Contamination
    from lookalike.trust.forecast import Forecast


@overload
def find_pairs(data: Any, *, measure: None = None, **options: Unpack[Options]) -> Pairs: ...
@overload
def find_pairs(
    data: Any,
    *,
    measure: str,
    threshold: float | str | None = None,
    distance: float | str | None = None,
    **options: Unpack[VectorOptions],
) -> Joined: ...


def find_pairs(data: Any, *, measure: str | None = None, **options: Any) -> Pairs | Joined:
    """Every pair of similar documents, or of near vectors, with its exact similarity or distance.

    `data` is a list of texts or of token lists, a table (pandas, Polars, pyarrow, DuckDB …), a path, a glob, a
    folder, a URL or "-". A pair at the threshold is found with probability `recall`, more similar ones with more;
    every pair returned was verified.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> find_pairs(texts, threshold=0.8, shingles="words:2").top()
    [(0, 1, 1.0)]

    With a `measure` the data is vectors: an array, a list of lists, a table, or .npy or Parquet files whose `column`
    holds lists of numbers. By `cosine` and `weighted jaccard` they are compared at a `threshold`, by `euclidean` at a
    `distance`; packed bits (uint8) by `jaccard` at a threshold and by `hamming` at a distance.

    >>> find_pairs([[3, 4], [6, 8.1], [-4, 3]], measure="cosine", threshold=0.9).top()
    [(0, 1, 0.9999...)]
    """
    from lookalike.io.vectors import are_vectors

    if measure is not None or "distance" in options or are_vectors(data):
        return _vector_pairs(data, measure, options)
    with begin(data, "pairs", options) as job:  # type: ignore[arg-type]
        result = job.run()
        assert result.pairs is not None
        return result.pairs


def _vector_pairs(data: Any, measure: str | None, options: dict[str, Any]) -> Joined:
    from lookalike.io.vectors import open_vectors
    from lookalike.joins.vectors.found import pairs_of
    from lookalike.joins.vectors.question import MEASURES, measure_of

    if measure is None:
        raise InvalidOption(
            f"vectors are compared by a measure: say which, --measure / measure= one of {', '.join(MEASURES)}"
        )
    rest = {name: value for name, value in options.items() if value is not None}
    asked = measure_of(measure, rest.pop("threshold", None), rest.pop("distance", None))
    reading, how = vector_options(rest, "find_pairs")
    return pairs_of(open_vectors(data, **reading), asked, **how)


def find_clusters(data: Any, *, keep: str = "first", **options: Unpack[Options]) -> Clusters:
    """Groups of similar documents, each with a representative: what is connected by similar pairs.

    With linkage="star" every member is similar to its representative itself.

    >>> texts = ["the cat sat on the mat today", "a dog", "The cat sat on the mat, today!"]
    >>> find_clusters(texts, threshold=0.8, shingles="words:2").members()
    [[0, 2]]
    """
    from lookalike.results import Keep

    with begin(data, "clusters", options) as job:
        return job.clusters(Keep.parse(keep))[1]


def dedupe(
    data: Any,
    *,
    against: Any = None,
    keep: str = "first",
    out: str | Path | None = None,
    removed: str | Path | None = None,
    force: bool = False,
    **options: Unpack[Options],
) -> Deduped:
    """One survivor of every cluster. With `out` the kept rows are written there, in the input's format.

    Everything removed is listed, with the id of what was kept in its place and its similarity to it; with `removed`
    that table is written there. Both are written, or neither.

    `against` is a reference, read like the data: what is similar to any of it goes too, and nothing of it is touched.

    >>> texts = ["the cat sat on the mat today", "a dog", "The cat sat on the mat, today!"]
    >>> result = dedupe(texts, threshold=0.8, shingles="words:2")
    >>> result.kept["text"].to_pylist(), result.removed.to_pylist()
    (['the cat sat on the mat today', 'a dog'], [{'id': 2, 'kept': 0, 'similarity': 1.0, 'cluster': 0}])
    >>> dedupe(texts, against=["A dog."], threshold=0.8, shingles="words:2").kept["text"].to_pylist()
    ['the cat sat on the mat today']
    """
    from lookalike.io import names_inside, staged, write_kept
    from lookalike.results import Keep

    rule = Keep.parse(keep)
    for name, path in (("out", out), ("removed", removed)):
        if path is not None:
            check_path(name, path)
    with begin(data, "clusters", options, out, removed, force, against) as job:
        deduped = job.dedupe(rule)
        inside = [] if out is None or removed is None else names_inside(out, [removed])
        with staged(deduped.removed, None if inside else removed, force=removed in job.own):
            if out is not None:
                kept = np.zeros(deduped.read, dtype=bool)
                kept[deduped.kept_rows] = True
                tables = dict.fromkeys(inside, deduped.removed)
                with job.steady():
                    write_kept(
                        job.written, kept, out,
                        force=out in job.own, companions=tables, identity=job.written_identity,
                    )  # fmt: skip
        return deduped


def join(
    left: Any,
    right: Any = None,
    *,
    measure: str = "jaccard",
    threshold: float | str | None = None,
    distance: int | None = None,
    top: int | None = None,
    **options: Unpack[JoinOptions],
) -> Joined:
    """All similar pairs of two collections, or of one with itself; exact: every pair is true and none is missed.

    Sets, and texts cut into shingles, are joined by `jaccard`, `dice`, `cosine`, `overlap`, `containment` (of left in
    right) or `sum-bag` at a `threshold`, by `shared` at a least number of common elements, or by `hamming` at a
    `distance`; texts as strings by `edit` (insertions and deletions) or `levenshtein` (replacements too) at a
    `distance`. `top` keeps the nearest few of each left row.

    >>> join([["milk", "bread"], ["beer"]], [["bread", "milk", "eggs"]], threshold=0.6).top()
    [(0, 0, 0.6666666666666666)]
    >>> join(["Jon Smith", "John Smyth", "Mary Jones"], measure="levenshtein", distance=2).top()
    [(0, 1, 2)]
    """
    from lookalike.joins.question import Question
    from lookalike.joins.sources import join_sources
    from lookalike.kernel.threads import check_threads

    question = Question.of(measure, threshold, distance, top)
    rest: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    threads, progress = check_threads(rest.pop("threads", None)), rest.pop("progress", None)
    reading: dict[str, Any] = {name: rest.pop(name) for name in READING if name in rest}
    of_right = {name: rest.pop(f"right_{name}") for name in OF_RIGHT if f"right_{name}" in rest}
    shingles = shingles_of_join(question, rest)
    one, two = source_of(left, reading), None if right is None else source_of(right, reading | of_right)
    return join_sources(one, two, question, shingles, threads=threads, progress=progress)


def nearest(
    vectors: Any,
    queries: Any = None,
    *,
    top: int = 10,
    measure: str = "cosine",
    query_column: str | None = None,
    query_id: str | None = None,
    **options: Unpack[VectorOptions],
) -> Joined:
    """The `top` nearest vectors of each query, the nearest first; without queries, of each vector the nearest others.

    Vectors and queries are given as for `find_pairs`, and compared by `cosine` or `euclidean`; packed bits by
    `jaccard` or `hamming`, weights by `weighted jaccard`. The share `recall` of all true neighbours is found (0.9 if
    nothing is said; 1 compares all), as measured on a sample, which the result says (`recall`). On the left are the
    queries, on the right their neighbours.

    >>> nearest([[1, 0], [0, 1], [1, 2], [2, 1]], [[3, 1]], top=2).to_arrow()["right"].to_pylist()
    [3, 0]
    """
    from lookalike.io.vectors import open_vectors
    from lookalike.joins.vectors.found import nearest_of

    rest: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    reading, how = vector_options(rest, "nearest")
    of_queries = {name: value for name, value in (("column", query_column), ("id", query_id)) if value is not None}
    inherited = reading.keys() - of_queries.keys()
    asking = None if queries is None else open_vectors(queries, **reading | of_queries, inherited=inherited)
    return nearest_of(open_vectors(vectors, **reading), asking, measure, top=top, **how)


def audit(
    result: Any,
    data: Any = None,
    *,
    sample: int = 1000,
    seed: int = 0,
    **options: Unpack[AuditOptions],
) -> Audit:
    """Measured recall: the true partners of `sample` documents, found exactly in all the data, held against a result.

    `result` is what `find_pairs`, `find_clusters` or `dedupe` gave, its table, or the path of the table (Parquet) or
    of a result folder. `data` is what it was made of; it may be left out where the result says which files these are.
    Columns are read as they were for the result unless the options say otherwise.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> audit(find_pairs(texts, shingles="words:2"), texts)
    Audit(recall 1 (95 % interval 1 … 1), of 2 pairs of 3 sampled documents)
    """
    from lookalike.kernel.threads import check_threads
    from lookalike.storage.budget import Budget
    from lookalike.trust.audit import audit_result
    from lookalike.trust.reported_pairs import Reported

    rest: dict[str, Any] = dict(options)
    threads, progress = check_threads(rest.pop("threads", None)), rest.pop("progress", None)
    budget = Budget.of(rest.pop("memory", None))
    unknown = rest.keys() - AuditOptions.__annotations__.keys()
    if unknown:
        raise InvalidOption(f"audit has no option {min(unknown)!r}")
    reported = Reported.of(result)
    source, warnings = (data, ()) if is_source(data) else reopen(reported.input, data, **rest)
    return audit_result(
        reported, source, sample=sample, seed=seed, threads=threads, progress=progress or silent, warnings=warnings,
        budget=budget,
    )  # fmt: skip


def contamination(
    train: Any,
    test: Any,
    *,
    threshold: float | str = 0.8,
    shingles: str | Shingling | None = None,
    top: int = 1,
    **options: Unpack[ContaminationOptions],
) -> Contamination:
    """Which test documents stand in the training data: whole in one document, or in pieces all over it.

    A test document counts if at least `threshold` of its shingles are in one training document (containment; its `top`
    nearest are listed), or in all of them together. Shingles are runs of 8 words unless said otherwise. The test data
    is held in memory; the training data is read block by block and may have any size.

    >>> pages = ["a dog", "he said: the cat sat on the mat and looked at the moon for a long time, and left"]
    >>> found = contamination(pages, ["The cat sat on the mat and looked at the moon for a long time."])
    >>> found.contained, found.table["train"].to_pylist(), found.table["containment"].to_pylist()
    (1, [1], [1.0])
    """
    from lookalike.flow.threshold import Threshold
    from lookalike.kernel.threads import check_threads
    from lookalike.storage.budget import Budget
    from lookalike.trust.contamination import find_contamination

    rest: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    threads, progress = check_threads(rest.pop("threads", None)), rest.pop("progress", None)
    budget = Budget.of(rest.pop("memory", None))
    if not isinstance(top, int) or isinstance(top, bool) or top < 1:
        raise InvalidOption(
            f"top, the number of training documents for each test document, must be 1 or more, got {top!r}"
        )
    reading: dict[str, Any] = {name: rest.pop(name) for name in READING if name in rest}
    of_test = {name: rest.pop(f"test_{name}") for name in ("column", "id") if f"test_{name}" in rest}
    rules: dict[str, Any] = {
        name: rest.pop(name) for name in ("whitespace", "case", "normalize", "bits") if name in rest
    }
    if rest:
        raise InvalidOption(f"contamination has no option {min(rest)!r}")
    if shingles is not None:
        parse_shingling(shingles, **rules)  # refuses what cannot be before any data is read
    sources = source_of(train, reading), source_of(test, reading | of_test)
    return find_contamination(
        *sources, threshold=Threshold(threshold), shingles=shingles, rules=rules, top=top, threads=threads,
        progress=progress or silent, budget=budget,
    )  # fmt: skip


def forecast(data: Any, *, goal: Goal = "pairs", **options: Unpack[Options]) -> Forecast:
    """A dry run: what a run with these options would find, and what it would take, before it is made.

    All texts are read and signed, but nothing is listed: candidates and pairs are estimated from whole buckets of a
    share of the key space, which scale to all of it. It says which method would be taken and why, and warns. What it
    says of memory and disk is for the budget `memory`, and with `work` for what that would keep; nothing is kept there.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> expected = forecast(texts, threshold=0.8, shingles="words:2")
    >>> expected.plan.method, expected.documents, expected.exact_copies, expected.pairs
    ('exact', 3, 1, 1)
    """
    from lookalike.kernel.threads import check_threads
    from lookalike.trust.forecast import forecast

    threads = options.get("threads")
    parts = options.get("work") is not None  # said, and not used: what an interrupted run left there is still needed
    rest: Any = {name: value for name, value in options.items() if name not in ("work", "resume")}
    with begin(data, goal, rest) as job, job.steady():
        memory = getattr(job.engine, "memory", None)
        return forecast(
            job.plan, job.source, threads=check_threads(threads), memory=memory, parts=parts, progress=job.progress
        )


def compare(a: str, b: str, **options: Unpack[PlanOptions]) -> Comparison:
    """Two texts side by side: every measure that applies, and the passages they share."""
    from lookalike.text.comparison import compare

    texts: tuple[Any, Any] = (a, b)
    for text in texts:
        if isinstance(text, bytes | bytearray) or not isinstance(text, Iterable):
            raise InvalidOption(f"compare takes two texts, or two lists of tokens, got {type(text).__name__}")
    if options.get("ignore_common") is not None:
        raise InvalidOption("two texts do not say which shingles are common; ignore_common is for a corpus")
    return compare(a, b, plan_from(None, "pairs", options))


def frequent_pairs(
    baskets: Any,
    *,
    support: int | float | str,
    method: Method | Literal["auto"] = "auto",
    memory: int | str = "256MiB",
    threads: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[BasketOptions],
) -> FrequentPairs:
    """Pairs of items that are in at least `support` baskets together: a number of baskets, or a share of all (0.01).

    `baskets` is a list of lists, a file of one basket a line, or a table; see `BasketOptions`. The data is read twice
    and may be larger than `memory`, which is for the whole process but for the pairs found; too little of it costs
    further passes, and the `report` of the result says so. The answer is the same for every method, memory and number
    of threads: `apriori` is the quickest where pairs fit into memory, `pcy`, `multihash` and `multistage` need less of
    it. "auto" is pcy for files larger than `memory`, else apriori.

    >>> frequent_pairs([["milk", "bread"], ["bread", "milk", "eggs"], ["beer"]], support=2).top()
    [('bread', 'milk', 2)]
    """
    from lookalike.frequent import find_frequent_pairs

    return find_frequent_pairs(
        baskets, support=support, method=method, memory=memory, threads=threads, progress=progress, **reading
    )


def resolve_plan(data: Any, plan: Plan, **reading: Any) -> ResolvedPlan:
    """What a plan would be resolved to on this data: how its texts are cut, and whether they are joined exactly."""
    from lookalike.planning.survey import resolve

    source = source_of(data, reading)
    return resolve(plan, source, engine("local", threads=1))


__all__ = [
    "audit",
    "compare",
    "contamination",
    "dedupe",
    "find_clusters",
    "find_pairs",
    "forecast",
    "frequent_pairs",
    "join",
    "nearest",
    "resolve_plan",
]
