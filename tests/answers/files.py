"""The data as files in the current folder: every format that is read."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.answers.data import Data

PROGRAMS = {
    "ann/mean.py": "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n"
    "    return total / len(values)\n\n\nprint(mean([1, 2, 3]), 'is the mean')\n",
    "bob/average.py": "def average(xs):\n    s = 0\n    for x in xs:\n        s += x\n    return s / len(xs)\n\n\n"
    "print(average([1, 2, 3]), 'is the mean')\n",
    "bob/again.py": "def again(ys):\n    t = 0\n    for y in ys:\n        t += y\n    return t / len(ys)\n\n\n"
    "print(again([1, 2, 3]), 'is the mean')\n",
    "cay/other.py": "import sys\n\nfor line in sys.stdin:\n    words = line.split()\n    if not words:\n"
    "        continue\n"
    "    print(words[0].upper(), len(words), sep=': ')\n",
    "dan/Mean.java": "class Mean { static double mean(double[] a) { double s = 0; for (double x : a) { s += x; }\n"
    "return s / a.length; } public static void main(String[] p) { System.out.println(mean(new double[]{1, 2})); } }\n",
    "eve/Avg.java": "class Avg { static double avg(double[] v) { double t = 0; for (double y : v) { t += y; }\n"
    "return t / v.length; } public static void main(String[] q) { System.out.println(avg(new double[]{1, 2})); } }\n",
}


def write_files(data: Data) -> None:
    """Writes all files. Names are relative, so that answers that contain paths are the same on every machine."""
    _write_tables(data)
    _write_texts(data)
    _write_sets(data)
    _write_vectors(data)
    _write_records(data)


def _write_tables(data: Data) -> None:
    rows = data.rows
    lines = jsonl(rows)
    Path("news.jsonl").write_bytes(lines)
    Path("news.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
    Path("news.jsonl.bz2").write_bytes(bz2.compress(lines))
    pq.write_table(data.table, "news.parquet", row_group_size=90)
    Path("parts").mkdir()
    for part in range(3):
        pq.write_table(data.table.slice(part * 150, 150), f"parts/{part}.parquet")
    flat = ("id", "score", "text")
    for suffix, separator in (("csv", ","), ("tsv", "\t")):
        write_csv(f"news.{suffix}", flat, ([row[name] for name in flat] for row in rows), separator)
    Path("later.jsonl").write_bytes(jsonl({"key": f"l{i}", "body": text} for i, text in enumerate(data.later)))
    Path("reference.jsonl").write_bytes(jsonl({"id": f"r{i}", "text": text} for i, text in enumerate(data.later)))
    broken = lines.splitlines(keepends=True)[:60]
    broken.insert(20, b'{"id": "broken", "text": \n')
    Path("broken.jsonl").write_bytes(b"".join(broken))
    Path("pages.jsonl").write_bytes(jsonl(data.web_pages))


def _write_texts(data: Data) -> None:
    Path("folder").mkdir()
    for i, text in enumerate(data.few):
        path = Path(f"folder/{i % 4}/{i}.txt")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept = [" ".join(text.split()) for text in data.few]
    Path("lines.txt").write_text("".join(f"{text}\n" for text in kept), encoding="utf-8")
    for name, texts in (("essays", data.essays), ("library", data.library)):
        Path(name).mkdir()
        for i, text in enumerate(texts):
            Path(f"{name}/{i:02}.txt").write_text(text, encoding="utf-8")
    for name, program in PROGRAMS.items():
        path = Path("programs") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(program, encoding="utf-8")


def _write_sets(data: Data) -> None:
    Path("baskets.dat").write_text("".join(" ".join(row) + "\n" for row in data.baskets), encoding="utf-8")
    write_csv("baskets.csv", None, data.baskets, ",")
    Path("items.jsonl").write_bytes(jsonl({"id": i, "items": row} for i, row in enumerate(data.tokens)))
    pq.write_table(pa.table({"items": pa.array(data.tokens, pa.list_(pa.string()))}), "items.parquet")
    columns = data.purchases.to_pydict()
    write_csv("purchases.csv", tuple(columns), zip(*columns.values(), strict=True), ",")


def _write_vectors(data: Data) -> None:
    np.save("vectors.npy", data.vectors)
    np.save("queries.npy", data.queries)
    np.save("bits.npy", data.bits)
    pq.write_table(data.vector_table, "vectors.parquet")


def _write_records(data: Data) -> None:
    for name, rows in (("people", data.people), ("shop", data.shop), ("supplier", data.supplier)):
        write_csv(f"{name}.csv", tuple(rows[0]), (row.values() for row in rows), ",")
    write_csv("prints.csv", ("print", "x", "y", "angle"), data.minutiae, ",")
    half = len(data.minutiae) // 2
    write_csv("gallery.csv", ("print", "x", "y", "angle"), data.minutiae[:half], ",")


def jsonl(rows: Iterable[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write_csv(path: str, names: Sequence[str] | None, rows: Iterable[Iterable[Any]], separator: str) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        if names is not None:
            writer.writerow(names)
        writer.writerows(rows)
