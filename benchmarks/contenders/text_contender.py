"""Shared by the contenders of peers.py: reading the column, splitting words as lookalike does, and the entry point."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Job:
    """The task: find documents whose sets of k-word shingles have a Jaccard similarity of at least 0.8."""

    path: str
    k: int
    words: str
    """How words are separated: by "spaces" (lower case already), by "marks" (also punctuation), or "han" (Chinese)."""
    memory: str | None = None
    """The memory budget, for tools that have one."""


def main(contender: Callable[[Job], pa.Table], settings: str) -> None:
    path, out, k, words, *memory = sys.argv[1:]
    answer = contender(Job(path, int(k), words, *memory))
    pq.write_table(answer, out)
    print(json.dumps({"settings": settings}))


def column(job: Job) -> Any:
    """The texts as a Polars series, with words separated by one space. Polars is fast and uses all cores."""
    import polars as pl

    texts = pl.read_parquet(job.path, columns=["text"])
    if job.words == "spaces":
        return texts["text"]
    lower = pl.col("text").fill_null("").str.to_lowercase()
    if job.words == "han":
        words = lower.str.extract_all(r"[\x{3400}-\x{9fff}]|[^\W\x{3400}-\x{9fff}]+").list.join(" ")
    else:
        words = lower.str.replace_all(r"\W+", " ").str.strip_chars(" ")
    # Texts of fewer than k words are padded. Otherwise they are empty sets, which most tools consider equal.
    short = words.str.count_matches(" ", literal=True) < job.k - 1
    filled = pl.when(short).then(pl.concat_str(words, pl.lit(" _" * (job.k - 1)))).otherwise(words)
    return texts.select(filled.alias("text"))["text"]


def read(job: Job) -> list[str]:
    return list(column(job).to_list())


def shingles(text: str, k: int) -> list[str]:
    words = text.split(" ")
    return [" ".join(run) for run in zip(*(words[i:] for i in range(k)), strict=False)]
