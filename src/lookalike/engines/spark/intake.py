"""Writes the rows of a DataFrame to staging, part by part, and returns the stages that process them.

There are three reasons to write the rows: a DataFrame that is evaluated twice may return different rows or partitions;
tasks read candidates from staging instead of receiving them in a shuffle; and an interrupted call can be resumed.
"""

from __future__ import annotations

import atexit
import io
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from lookalike.engines.spark.corpus import AsSource, Staged, put_documents
from lookalike.engines.spark.engine import Spark, staged_at
from lookalike.engines.spark.errors import map_batches, translated
from lookalike.engines.spark.session import master_of
from lookalike.engines.spark.stages import Stages
from lookalike.engines.spark.staging import Staging
from lookalike.errors import BrokenInvariant, InvalidOption, MalformedInput, NoSuchColumn
from lookalike.flow import Documents
from lookalike.planning.plan import Goal, Plan
from lookalike.planning.resolve import SURVEYED, ResolvedPlan
from lookalike.planning.survey import survey
from lookalike.storage.parts import PART_ROWS

CHUNKS = 1 << 20
"""The part numbers of a DataFrame's partition i start at i * CHUNKS."""

CHUNK_BYTES = 64 << 20


def begin(
    df: Any, column: str, id: str, plan: Plan | ResolvedPlan | None, goal: Goal, staging: str | None,
    columns: Sequence[str] | None = None,
) -> Stages:  # fmt: skip
    """Checks, stages and signs a DataFrame. `columns` are staged in addition to the id and the texts."""
    check_columns(df, column, id)
    if re.search(r"\b(map<|variant|interval)", kind := df.schema[id].dataType.simpleString()):
        raise InvalidOption("ids-of-another-type", column=id, type=kind)
    plan = Plan() if plan is None else plan
    if not isinstance(plan, Plan | ResolvedPlan):
        raise InvalidOption("not-a-plan", type=type(plan).__name__)
    if (plan if isinstance(plan, Plan) else plan.plan).copies is not None:
        raise InvalidOption("copies-of-dataframes")
    asked = replace(plan, goal=goal) if isinstance(plan, Plan) else replace(plan, plan=replace(plan.plan, goal=goal))
    kept = list(dict.fromkeys([*(columns or ()), id, column]))
    place = _place(df, staging, f"{asked.to_toml()} {column} {id} {kept}")
    engine = Spark(df.sparkSession)
    engine.check(place)
    corpus, rows = _staged(df, place, column, id, kept)
    resolved = asked if isinstance(asked, ResolvedPlan) else _resolved(asked, corpus, rows, engine)
    stages = engine.stages(place, corpus, resolved, None)
    stages.sign()
    return stages


def check_columns(df: Any, column: str, id: str | None) -> None:
    named = [(column, "column")] + ([(id, "id")] if id is not None else [])
    for name, option in named:
        if name not in df.columns:
            raise NoSuchColumn.named(name, df.columns, "the DataFrame", option)
    kind = df.schema[column].dataType.simpleString()
    if kind not in ("string", "array<string>") and not kind.startswith(("varchar", "char")):
        raise InvalidOption("texts-of-another-type", column=column, type=kind)


def quoted(name: str) -> str:
    """Quotes a column name for SQL."""
    return f"`{name.replace('`', '``')}`"


def _place(df: Any, staging: str | None, about: str) -> Staging:
    """Returns a folder for this call.

    If `staging` is None, the folder is temporary. It exists until the process ends, since results are read from it.
    """
    if staging is None and master_of(df.sparkSession).startswith("local"):
        folder = tempfile.mkdtemp(prefix="lookalike-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return Staging(folder)
    given = None if staging is None else Staging(staging)
    with staged_at(df.sparkSession, given, about, lambda: _identity(df)) as place:
        return place


def _identity(df: Any) -> str:
    """Returns a string that identifies a DataFrame by its query and its files.

    If some rows do not come from files, the string also identifies the session.
    """
    explained, files = io.StringIO(), sorted(df.inputFiles())
    with redirect_stdout(explained):
        df.explain(extended=True)
    query = re.sub(
        r"#\d+L?", "", explained.getvalue().partition("== Optimized")[0]
    )  # column numbers differ between sessions
    if not files or re.search(r"\b(LocalRelation|LogicalRDD)\b", query):
        query += f"{df.semanticHash()} {df.sparkSession.conf.get('spark.app.id', '')}"
    return f"{df.schema.json()} {files} {query}"


def _staged(df: Any, staging: Staging, column: str, id: str, columns: Sequence[str]) -> tuple[Staged, int]:
    counts = staging.marked("documents")
    if counts is None:
        # Columns are renamed to numbers, because mapInArrow interprets a dot in a name as a field of a struct.
        frame = df.selectExpr(*(f"{quoted(name)} as c{i}" for i, name in enumerate(columns)))
        with translated():
            work = partial(_stage, staging, id, tuple(columns))
            made = map_batches(frame, work, "part bigint, documents bigint").collect()
        parts = sorted((int(part), int(rows)) for part, rows in made)
        if len({part for part, _ in parts}) < len(parts):
            raise BrokenInvariant("parts-written-twice")
        counts = {"documents": sum(rows for _, rows in parts), "parts": [part for part, _ in parts]}
        staging.mark("documents", counts)
    return Staged(staging, PART_ROWS, column, id, tuple(counts["parts"])), int(counts["documents"])


def _stage(
    staging: Staging, id: str, columns: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    from pyspark import TaskContext  # spark_partition_id() would be computed in the driver for local data

    context = TaskContext.get()
    assert context is not None, "this runs in a task"
    held: list[pa.RecordBatch] = []
    part = context.partitionId() * CHUNKS
    for batch in (one.rename_columns(list(columns)) for one in batches):
        while batch.num_rows:
            here = batch.slice(0, PART_ROWS - sum(one.num_rows for one in held))
            batch = batch.slice(here.num_rows)
            held.append(here)
            if sum(one.num_rows for one in held) == PART_ROWS or sum(one.nbytes for one in held) > CHUNK_BYTES:
                yield _part(staging, id, held, part)
                held, part = [], part + 1
    if held:
        yield _part(staging, id, held, part)


def _part(staging: Staging, id: str, batches: list[pa.RecordBatch], part: int) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches)
    if table[id].null_count:
        raise MalformedInput("row-without-id", column=id)
    put_documents(staging, part, table)
    counts = {"part": [part], "documents": [table.num_rows]}
    return pa.RecordBatch.from_pydict({name: pa.array(value, pa.int64()) for name, value in counts.items()})


def _resolved(plan: Plan, corpus: Staged, rows: int, engine: Spark) -> ResolvedPlan:
    """Resolves the plan on the first staged rows, like that of any other source."""
    source: Any = AsSource(corpus, rows)
    head: list[Documents] = []
    for documents in source.documents():
        head.append(documents)
        if sum(map(len, head)) >= SURVEYED:
            break
    return plan.resolve(survey(plan, source, head, engine))
