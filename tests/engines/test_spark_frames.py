"""The DataFrame functions: same answers as the verbs for any partitions; reruns resume; signatures merge."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.flow import Documents, Shingles
from lookalike.kernel import Cpu
from tests.corpora import KINDS, corpus
from tests.engines.spark_answers import PLAN, answers, digest, frame_answers, rows_of
from tests.engines.spark_answers import corpus as some_of_every_kind
from tests.engines.standalone import environment

pytestmark = pytest.mark.spark

EXAMPLE = Path(__file__).parents[2] / "examples/spark_dedupe.py"


def test_frames_give_the_answer_of_the_verbs(spark_session: Any, tmp_path: Path) -> None:
    table = some_of_every_kind()
    expected = answers(table)
    found = frame_answers(spark_session, table, str(tmp_path))
    assert found == {name: expected[name] for name in found}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["lsh", "exact"])
def test_every_kind_of_corpus_gives_the_answer_of_the_local_engine(
    spark_session: Any, tmp_path: Path, kind: str, method: Any
) -> None:
    from lookalike.engines.spark import Spark

    texts = KINDS[kind](300)
    engine = Spark(spark_session, rows_per_task=64, task_bytes=100_000, edges=50)
    for verb in (la.find_pairs, la.find_clusters):
        here = verb(texts, threshold=0.7, shingles="words:3", method=method)
        there = verb(texts, threshold=0.7, shingles="words:3", method=method, engine=engine)
        assert there.to_arrow() == here.to_arrow()


def test_kept_rows_have_all_columns_and_candidates_are_counted(spark_session: Any, tmp_path: Path) -> None:
    from lookalike.engines import spark as las

    texts = corpus(120)
    table = pa.table({"n": range(120), "a b": [[i] for i in range(120)], "text": texts})
    df = spark_session.createDataFrame(table.rename_columns(["n", "a b", "te.x`t"]))
    asked: dict[str, Any] = {"column": "te.x`t", "id": "n", "plan": PLAN}
    here = la.dedupe(table, id="n", plan=PLAN, keep="last")
    there = las.dedupe(df, keep="last", **asked)
    assert there.kept.columns == df.columns
    assert sorted(row.n for row in there.kept.collect()) == sorted(here.kept["n"].to_pylist())
    assert all(row["a b"] == [row.n] and row["te.x`t"] == texts[row.n] for row in there.kept.collect())
    assert there.kept.count() + there.removed.count() == len(texts)
    clusters = las.clusters(df, **asked).select("id", "size", "representative")
    assert digest(clusters.collect()) == digest(
        rows_of(la.find_clusters(table, id="n", plan=PLAN).to_arrow(), "id", "size", "representative")
    )
    assert las.candidates(df, **asked).count() == la.find_pairs(table, plan=PLAN).summary.candidates
    assert las.signatures(df, **asked).count() == len(texts)
    unverified = las.pairs(df, column="te.x`t", id="n", plan=replace(PLAN, verify="none"))
    assert unverified.where("similarity is not null").count() == 0, "not even of copies, as with the verbs"


def test_a_rerun_goes_on_after_what_is_finished(spark_session: Any, tmp_path: Path) -> None:
    from lookalike.engines.spark import Spark

    texts, heard = corpus(200), []
    engine = Spark(spark_session, staging=str(tmp_path), rows_per_task=64)

    def stop_at(stage: str, done: int, total: int | None) -> None:
        heard.append(stage)
        if stage == "verify":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        la.find_clusters(texts, plan=PLAN, engine=engine, progress=stop_at)
    (run,) = tmp_path.iterdir()
    signed = {part: part.stat().st_mtime_ns for part in (run / "signed").iterdir()}
    assert len(signed) == 4 and (run / "finished" / "propose.parquet").exists()
    next(iter(signed)).unlink()  # whose stage is marked as finished: it is not asked for again to be signed
    (run / "finished" / "sign.parquet").unlink()
    found = la.find_clusters(texts, plan=PLAN, engine=engine)
    assert found.to_arrow() == la.find_clusters(texts, plan=PLAN).to_arrow()
    assert list(tmp_path.iterdir()) == [], "what is done is removed"


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAN, linkage="connected"),
        replace(PLAN, linkage="star", verify="signature"),
        replace(PLAN, linkage="star", contained="0.9"),
    ],
    ids=["connected", "signatures", "contained"],
)
def test_frames_follow_the_plan(spark_session: Any, plan: la.Plan) -> None:
    from lookalike.engines import spark as las

    texts = corpus(120)
    table = pa.table({"n": range(120), "text": texts})
    here = la.dedupe(table, id="n", plan=plan)
    df = spark_session.createDataFrame(table).repartition(3)
    asked: dict[str, Any] = {"column": "text", "id": "n"}
    there = las.dedupe(df, plan=plan, **asked)
    assert sorted(row.n for row in there.kept.collect()) == here.kept["n"].to_pylist() and len(here.removed)
    removed = there.removed.select("id", "kept", "similarity").collect()
    assert digest(removed) == digest(rows_of(here.removed, "id", "kept", "similarity"))
    clusters = las.clusters(df, plan=plan, **asked).select("id", "size", "representative")
    expected = la.find_clusters(table, id="n", plan=plan).to_arrow()
    assert digest(clusters.collect()) == digest(rows_of(expected, "id", "size", "representative"))


def test_staging_that_holds_other_answers_is_not_taken_for_this_one(spark_session: Any, tmp_path: Path) -> None:
    """Another survivor rule, another filter over the same files, other rows of the same schema."""
    from lookalike.engines import spark as las

    texts = corpus(120)
    table = pa.table({"n": range(120), "text": texts})
    pq.write_table(table, tmp_path / "c.parquet")
    df = spark_session.read.parquet(f"file://{tmp_path}/c.parquet")
    asked: dict[str, Any] = {"column": "text", "id": "n", "plan": PLAN, "staging": str(tmp_path / "staging")}
    for keep in ("longest", "last"):
        here = la.dedupe(table, id="n", plan=PLAN, keep=keep)
        there = las.dedupe(df, keep=keep, **asked)
        assert sorted(row.n for row in there.kept.collect()) == here.kept["n"].to_pylist()
        removed = there.removed.select("id", "kept", "similarity").collect()
        assert digest(removed) == digest(rows_of(here.removed, "id", "kept", "similarity"))
    held = spark_session.createDataFrame(table)
    for some in ("n < 60", "n >= 40"):
        expected = digest(rows_of(la.find_pairs(_where(table, some), id="n", plan=PLAN).to_arrow(), "left", "right"))
        for frame in (df.where(some), spark_session.createDataFrame(_where(table, some)), held.where(some)):
            assert digest(las.pairs(frame, **asked).select("left", "right").collect()) == expected
    runs = len(list((tmp_path / "staging").iterdir()))
    again = spark_session.read.parquet(f"file://{tmp_path}/c.parquet").where("n < 60")
    las.pairs(again, **asked)
    assert len(list((tmp_path / "staging").iterdir())) == runs, "the same call resumes after finished stages"


def _where(table: pa.Table, some: str) -> pa.Table:
    return table.slice(0, 60) if some == "n < 60" else table.slice(40)


# MMDS, exercise 3.3.7: signatures by MapReduce, from chunks of columns and from chunks of rows.


def shingles_of(plan: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The entries 1 of the characteristic matrix, as (shingle, document)."""
    for batch in batches:
        sets = Cpu().shingle(Documents(batch.column(1)), plan.shingles)
        ids = np.repeat(np.array(batch.column(0).to_pylist()), sets.sizes)
        yield pa.RecordBatch.from_pydict({"shingle": pa.array(sets.values.view(np.int64)), "id": pa.array(ids)})


