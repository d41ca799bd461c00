"""A DataFrame → its rows in staging, a part at a time, and the stages that work on them.

They are put there once because a DataFrame need not give the same rows twice, in the same partitions; because whoever
looks at a candidate again should read it and not have it sent; and so that a second call goes on where one was lost.
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
"""Part numbers of a partition: its own times this, and on from there."""

CHUNK_BYTES = 64 << 20


def begin(
    df: Any, column: str, id: str, plan: Plan | ResolvedPlan | None, goal: Goal, staging: str | None,
    columns: Sequence[str] | None = None,
) -> Stages:  # fmt: skip
    """Checked, staged and signed: what every function over a DataFrame starts with. `columns` are staged, too."""
    check_columns(df, column, id)
    if re.search(r"\b(map<|variant|interval)", kind := df.schema[id].dataType.simpleString()):
        raise InvalidOption("ids-of-another-type", column=id, type=kind)
    plan = Plan() if plan is None else plan
    if not isinstance(plan, Plan | ResolvedPlan):
        raise InvalidOption("not-a-plan", type=type(plan).__name__)
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
    """A column by its name, whatever is in it."""
    return f"`{name.replace('`', '``')}`"


def _place(df: Any, staging: str | None, about: str) -> Staging:
    """A folder of this question alone. One that nobody named lasts as long as this process: results are read there."""
    if staging is None and master_of(df.sparkSession).startswith("local"):
        folder = tempfile.mkdtemp(prefix="lookalike-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return Staging(folder)
    given = None if staging is None else Staging(staging)
    with staged_at(df.sparkSession, given, about, lambda: _identity(df)) as place:
        return place


def _identity(df: Any) -> str:
    """What a DataFrame is of: its query and the files it reads. Rows that are in no file are those of this session."""
    said, files = io.StringIO(), sorted(df.inputFiles())
    with redirect_stdout(said):
        df.explain(extended=True)
    query = re.sub(r"#\d+L?", "", said.getvalue().partition("== Optimized")[0])  # columns have other numbers each time
    if not files or re.search(r"\b(LocalRelation|LogicalRDD)\b", query):
        query += f"{df.semanticHash()} {df.sparkSession.conf.get('spark.app.id', '')}"
    return f"{df.schema.json()} {files} {query}"


def _staged(df: Any, staging: Staging, column: str, id: str, columns: Sequence[str]) -> tuple[Staged, int]:
    said = staging.marked("documents")
    if said is None:
        # by numbers: mapInArrow takes a dot in a name for a field of a struct
        frame = df.selectExpr(*(f"{quoted(name)} as c{i}" for i, name in enumerate(columns)))
        with translated():
            work = partial(_stage, staging, id, tuple(columns))
            made = map_batches(frame, work, "part bigint, documents bigint").collect()
        parts = sorted((int(part), int(rows)) for part, rows in made)
        if len({part for part, _ in parts}) < len(parts):
            raise BrokenInvariant("parts-written-twice")
        said = {"documents": sum(rows for _, rows in parts), "parts": [part for part, _ in parts]}
        staging.mark("documents", said)
    return Staged(staging, PART_ROWS, column, id, tuple(said["parts"])), int(said["documents"])


def _stage(
    staging: Staging, id: str, columns: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    from pyspark import TaskContext  # not spark_partition_id(), which the driver computes for data that it has itself

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
    """By the first rows that are in staging, as any source is surveyed."""
    source: Any = AsSource(corpus, rows)
    head: list[Documents] = []
    for documents in source.documents():
        head.append(documents)
        if sum(map(len, head)) >= SURVEYED:
            break
    return plan.resolve(survey(plan, source, head, engine))
