"""Functions that take and return DataFrames. The driver receives only counts, and the texts needed to resolve the plan.

    from lookalike.engines import spark as las
    las.pairs(df, column="text", id="url", plan=la.Plan(threshold=0.8)).show()

A DataFrame has no order, so ids are compared instead of positions: `left` < `right` in a pair, and the first document
of a cluster is the one with the smallest id. Ids can have any sortable type and should be unique.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lookalike.engines.spark import frame_survivors
from lookalike.engines.spark.comparing import Measure
from lookalike.engines.spark.corpus import DOCUMENTS, part_name
from lookalike.engines.spark.errors import map_batches, translated
from lookalike.engines.spark.frame_survivors import id_type, read
from lookalike.engines.spark.hash_columns import mixed
from lookalike.engines.spark.intake import begin, check_columns, quoted
from lookalike.engines.spark.long_tables import ID, ITEMS, LongTable, check_shingles
from lookalike.engines.spark.placement import distinct
from lookalike.engines.spark.shuffle import SCHEMA, opened, sent, written
from lookalike.engines.spark.stages import Stages
from lookalike.engines.spark.tasks import COPIES, LINKED, SIGNED, TaskSetup, counted, numbers
from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import CODE_READ, CODE_SIGNS, to_numpy
from lookalike.flow.checks import check_one_of
from lookalike.kernel import Kernel, default
from lookalike.planning.plan import Linkage, Plan
from lookalike.planning.resolve import SURVEYED, ResolvedPlan, Statistics

SURVIVORS = {
    "first": "min(struct(id, row, first))",
    "last": "max(struct(id, row, first))",
    "longest": "min(struct(-characters, id, row, first))",
    "shortest": "min(struct(characters, id, row, first))",
}
"""For each survivor rule (`RULES` in results/survivors.py), the SQL aggregate that selects the kept row of a
cluster."""

Batches = Iterable[pa.RecordBatch]


class DedupedFrames(NamedTuple):
    """Two DataFrames: the kept rows, and a list of the removed rows."""

    kept: Any
    """The kept rows, with all columns of the input."""
    removed: Any
    """Columns: id, kept (the id of the survivor), similarity and cluster."""


def signatures(
    df: Any, *, column: str, id: str | None = None, plan: Plan | ResolvedPlan | None = None,
    basket: str | None = None, transpose: bool = False,
) -> Any:  # fmt: skip
    """Returns the id and signature of every document.

    Slots are of type `bigint`, because Spark has no unsigned integers. With `basket` or `transpose`, documents are the
    sets of a long table. They are not listed: their partial signatures are merged by minimum.
    """
    if basket is not None or transpose:
        check_shingles(plan)
        table = LongTable.of(df, column, id, basket, transpose)
        if not isinstance(plan, ResolvedPlan):
            plan = (plan or Plan()).resolve(Statistics(documents=1, tokens=True))
        return table.signed(plan, table.key)
    if id is None:
        raise InvalidOption("frames-need-ids")
    check_columns(df, column, id)
    resolved = plan if isinstance(plan, ResolvedPlan) else _resolved_for_signatures(df, column, plan or Plan())
    kind = df.schema[id].dataType.simpleString()
    texts = df.selectExpr(f"{quoted(id)} as id", f"{quoted(column)} as text")
    work = partial(_sign, default(), resolved, id)
    return map_batches(texts, work, f"{quoted(id)} {kind}, signature array<bigint>")


def candidates(
    df: Any, *, column: str, id: str | None = None, plan: Plan | None = None, staging: str | None = None,
    basket: str | None = None, transpose: bool = False,
) -> Any:  # fmt: skip
    """Returns all candidate pairs of distinct documents, as columns left and right. No documents are compared."""
    plan = Plan() if plan is None else plan
    if not isinstance(plan, Plan):
        raise InvalidOption("not-a-plan", type=type(plan).__name__)
    df, column, id = _documents(df, column, id, basket, transpose, plan)
    stages = begin(df, column, id, replace(plan, verify="none", method="lsh"), "pairs", staging)
    stages.pairs()
    found = read(stages, "found", "left bigint, right bigint")
    return _named(stages, found, "left", "right")


def pairs(
    df: Any, *, column: str, id: str | None = None, plan: Plan | ResolvedPlan | None = None, staging: str | None = None,
    basket: str | None = None, transpose: bool = False,
) -> Any:  # fmt: skip
    """Returns all similar pairs, including pairs with the same words, as columns left, right and similarity."""
    from pyspark.sql import functions as sql

    df, column, id = _documents(df, column, id, basket, transpose, plan)
    stages = begin(df, column, id, plan, "pairs", staging)
    stages.pairs()
    found = read(stages, "found", "left bigint, right bigint, shared bigint, total bigint")
    known = stages.run.resolved.plan.verify != "none"
    similarity, same = (sql.col("shared") / sql.col("total"), sql.lit(1.0)) if known else (sql.lit(None), sql.lit(None))
    found = found.select("left", "right", similarity.cast("double").alias("similarity"))
    copies = read(stages, COPIES, "row bigint, first bigint")
    ends = found.select("left").union(found.select("right")).union(copies.select("first")).distinct().toDF("first")
    family = copies.select("first", "row").union(ends.select("first", sql.col("first").alias("row")))
    lefts, rights = family.toDF("left", "one"), family.toDF("right", "other")
    across = found.join(lefts, "left").join(rights, "right").select("one", "other", "similarity")
    within = family.toDF("first", "one").join(family.toDF("first", "other"), "first").where("one < other")
    every = across.union(within.select("one", "other", same.cast("double")))
    return _named(stages, every.toDF("left", "right", "similarity"), "left", "right", "similarity")


def clusters(
    df: Any, *, column: str, id: str | None = None, plan: Plan | ResolvedPlan | None = None, staging: str | None = None,
    keep: str = "first", basket: str | None = None, transpose: bool = False,
) -> Any:  # fmt: skip
    """Returns the id, cluster, size and representative of every document. A cluster is named by its smallest id.

    Clusters are connected, unless the plan asks for `linkage="star"`.
    """
    df, column, id = _documents(df, column, id, basket, transpose, plan)
    stages = _found(df, column, id, plan, staging, keep, "connected")
    return _clustered(stages, keep).selectExpr("id", "cluster", "size", "best.id as representative")


def dedupe(
    df: Any, *, column: str, id: str | None = None, plan: Plan | ResolvedPlan | None = None, staging: str | None = None,
    keep: str | None = None, basket: str | None = None, transpose: bool = False,
) -> DedupedFrames:  # fmt: skip
    """Keeps documents with all their columns, and lists the removed ones: `kept, removed = dedupe(…)`.

    A document is removed only if it is similar to one that is kept, unless the plan asks for `linkage="connected"`. The
    first document is preferred, or the longest if the plan asks for removed documents to be `contained`. With `basket`,
    the rows of removed sets are removed.
    """
    given, key = df, column if transpose else basket
    df, column, id = _documents(df, column, id, basket, transpose, plan)
    if keep is None:
        settings = plan.plan if isinstance(plan, ResolvedPlan) else plan or Plan()
        keep = "first" if settings.contained is None else "longest"
    stages = _found(df, column, id, plan, staging, keep, "star", df.columns)
    gone = _clustered(stages, keep).where("row <> best.row")
    # The names include `keep`, because staging may contain the results of another rule for the same documents.
    without = f"gone-{keep}"
    stages.stage(without, lambda: _store_gone(stages, gone, without), "keep")
    chosen = stages.run.resolved.plan
    if chosen.linkage == "star" and chosen.verify == "exact":
        removed = gone.selectExpr("id", "best.id as kept", "coalesce(similarity, 1.0D) as similarity", "cluster")
    else:
        removed = _with_similarity(stages, gone, f"measured-{keep}")
    if basket is not None:
        return DedupedFrames(
            given.join(removed.selectExpr(f"id as {quoted(str(key))}"), str(key), "left_anti"), removed
        )
    work = partial(_rows_kept, stages.run, without, tuple(df.columns))
    return DedupedFrames(map_batches(stages.tasks(len(stages.run.parts)), work, df.schema), removed)


def _documents(
    df: Any, column: str, id: str | None, basket: str | None, transpose: bool, plan: Plan | ResolvedPlan | None
) -> tuple[Any, str, str]:
    """Returns the documents as a DataFrame with its columns of texts or lists, and of ids. Sets are first listed."""
    if basket is not None or transpose:
        check_shingles(plan)
        return LongTable.of(df, column, id, basket, transpose).listed(), ITEMS, ID
    if id is None:
        raise InvalidOption("frames-need-ids")
    return df, column, id


def _with_similarity(stages: Stages, gone: Any, measured: str) -> Any:
    """Measures the similarity of each removed document to the one kept in its place, and returns the removed ones."""
    from pyspark.sql import functions as sql

    apart = gone.selectExpr("first as row", "best.first as kept", "size").where("row <> kept").distinct()
    stages.stage(measured, lambda: _measured(stages, apart, measured), "keep")
    similar = read(stages, measured, "row bigint, kept bigint, shared bigint, total bigint")
    similar = similar.select(
        sql.col("row").alias("first"), sql.col("kept").alias("kept_first"),
        (sql.col("shared") / sql.col("total")).alias("similarity"),
    )  # fmt: skip
    removed = gone.selectExpr("id", "best.id as kept", "cluster", "first", "best.first as kept_first")
    removed = removed.join(similar, ["first", "kept_first"], "left")  # texts with the same words were not measured
    return removed.selectExpr("id", "kept", "coalesce(similarity, 1.0D) as similarity", "cluster")


def _found(
    df: Any, column: str, id: str, plan: Any, staging: str | None, keep: str, linkage: Linkage, columns: Any = None
) -> Stages:
    """Finds clusters. `linkage` is the default."""
    check_one_of("keep", keep, tuple(SURVIVORS))
    plan = Plan() if plan is None else plan
    if isinstance(plan, ResolvedPlan) and plan.plan.linkage is None:
        plan = replace(plan, plan=replace(plan.plan, linkage=linkage))
    elif isinstance(plan, Plan) and plan.linkage is None:
        plan = replace(plan, linkage=linkage)
    stages = begin(df, column, id, plan, "clusters", staging, columns)
    if stages.run.resolved.plan.linkage == "star":
        frame_survivors.choose(stages, keep)
    else:
        stages.components()
    return stages


def _clustered(stages: Stages, keep: str) -> Any:
    """Returns, for each document, its row, id, first copy, root, cluster, cluster size, and survivor (`best`)."""
    from pyspark.sql import functions as sql

    kind = id_type(stages)
    rows = read(stages, SIGNED, f"row bigint, id {kind}, characters bigint")
    if stages.run.preferred is not None:
        return frame_survivors.clustered(stages, rows)
    copies = read(stages, COPIES, "row bigint, first bigint")
    roots = read(stages, stages.connected, "high bigint, low bigint").toDF("first", "low")
    rows = rows.join(copies, "row", "left").withColumn("first", sql.coalesce("first", "row"))
    rows = rows.join(roots, "first", "left").withColumn("root", sql.coalesce("low", "first"))
    groups = rows.groupBy("root").agg(
        sql.count("row").alias("size"), sql.expr(SURVIVORS[keep]).alias("best"), sql.min("id").alias("cluster")
    )
    return rows.join(groups, "root")


def _named(stages: Stages, frame: Any, left: str, right: str, *rest: str) -> Any:
    """Replaces the row numbers of pairs by ids, with the smaller id on the left."""
    from pyspark.sql import functions as sql

    rows = read(stages, SIGNED, f"row bigint, id {id_type(stages)}")
    frame = frame.join(rows.toDF(left, "one"), left).join(rows.toDF(right, "other"), right)
    return frame.select(sql.least("one", "other").alias(left), sql.greatest("one", "other").alias(right), *rest)


# signatures


def _resolved_for_signatures(df: Any, column: str, plan: Plan) -> ResolvedPlan:
    """Resolves the plan for `signatures`, which requires only the shingles.

    The shingles depend on whether the column contains texts or tokens, and whether the first texts are source code.
    """
    from pyspark.sql import functions as sql

    if plan.ignore_common is not None:
        raise InvalidOption("signatures-need-resolved-plan")
    if df.schema[column].dataType.simpleString().startswith("array"):
        return plan.resolve(Statistics(documents=1, tokens=True))
    solid = sql.translate(sql.substring(quoted(column), 1, CODE_READ), " \t\n\r\f\v", "")
    bare = sql.octet_length(sql.translate(solid, CODE_SIGNS.decode(), ""))
    share = sql.when(sql.octet_length(solid) > 0, 1 - bare / sql.octet_length(solid))  # as in `code_shares`
    texts = df.select(sql.char_length(quoted(column)).alias("characters"), share.alias("code")).limit(SURVEYED)
    with translated():
        found = texts.where("characters > 0").agg(sql.count("characters"), sql.median("characters"), sql.median("code"))
        count, median, code = found.collect()[0]
    return plan.resolve(
        Statistics(documents=int(count), median_characters=float(median or 0.0), median_code=float(code or 0.0))
    )


def _sign(kernel: Kernel, resolved: ResolvedPlan, id: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    p = resolved.plan
    for batch in batches:
        sets = kernel.shingle(Documents(batch.column(1)), resolved.shingles)
        values = kernel.sign(sets, sketch=p.sketch, hashes=p.hashes, seed=p.seed).view(np.int64)
        ends = np.arange(len(values) + 1, dtype=np.int32) * np.int32(p.hashes)
        lists = pa.ListArray.from_arrays(pa.array(ends), pa.array(values.ravel()))
        yield pa.RecordBatch.from_arrays([batch.column(0), lists], names=[id, "signature"])


# dedupe


def _store_gone(stages: Stages, gone: Any, stage: str) -> dict[str, int]:
    """Stores the row numbers of removed rows, part by part."""
    shuffled = map_batches(gone.select("row"), partial(_by_part, stages.run), SCHEMA)
    return stages.counts(
        sent(shuffled, max(1, len(stages.run.parts))), partial(_keep_gone, stages.run, stage), ("gone",)
    )


def _by_part(run: TaskSetup, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from written(pa.table({"row": batch.column(0)}), run.part_of(to_numpy(batch.column(0))))


def _keep_gone(run: TaskSetup, stage: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    for address, table in opened(batches):
        run.staging.put(part_name(stage, run.parts[address]), distinct(table))
        yield counted(gone=table.num_rows)


def _rows_kept(run: TaskSetup, without: str, columns: tuple[str, ...], batches: Batches) -> Iterator[pa.RecordBatch]:
    for number in numbers(batches):
        part = run.parts[number]
        table = run.signed.get(part_name(DOCUMENTS, part), list(columns)).select(list(columns))
        stays = np.ones(table.num_rows, bool)
        if run.staging.has(name := part_name(without, part)):
            stays[to_numpy(run.staging.get(name)["row"]) - part * run.corpus.step] = False
        yield from table.filter(pa.array(stays)).combine_chunks().to_batches()


def _measured(stages: Stages, apart: Any, stage: str) -> dict[str, int]:
    """Measures the similarity of each removed document to its survivor."""
    shuffled = map_batches(apart, partial(_to_measure, stages.run), SCHEMA)
    counts = stages.wanted(shuffled, f"wanted-{stage}")
    return stages.compare(f"wanted-{stage}", counts, stage, Measure(stages.run.kernel))


def _to_measure(run: TaskSetup, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        row, kept, size = (to_numpy(batch.column(i)) for i in range(3))
        block = np.where(size > LINKED, row // LINKED, 0).astype(
            np.uint64
        )  # distributes large clusters over several places
        both = {
            "row": np.concatenate([row, kept]),
            "place": np.tile(mixed(kept) + block, 2),
            "work": np.tile(kept, 2).astype(np.uint64),
            "how": np.repeat(np.array([1, 0], np.uint32), len(row)),
        }
        wanted = distinct(pa.table(both))
        yield from written(wanted, run.part_of(to_numpy(wanted["row"])))
