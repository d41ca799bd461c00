"""Runs over every kind of input: files of all formats, folders, globs, tables in memory."""

from __future__ import annotations

from pathlib import Path

from tests.answers.asking import Made, Run, ask

FILES: dict[str, tuple[object, dict[str, object]]] = {
    "jsonl": ("news.jsonl", {"id": "id"}),
    "jsonl, positions": ("news.jsonl", {}),
    "jsonl, score as id": (Path("later.jsonl"), {"column": "body", "id": "key"}),
    "jsonl.gz": ("news.jsonl.gz", {"id": "id"}),
    "jsonl.bz2": ("news.jsonl.bz2", {"id": "id"}),
    "parquet": ("news.parquet", {"id": "id"}),
    "parquet, glob": ("parts/*.parquet", {"id": "id"}),
    "parquet, folder": ("parts", {}),
    "parquet, list of paths": ([Path("parts/2.parquet"), Path("parts/0.parquet")], {"id": "id"}),
    "csv": ("news.csv", {"id": "id"}),
    "tsv": ("news.tsv", {"id": "id", "batch_rows": 11}),
    "text folder": ("folder", {}),
    "lines": ("lines.txt", {"format": "lines"}),
    "baskets": ("baskets.dat", {"format": "baskets"}),
    "baskets, csv": ("baskets.csv", {"format": "baskets"}),
    "baskets, transposed": ("baskets.dat", {"format": "baskets", "transpose": True, "threshold": "0.2"}),
    "items, jsonl": ("items.jsonl", {"column": "items", "id": "id"}),
    "items, parquet": ("items.parquet", {"column": "items"}),
    "one item per row": ("purchases.csv", {"basket": "customer", "column": "product"}),
    "malformed rows": ("broken.jsonl", {"id": "id", "on_error": "skip"}),
    "Arrow": (Made("table"), {"id": "id"}),
    "Arrow, chunks and large strings": (Made("large_strings"), {"id": "number"}),
    "pandas": (Made("pandas"), {"id": "id"}),
    "Polars": (Made("polars"), {"id": "id"}),
    "dictionaries": (Made("rows"), {"id": "id"}),
    "columns": (Made("columns"), {"id": "id"}),
}

RUNS: dict[str, Run] = {
    f"input, {kind}": ask("find_pairs", source, **({"threshold": "0.6"} | reading))
    for kind, (source, reading) in FILES.items()
} | {
    "input, reference, jsonl": ask("find_pairs", "items.jsonl", column="items", id="id", engine="reference"),
    "input, reference, folder": ask("find_clusters", "folder", engine="reference"),
    "input, join of two formats": ask(
        "join", "news.parquet", "later.jsonl", id="id", right_id="key", right_column="body", threshold="0.5"
    ),
    "input, join of baskets": ask("join", "purchases.csv", basket="customer", column="product", threshold="0.5"),
}
