"""Runs of dedupe: survivor rules, linkage, references, and the files that it writes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from lookalike.results.survivors import RULES
from tests.answers.adapters import deduped
from tests.answers.asking import Made, Run, ask, call
from tests.answers.data import Data

KEEP = (*RULES, "best:score", "best:weight")


def written(source: str, out: str, **options: Any) -> Run:
    """The bytes of each file of kept rows (for Parquet, the values), and the table of removed rows."""

    def run(data: Data) -> Any:
        with tempfile.TemporaryDirectory(dir=".") as folder:
            path, removed = Path(folder) / out, Path(folder) / "removed.parquet"
            result = call(data, "dedupe", source, out=path, removed=removed, **options)
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            kept = {
                file.relative_to(folder).as_posix(): pq.read_table(file) if file.suffix == ".parquet" else _bytes(file)
                for file in files
                if file.is_file()
            }
            return {"kept": kept, "removed": pq.read_table(removed), "result": deduped(result)}

    return run


def _bytes(file: Path) -> bytes:
    """The bytes of a file, decompressed, because compressed bytes may differ between versions of zlib."""
    if file.suffix == ".gz":
        import gzip

        return gzip.decompress(file.read_bytes())
    return file.read_bytes()


def _by_rule() -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for keep in KEEP:
        for linkage in ("connected", "star"):
            runs[f"dedupe, {keep}, {linkage}"] = ask(
                "dedupe", Made("table"), id="id", keep=keep, linkage=linkage, threshold="0.4"
            )
    return runs


RUNS: dict[str, Run] = _by_rule() | {
    "dedupe, texts": ask("dedupe", Made("texts")),
    "dedupe, tokens": ask("dedupe", Made("tokens"), threshold="0.5", keep="longest"),
    "dedupe, chain, connected": ask("dedupe", Made("chain"), threshold="0.6", linkage="connected"),
    "dedupe, chain, star": ask("dedupe", Made("chain"), threshold="0.6", linkage="star"),
    "dedupe, reference engine": ask("dedupe", Made("few"), threshold="0.5", engine="reference", keep="longest"),
    "dedupe, reference engine, star": ask("dedupe", Made("few"), threshold="0.4", engine="reference", linkage="star"),
    "dedupe, by signature": ask("dedupe", Made("texts"), threshold="0.5", verify="signature"),
    "dedupe, exact": ask("dedupe", Made("many"), threshold="0.5", method="exact", threads=2),
    "dedupe, against": ask("dedupe", Made("texts"), against=Made("later"), threshold="0.5"),
    "dedupe, against, star": ask(
        "dedupe", Made("texts"), against=Made("later"), threshold="0.4", linkage="star", keep="longest"
    ),
    "dedupe, against a file": ask(
        "dedupe", "news.jsonl", against="reference.jsonl", id="id", threshold="0.6", keep="last"
    ),
    "dedupe, against, reference engine": ask(
        "dedupe", Made("few"), against=Made("fewer"), threshold="0.5", engine="reference"
    ),
    "dedupe, out, jsonl": written("news.jsonl", "kept.jsonl", id="id", threshold="0.5"),
    "dedupe, out, jsonl.gz": written("news.jsonl.gz", "kept.jsonl.gz", id="id", threshold="0.5", keep="longest"),
    "dedupe, out, csv": written("news.csv", "kept.csv", id="id", threshold="0.5", keep="best:score"),
    "dedupe, out, tsv": written("news.tsv", "kept.tsv", threshold="0.5", keep="last"),
    "dedupe, out, parquet": written("news.parquet", "kept.parquet", id="id", threshold="0.5"),
    "dedupe, out, many files": written("parts/*.parquet", "kept", id="id", threshold="0.5"),
    "dedupe, out, text folder": written("folder", "kept", threshold="0.5"),
    "dedupe, out, lines": written("lines.txt", "kept.txt", format="lines", threshold="0.5"),
    "dedupe, out, baskets": written("baskets.dat", "kept.dat", format="baskets", threshold="0.6"),
    "dedupe, out, against": written(
        "news.jsonl", "kept.jsonl", id="id", threshold="0.5", against="reference.jsonl", keep="shortest"
    ),
    "dedupe, out, malformed rows": written("broken.jsonl", "kept.jsonl", threshold="0.5", on_error="skip"),
}
