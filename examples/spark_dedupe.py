"""Removes near-duplicates on a Spark cluster.

    spark-submit --master spark://head:7077 examples/spark_dedupe.py \\
        --input s3a://bucket/crawl/ --output s3a://bucket/clean/ --staging s3://bucket/staging --id url

The input is Parquet with a column of texts and a column of unique ids. OUTPUT/kept has the rows to keep, with all
columns, and OUTPUT/removed has the id of each removed row, the id kept in its place, and the similarity of the two.

If the job fails, start it again with the same staging folder: it continues after the finished stages. The workers need
the same version of lookalike and of Python as the driver.
"""

from __future__ import annotations

import argparse

from pyspark.sql import SparkSession

import lookalike as la
from lookalike.engines import spark as las


def dedupe(
    session: SparkSession, input: str, output: str, staging: str | None, *, column: str, id: str, threshold: float
) -> None:
    documents = session.read.parquet(input)
    plan = la.Plan(threshold=threshold, shingles="words:5", method="lsh")
    kept, removed = las.dedupe(documents, column=column, id=id, plan=plan, staging=staging, keep="longest")
    kept.write.mode("overwrite").parquet(f"{output}/kept")
    removed.write.mode("overwrite").parquet(f"{output}/removed")
    print(f"kept {kept.count():,} documents, removed {removed.count():,}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Removes near-duplicates on a Spark cluster.")
    parser.add_argument("--input", required=True, help="Parquet files, or a folder of them")
    parser.add_argument("--output", required=True, help="folder to write to")
    parser.add_argument("--staging", help="folder that all machines can access (optional on one machine)")
    parser.add_argument("--column", default="text", help="column of the texts (default: text)")
    parser.add_argument("--id", required=True, help="column of the ids")
    parser.add_argument("--threshold", type=float, default=0.8, help="minimum similarity (default: 0.8)")
    options = parser.parse_args()
    session = SparkSession.builder.appName("lookalike").getOrCreate()
    try:
        dedupe(session, **vars(options))
    finally:
        session.stop()


if __name__ == "__main__":
    main()
