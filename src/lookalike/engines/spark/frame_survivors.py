"""Star clusters of DataFrames: ranks are computed by Spark, and survivors are joined with ids by Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from lookalike.engines.spark import survivors
from lookalike.engines.spark.corpus import part_name
from lookalike.engines.spark.errors import map_batches
from lookalike.engines.spark.local_minima import CHOSEN
from lookalike.engines.spark.preferred import RANKS, PreferredRows
from lookalike.engines.spark.shuffle import SCHEMA, opened, sent, written
from lookalike.engines.spark.stages import Stages
from lookalike.engines.spark.tasks import PREFERRED_COPIES, SIGNED, TaskSetup, counted
from lookalike.flow.arrays import to_numpy

ORDERS = {
    "first": ("id", "row"),
    "last": ("id desc", "row desc"),
    "longest": ("characters desc", "id", "row"),
    "shortest": ("characters", "id", "row"),
}
"""For each survivor rule, the columns by which documents are sorted in order of preference."""


def choose(stages: Stages, keep: str) -> None:
    """Chooses survivors by this rule. Results that depend on the rule get their own folder."""
    run = stages.run
    staging = run.signed.below(f"preferring-{keep}")
    stages.run = replace(run, staging=staging, preferred=PreferredRows(stored=True))
    stages.stage("ranks", lambda: _store_ranks(stages, keep), "propose")
    survivors.choose(stages)


def clustered(stages: Stages, rows: Any) -> Any:
    """Adds columns to documents (row and id): cluster and its size, the survivor (`best`), the similarity to it.

    `first` is the most preferred copy of a document, for which the survivor was chosen.
    """
    from pyspark.sql import functions as sql

    copies = read(stages, PREFERRED_COPIES, "row bigint, best bigint").toDF("row", "first")
    rank = read(stages, RANKS, "row bigint, rank bigint")
    chosen = read(stages, CHOSEN, "high bigint, low bigint, shared bigint, total bigint")
    chosen = chosen.join(rank.toDF("first", "high"), "high").join(rank.toDF("kept", "low"), "low")
    chosen = chosen.select("first", "kept", (sql.col("shared") / sql.col("total")).alias("similarity"))
    rows = rows.join(copies, "row", "left").withColumn("first", sql.coalesce("first", "row"))
    rows = rows.join(chosen, "first", "left").withColumn("kept", sql.coalesce("kept", "first"))
    groups = rows.groupBy("kept").agg(
        sql.count("row").alias("size"),
        sql.min("id").alias("cluster"),
        sql.expr("max_by(struct(id, row, first), row = kept)").alias("best"),
    )
    return rows.join(groups, "kept")


def read(stages: Stages, stage: str, schema: str) -> Any:
    """Reads the parts of a stage as a DataFrame."""
    staging = stages.run.signed if stage == SIGNED else stages.run.staging
    if not staging.names(stage):
        return stages.session.createDataFrame([], schema)
    return stages.session.read.schema(schema).parquet(staging.for_spark(stage))


def id_type(stages: Stages) -> str:
    table = stages.run.signed.names(SIGNED)[:1]
    if not table:
        return "string"
    frame = stages.session.read.parquet(f"{stages.run.signed.for_spark(table[0])}.parquet")
    return str(frame.schema["id"].dataType.simpleString())


def _store_ranks(stages: Stages, keep: str) -> dict[str, int]:
    """Stores the rank of each row, part by part. Ranks increase in order of preference, with gaps."""
    from pyspark.sql import functions as sql

    rows = read(stages, SIGNED, f"row bigint, id {id_type(stages)}, characters bigint")
    order = [sql.desc(by[:-5]) if by.endswith(" desc") else sql.asc(by) for by in ORDERS[keep]]
    ranked = rows.orderBy(*order).select("row", sql.monotonically_increasing_id().alias("rank"))
    shuffled = map_batches(ranked, partial(_by_part, stages.run), SCHEMA)
    return stages.counts(sent(shuffled, max(1, len(stages.run.parts))), partial(_keep, stages.run), ("ranks",))


def _by_part(run: TaskSetup, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from written(pa.Table.from_batches([batch]), run.part_of(to_numpy(batch.column(0))))


def _keep(run: TaskSetup, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for address, table in opened(batches):
        run.staging.put(part_name(RANKS, run.parts[address]), table.sort_by("row"))
        yield counted(ranks=table.num_rows)
