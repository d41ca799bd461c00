"""Runs verbs or DataFrame functions in a Spark session, and prints digests of their answers.

    spark_answers.py MASTER STAGING [--connect] [--by verbs|frames] [--kill STAGE PID]

A process can have only one session, so each kind of session needs its own process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import lookalike as la
from tests.corpora import KINDS  # found by PYTHONPATH

PLAN = la.Plan(threshold=0.7, shingles="words:3", method="lsh")
SMALL: dict[str, Any] = {"rows_per_task": 100, "task_bytes": 30_000, "edges": 20}
"""Limits so small that a small corpus exercises all code paths: several tasks per stage, split buckets, rounds."""


def corpus(documents: int = 60) -> pa.Table:
    """A corpus with documents of every kind."""
    texts = [text for make in KINDS.values() for text in make(documents)]
    return pa.table({"id": [f"n{i:05d}" for i in range(len(texts))], "text": texts})


def purchases(rows: int = 1500) -> pa.Table:
    """A long table: one item of a customer per row, some of them repeated or missing.

    Customers are in ascending order: on one machine, the first row decides between equals, and on Spark the smaller id.
    """
    rng = np.random.default_rng(3)
    customers, kinds = np.sort(rng.integers(0, 60, rows)), rng.integers(0, 12, rows)
    both = zip(customers.tolist(), kinds.tolist(), strict=True)
    items = [None if kind > 10 else f"i{(customer % 12) * 7 + kind}" for customer, kind in both]
    return pa.table({"customer": customers, "item": pa.array(items, pa.string())})


LONG: dict[str, Any] = {"column": "item", "basket": "customer", "plan": la.Plan(threshold=0.4, method="lsh")}


def digest(rows: Any) -> str:
    """The digest of the rows, sorted."""
    return hashlib.sha256(repr(sorted(tuple(row) for row in rows)).encode()).hexdigest()[:16]


def rows_of(table: pa.Table, *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def answers(table: pa.Table, **how: Any) -> dict[str, str]:
    """The answers of the verbs."""
    options: dict[str, Any] = {"plan": PLAN, "id": "id", **how}
    pairs, deduped = la.find_pairs(table, **options), la.dedupe(table, keep="longest", **options)
    shared = {**LONG, **how}
    bought, buyers = (la.find_pairs(purchases(), transpose=transpose, **shared) for transpose in (False, True))
    return {
        "customers": digest(rows_of(bought.to_arrow(), "left", "right", "similarity")),
        "items": digest(
            (*sorted(pair), one) for *pair, one in rows_of(buyers.to_arrow(), "left", "right", "similarity")
        ),
        "pairs": digest(rows_of(pairs.to_arrow(), "left", "right", "similarity")),
        "clusters": digest(rows_of(deduped.clusters.to_arrow(), "id", "size", "representative")),
        "removed": digest(rows_of(deduped.removed, "id", "kept", "similarity")),
    }


def frame_answers(session: Any, table: pa.Table, staging: str) -> dict[str, str]:
    """The answers of the DataFrame functions, whose partitions are in any order."""
    from lookalike.engines import spark as las

    df = session.createDataFrame(table).repartition(3)
    asked: dict[str, Any] = {"column": "text", "id": "id", "plan": PLAN, "staging": staging}
    removed = las.dedupe(df, keep="longest", **asked).removed.select("id", "kept", "similarity")
    long = session.createDataFrame(purchases()).repartition(3)
    bought, buyers = (
        las.pairs(long, transpose=transpose, staging=staging, **LONG).select("left", "right", "similarity")
        for transpose in (False, True)
    )
    return {
        "customers": digest(bought.collect()),
        "items": digest(buyers.collect()),
        "pairs": digest(las.pairs(df, **asked).select("left", "right", "similarity").collect()),
        "removed": digest(removed.collect()),
    }


def start(master: str, connect: bool) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("lookalike tests")
    builder = builder.remote(master) if connect else builder.master(master)
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.driver.maxResultSize": "10m",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        # a killed worker is noticed by the connections that break, and its tasks are tried elsewhere at once
        "spark.shuffle.io.maxRetries": "1",
        "spark.shuffle.io.retryWait": "1s",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def kill_tree(pid: int) -> None:
    """Kills the worker and the executors that it started, all at once."""
    children = [p for p in Path("/proc").glob("[0-9]*") if _parent(p) == pid]
    for victim in [pid, *(int(p.name) for p in children)]:
        os.kill(victim, signal.SIGKILL)


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError, ValueError):
        return -1


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("master")
    parser.add_argument("staging")
    parser.add_argument("--connect", action="store_true")
    parser.add_argument("--by", choices=("verbs", "frames"), default="verbs")
    parser.add_argument("--kill", nargs=2, metavar=("STAGE", "PID"))
    given = parser.parse_args()
    from lookalike.engines.spark import Spark

    session = start(given.master, given.connect)
    engine = Spark(session, staging=given.staging, **SMALL)
    heard: list[str] = []

    def progress(stage: str, done: int, total: int | None) -> None:
        if given.kill and stage == given.kill[0] and stage not in heard:
            threading.Timer(0.2, kill_tree, [int(given.kill[1])]).start()
        heard.append(stage)

    table = corpus()
    if given.by == "frames":
        found = frame_answers(session, table, given.staging)
    else:
        found = answers(table, engine=engine, progress=progress)
    print(json.dumps(found))
    session.stop()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