def signed_chunk(plan: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The signatures of the documents, computed from a chunk of the rows of the matrix."""
    table = pa.Table.from_batches(list(batches), pa.schema([("shingle", pa.int64()), ("id", pa.int64())]))
    shingle, id = (table[name].to_numpy() for name in ("shingle", "id"))
    order = np.lexsort((shingle.view(np.uint64), id))
    ids, starts = np.unique(id[order], return_index=True)
    if len(ids):
        sets = Shingles(np.append(starts, len(id)), shingle.view(np.uint64)[order])
        p = plan.plan
        values = Cpu().sign(sets, sketch=p.sketch, hashes=p.hashes, seed=p.seed)
        ordered = (values ^ np.uint64(1 << 63)).view(np.int64)  # Spark's numbers are signed: this keeps the order
        yield pa.RecordBatch.from_pydict(
            {
                "id": np.repeat(ids, p.hashes),
                "slot": np.tile(np.arange(p.hashes), len(ids)),
                "value": ordered.ravel(),
            }
        )


@pytest.mark.parametrize("sketch", ["fast", "classic"])
def test_signatures_from_chunks_of_columns_and_of_rows_are_the_same(spark_session: Any, sketch: Any) -> None:
    from pyspark.sql import functions as sql

    from lookalike.engines import spark as las

    plan = la.Plan(shingles="words:2", hashes=16, sketch=sketch).resolve()
    texts = [text for text in corpus(60) if len(text.split()) > 1]
    df = spark_session.createDataFrame(pa.table({"id": range(len(texts)), "text": texts}))
    columns = las.signatures(df.repartition(3), column="text", id="id", plan=plan).collect()
    by_column = {row.id: np.array(row.signature).view(np.uint64).tolist() for row in columns}

    ones = df.mapInArrow(partial(shingles_of, plan), "shingle bigint, id bigint")
    chunks = ones.repartition(3, "shingle").mapInArrow(
        partial(signed_chunk, plan), "id bigint, slot bigint, value bigint"
    )
    least = chunks.groupBy("id", "slot").agg(sql.min("value").alias("value")).collect()
    by_row = {id: [0] * 16 for id in by_column}
    for row in least:
        by_row[row.id][row.slot] = (row.value + 2**64 if row.value < 0 else row.value) ^ (1 << 63)

    sets = Cpu().shingle(Documents.from_texts(texts), plan.shingles)
    whole = Cpu().sign(sets, sketch=sketch, hashes=16, seed=plan.plan.seed)
    assert by_row == by_column == dict(enumerate(whole.tolist()))


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"url": [f"page-{n:03}" for n in range(120)], "text": corpus(120)}), path)
    return path


def check_example(pages: Path, out: Path) -> None:
    """The example keeps and removes what `dedupe` does."""
    here = la.dedupe(pages, id="url", threshold=0.8, shingles="words:5", method="lsh", keep="longest")
    kept, removed = (pq.read_table(out / name) for name in ("kept", "removed"))
    assert sorted(kept["url"].to_pylist()) == sorted(here.kept["url"].to_pylist())
    assert sorted(removed["id"].to_pylist()) == sorted(here.removed["id"].to_pylist()) != []


def test_the_example_keeps_and_removes_what_dedupe_does(spark_session: Any, pages: Path, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("spark_dedupe", EXAMPLE)
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    out, staging = str(tmp_path / "out"), str(tmp_path / "staging")
    example.dedupe(spark_session, str(pages), out, staging, column="text", id="url", threshold=0.8)
    check_example(pages, tmp_path / "out")


@pytest.mark.slow
def test_the_example_can_be_submitted(java: str, pages: Path, tmp_path: Path) -> None:
    import pyspark

    submit = str(Path(pyspark.__file__).parent / "bin/spark-submit")
    options = ["--input", str(pages), "--output", str(tmp_path / "out"), "--id", "url"]
    command = [submit, "--master", "local[2]", str(EXAMPLE), *options]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    check_example(pages, tmp_path / "out")
