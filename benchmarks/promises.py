"""Checks what `dedupe` promises, on your own corpora, against a greedy choice over the pairs that `find_pairs` reports.

    python benchmarks/promises.py --data FOLDER [--threshold 0.8] [--spark]    # texts, sets and records of a folder
    python benchmarks/promises.py --file texts.parquet --column text

Every removed document must have a kept one at or above the threshold, and no two kept documents may be a pair that was
found. The table of removed documents must be the same with 1, 2 and 8 threads, within little memory, after a resumed
run and, with --spark, on Spark.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import lookalike as la

Options = Mapping[str, Any]

CORPORA: dict[str, dict[str, str]] = {
    "text/debian_descriptions.parquet": {"column": "text"},
    "text/scancode_licenses.parquet": {"column": "text"},
    "text/spdx_revisions.parquet": {"column": "text"},
    "text/jglue_jsts.parquet": {"column": "sentence1"},
    "text/kor_pair_train.csv": {"column": "question1"},
    "text/java_plagiarism/IR-Plag-Dataset": {"format": "text"},
    "sets/groceries.csv": {"format": "baskets", "separator": ","},
    "sets/retail.dat.gz": {"format": "baskets"},
    "records/abt_buy/abt.csv": {"column": "description", "separator": "|"},
    "records/dblp_acm/dblp.csv": {"column": "title", "separator": "%"},
    "records/cora/cora.csv": {"column": "title", "separator": "|"},
    "records/febrl/dataset3.csv": {"column": " address_1"},
}

LITTLE = "350MiB"
"""The memory limit of a process of its own."""

METHODS: dict[str, dict[str, str]] = {"auto": {}, "exact": {"method": "exact"}, "lsh": {"method": "lsh"}}


def greedy(rows: int, pairs: la.Pairs) -> dict[int, int]:
    """For each removed row, the row that is kept in its place: the first kept one that it forms a pair with."""
    earlier: dict[int, list[int]] = defaultdict(list)
    for left, right in zip(pairs.left_rows.tolist(), pairs.right_rows.tolist(), strict=True):
        earlier[max(left, right)].append(min(left, right))
    removed: dict[int, int] = {}
    for row in range(rows):
        survivors = [other for other in earlier[row] if other not in removed]
        if survivors:
            removed[row] = min(survivors)
    return removed


def in_little_memory(path: Path, options: Options, folder: Path) -> pa.Table:
    """What a run of its own removes within little memory."""
    texts = {name: value for name, value in options.items() if name != "progress"}
    given = [part for name, value in texts.items() for part in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "lookalike", "dedupe", str(path), *given, "--memory", LITTLE, "--quiet"]
    subprocess.run([*command, "--out", str(folder / "kept"), "--removed", str(folder / "removed.parquet")], check=True)
    return pq.read_table(folder / "removed.parquet")


def check(path: Path, source: Options, threshold: str, spark: bool) -> str:
    """A row of the table: what was removed with each method, and how many runs agreed."""
    cells, runs = [], 0
    for method in METHODS.values():
        options = {**source, **method, "threshold": threshold, "progress": False}
        pairs = la.find_pairs(path, **options)
        found = la.dedupe(path, **options)
        removed = found.removed.to_pydict()
        rows = found.read
        wanted = greedy(rows, pairs)
        ids = list(range(rows)) if pairs.ids is None else pairs.ids.to_pylist()
        named = {ids[row]: ids[survivor] for row, survivor in wanted.items()}
        assert dict(zip(removed["id"], removed["kept"], strict=True)) == named, f"{path}: not the greedy choice"
        assert all(similarity >= float(threshold) for similarity in removed["similarity"]), f"{path}: below"
        cells.append(f"{len(wanted):,}")
        variants: list[dict[str, Any]] = [{"threads": n} for n in (1, 2, 8)]
        if spark:
            variants.append({"engine": "spark"})
        for variant in variants:
            assert la.dedupe(path, **options, **variant).removed.equals(found.removed), f"{path}: {variant} differs"
            runs += 1
        with tempfile.TemporaryDirectory() as work:
            la.dedupe(path, **options, work=work)
            again = la.dedupe(path, **options, work=work, resume=True)
            assert again.removed.equals(found.removed), f"{path}: the resumed run differs"
            assert in_little_memory(path, options, Path(work)).equals(found.removed), f"{path}: little memory differs"
            runs += 2
    return f"| {path.name} | {rows:,} | {' | '.join(cells)} | {runs} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder that contains text/, sets/ and records/")
    parser.add_argument("--file", type=Path, nargs="*", default=[])
    parser.add_argument("--column", default="text", help="column of --file")
    parser.add_argument("--threshold", default="0.8")
    parser.add_argument("--spark", action="store_true", help="also run on Spark")
    given = parser.parse_args()
    corpora = [(path, {"column": given.column}) for path in given.file]
    corpora += [(given.data / path, source) for path, source in CORPORA.items() if given.data]
    print("| corpus | rows | removed: auto | exact | lsh | runs that agree |\n|---|---|---|---|---|---|")
    for path, source in corpora:
        print(check(path, source, given.threshold, given.spark), flush=True)


if __name__ == "__main__":
    main()
