"""The Spark engine compared with the local engine and with Spark's own MinHashLSH, and on one cluster of 100,000.

    python benchmarks/spark.py [--documents 100000] [--mllib 20000] [--family 100000] [--rounds 3]
    python benchmarks/spark.py --documents 1000000 --mllib 0 --family 0      # a million documents: a few minutes
    python benchmarks/spark.py --documents 0 --mllib 0 --family 0 --rows 10000000      # purchases, one item per row

Everything runs on local[2], in one session that is warmed up by a small run. CPU time includes the JVM and all Python
workers. Start-up time is excluded for both engines.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import corpus, measure, spark_runs, truth
from common.spark_runs import OPTIONS

import lookalike as la


def main() -> None:
    options = parsed()
    session = spark_runs.session()
    spark_runs.clusters(session, corpus.write("zipf", 1_000), **OPTIONS)
    print(f"words:5, threshold 0.8, local[2], warm; {measure.machine()}\n")
    if options.documents:
        compare_with_local(session, options.documents, options.rounds)
    if options.mllib:
        compare_with_mllib(session, options.mllib)
    if options.family:
        one_family(session, options.family, options.edits, options.heading)
    if options.rows:
        long_table(session, options.rows)
    session.stop()


def long_table(session: Any, rows: int) -> None:
    """Compares signatures and similar pairs of customers, from a table with one purchase per row, with local ones.

    A customer has about ten rows, in any order. One customer in ten buys what the one before bought, and a little more.
    """
    from lookalike.engines import spark as las

    session.conf.set("spark.sql.shuffle.partitions", "16")  # the default of 200 is meant for clusters
    rng = np.random.default_rng(1)
    customers = rows // 10
    customer, item = rng.integers(0, customers, rows), rng.zipf(1.3, rows) % 1_000_000
    same = np.argsort(customer, kind="stable")
    customer, item = customer[same], item[same]
    starts = np.searchsorted(customer, np.arange(customers + 1))
    for copy in range(10, customers, 10):
        many = min(starts[copy + 1] - starts[copy], starts[copy] - starts[copy - 1])
        item[starts[copy] : starts[copy] + many] = item[starts[copy - 1] : starts[copy - 1] + many]
    order = rng.permutation(rows)
    plan = la.Plan(threshold=0.8, method="lsh", hashes=64)
    how: dict[str, Any] = {"column": "item", "basket": "customer"}
    print(f"{rows:,} rows, {customers:,} customers\n\n| | wall s | CPU s | sets or pairs |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "purchases.parquet"
        pq.write_table(pa.table({"customer": customer[order], "item": item[order]}), path, row_group_size=500_000)
        df = session.read.parquet(f"file://{path}")
        answers: dict[str, str] = {}
        runs: tuple[tuple[str, Callable[[], tuple[int, str]]], ...] = (
            ("signatures, local", lambda: digest_of_signatures(la.signatures(path, plan=plan, **how), "id")),
            ("signatures, Spark", lambda: digest_on_spark(las.signatures(df, plan=plan, **how), folder, "customer")),
            ("pairs, local", lambda: digest_of_pairs(la.find_pairs(path, plan=plan, **how).to_arrow())),
            ("pairs, Spark", lambda: digest_of_pairs(stored(las.pairs(df, plan=plan, **how), folder, "pairs"))),
        )
        for name, work in runs:
            cpu, wall = spark_runs.tree_cpu(), time.perf_counter()
            count, digest = work()
            cpu, wall = spark_runs.tree_cpu() - cpu, time.perf_counter() - wall
            what = name.partition(",")[0]
            assert answers.setdefault(what, digest) == digest, f"the engines give different {what}"
            print(f"| {name} | {wall:.1f} | {cpu:.1f} | {count:,} |", flush=True)
    print("\nThe digests of both engines are equal.\n")


def stored(frame: Any, folder: str, name: str) -> pa.Table:
    """The rows of a DataFrame, which may be too many to be collected."""
    frame.write.parquet(f"file://{folder}/{name}")
    return pq.read_table(f"{folder}/{name}")


def digest_on_spark(frame: Any, folder: str, id: str) -> tuple[int, str]:
    return digest_of_signatures(stored(frame, folder, "signatures"), id)


def digest_of_signatures(table: pa.Table, id: str) -> tuple[int, str]:
    """The number of signatures, and a digest of all, in the order of their ids."""
    ids = table[id].combine_chunks().to_numpy(zero_copy_only=False)
    lists = table["signature"].combine_chunks()
    slots = lists.flatten().to_numpy().view(np.uint64).reshape(len(ids), -1)[np.argsort(ids)]
    return len(ids), hashlib.sha256(np.sort(ids).astype("<i8").tobytes() + slots.tobytes()).hexdigest()


def digest_of_pairs(table: pa.Table) -> tuple[int, str]:
    """The number of pairs, and a digest of all, in the order of their ids."""
    left, right, similarity = (table[name].to_numpy() for name in ("left", "right", "similarity"))
    left, right = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((right, left))
    content = b"".join(np.ascontiguousarray(values[order]).tobytes() for values in (left, right, similarity))
    return len(order), hashlib.sha256(content).hexdigest()


def compare_with_local(session: Any, documents: int, rounds: int) -> None:
    """Prints the CPU time of both engines and the bytes shuffled."""
    path = corpus.write("zipf", documents)
    local_times, costs = [], []
    for _ in range(rounds):
        began = spark_runs.tree_cpu()
        local = la.find_clusters(path, **OPTIONS)
        local_times.append(spark_runs.tree_cpu() - began)
        costs.append(spark_runs.clusters(session, path, **OPTIONS))
    assert costs[0].result.to_arrow() == local.to_arrow(), "the engines give different results"
    costs.sort(key=lambda cost: sum(cost.cpu.values()))
    cost, local_cpu = costs[len(costs) // 2], statistics.median(local_times)
    total = sum(cost.cpu.values())
    stages = ", ".join(f"{name} {spent:.1f}" for name, spent in cost.cpu.items() if spent > 0.05)
    print("| documents | local CPU s | Spark CPU s | ratio | by stage | shuffled bytes per document |")
    print("|---|---|---|---|---|---|")
    print(f"| {documents:,} | {local_cpu:.1f} | {total:.1f} | {total / local_cpu:.1f} | {stages} ", end="")
    print(f"| {cost.shuffled / documents:,.0f} |\n")


def compare_with_mllib(session: Any, documents: int) -> None:
    """Prints the time and recall of finding pairs with both."""
    path = corpus.write("zipf", documents)
    pairs = {(a, b) for a, b in truth.pairs(path, 5).tolist()}
    print("| | wall s | CPU s | recall | pairs |\n|---|---|---|---|---|")
    spent = []
    for name, find in (("lookalike on Spark", by_lookalike), ("MLlib MinHashLSH, 3 tables", by_mllib)):
        cpu, wall = spark_runs.tree_cpu(), time.perf_counter()
        found = find(session, path)
        cpu, wall = spark_runs.tree_cpu() - cpu, time.perf_counter() - wall
        spent.append(cpu)
        recall = len(found & pairs) / max(1, len(pairs))
        print(f"| {name}, {documents:,} documents | {wall:.1f} | {cpu:.1f} | {recall:.4f} | {len(found):,} |")
    print(f"\nMLlib takes {spent[1] / spent[0]:.1f} times as much CPU time.\n")


def by_lookalike(session: Any, path: Path) -> set[tuple[int, int]]:
    from lookalike.engines.spark import Spark

    found = la.find_pairs(path, engine=Spark(session), **OPTIONS)
    return set(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))


def by_mllib(session: Any, path: Path) -> set[tuple[int, int]]:
    """Pairs of five-word shingles hashed to 2^20 columns. Three tables of one hash find 99.2 % of the pairs at 0.8."""
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions as sql

    df = session.read.parquet(f"file://{path.absolute()}").select(
        sql.regexp_extract("id", r"(\d+)", 1).cast("long").alias("row"), "text"
    )
    words = RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\W+").transform(df)
    runs = NGram(n=5, inputCol="words", outputCol="runs").transform(words).where("size(runs) > 0")
    sets = HashingTF(inputCol="runs", outputCol="set", binary=True, numFeatures=1 << 20).transform(runs)
    sets = sets.select("row", "set").cache()
    model = MinHashLSH(inputCol="set", outputCol="hashes", numHashTables=3, seed=1).fit(sets)
    joined = model.approxSimilarityJoin(sets, sets, 0.2, distCol="distance")
    rows = joined.selectExpr("datasetA.row as a", "datasetB.row as b").where("a < b").distinct()
    with tempfile.TemporaryDirectory() as folder:  # not collected: the result may be too large for the driver
        rows.write.parquet(f"file://{folder}/pairs")
        table = pq.read_table(f"{folder}/pairs")
    sets.unpersist()
    return set(zip(table["a"].to_pylist(), table["b"].to_pylist(), strict=True))


def one_family(session: Any, documents: int, edits: int, heading: int) -> None:
    """Clusters near-copies of a single text. Prints the time of the longest task of each stage, to show skew."""
    rng = np.random.default_rng(1)
    words = [f"word{i}" for i in range(5_000)]
    story = rng.integers(0, 5_000, 300)
    texts = []
    for _ in range(documents):
        edited = story.copy()
        changed = np.arange(heading, 300) if heading else rng.integers(0, 300, edits)
        edited[changed] = rng.integers(0, 5_000, len(changed))
        texts.append(" ".join(words[i] for i in edited))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "family.parquet"
        pq.write_table(pa.table({"text": texts}), path, row_group_size=10_000)
        cost = spark_runs.clusters(session, path, engine={"rows_per_task": 8_192}, **OPTIONS)
    what = f"all but the first {heading} words of 300" if heading else f"{edits} words of 300"
    print(f"One family of {documents:,}, {what} changed in each, 8,192 rows per task.\n")
    print("| stage | tasks | median CPU s | longest | × median | MB shuffled |")
    print("|---|---|---|---|---|---|")
    for stage in cost.stages:
        print(f"| {stage.work} | {len(stage.tasks)} | {stage.median:.2f} | {max(stage.tasks):.2f} ", end="")
        print(f"| {stage.skew:.1f} | {stage.shuffled / 1e6:,.0f} |")
    sizes = cost.result.sizes()
    print(f"\n{sum(sizes.values()):,} clusters, the largest of {max(sizes):,}; ", end="")
    print(f"{sum(cost.cpu.values()):.1f} s of CPU in all.")
    long = [stage for stage in cost.stages if max(stage.tasks) > 1]
    worst = max(long, key=lambda stage: stage.skew, default=None)
    if worst is None:
        print("No task takes more than a second.\n")
    else:
        print(f"Greatest skew of tasks above 1 s: {worst.work}, {worst.skew:.1f} times the median.\n")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--documents", type=int, default=100_000, help="documents for the comparison with the local engine; 0: skip it"
    )
    parser.add_argument("--mllib", type=int, default=20_000, help="documents for the comparison with MLlib; 0: skip it")
    parser.add_argument("--family", type=int, default=100_000, help="near-copies of one text; 0: skip this part")
    parser.add_argument("--edits", type=int, default=2, help="words of 300 that are changed in each near-copy")
    parser.add_argument(
        "--heading", type=int, default=0, help="instead of edits: the first words of 300 that all near-copies share"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=0, help="purchases, one item per row; 0: skip this part")
    return parser.parse_args()


if __name__ == "__main__":
    main()
