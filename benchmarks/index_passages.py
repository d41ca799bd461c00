"""An index that finds passages, next to one that does not: size, time to build, and queries for passages.

    python benchmarks/index_passages.py [--documents 200000] [--kind zipf]

The queries are passages of documents: 14 words, which are ten shingles, so their documents are always found; and 60
words of which one in ten was changed. "Found" is the share of the documents from which the passages were taken, of
those that contain at least 0.3 of the shingles.
"""

from __future__ import annotations

import argparse
import random
import shutil
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from common import build_files, corpus, measure, text_kinds
from contenders.index_contender import size_of

import lookalike as la

QUERIES = 2_000

THRESHOLD = 0.3


def built(data: Path, *, contain: bool) -> Path:
    """Builds an index of the data. Returns its folder."""
    name = "with passages" if contain else "without"
    folder = build_files.FOLDER / f"passages-{contain}.index"
    shutil.rmtree(folder, ignore_errors=True)
    with la.Index.create(folder, threshold=0.8, shingles="words:5", seed=1, contain=contain) as ix:
        wall, cpu = time.perf_counter(), time.process_time()
        count = len(ix.add(data, column="text"))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        segments = ix.info()["segments"]
    rates = f"{count / wall:,.0f} documents per second, {count / cpu:,.0f} per CPU second"
    print(f"{name}: {rates}, {size_of(folder) / count:,.0f} bytes per document, {segments} segments", flush=True)
    return folder


def shingles(words: list[str]) -> set[tuple[str, ...]]:
    return set(zip(*(words[k:] for k in range(5)), strict=False))


def passages(texts: list[str], words: int, changed: float) -> list[tuple[int, str]]:
    """Passages that random documents contain, with the number of the document."""
    rng, made = random.Random(1), list[tuple[int, str]]()
    while len(made) < QUERIES:
        place = rng.randrange(len(texts))
        every = texts[place].split()
        if len(every) >= 2 * words:
            start = rng.randrange(len(every) - words)
            some = every[start : start + words]
            asked = ["changed" if rng.random() < changed else word for word in some]
            mine = shingles(asked)
            if len(mine & shingles(every)) >= THRESHOLD * len(mine):
                made.append((place, " ".join(asked)))
    return made


def ask(ix: la.Index, name: str, asked: list[tuple[int, str]]) -> None:
    """Asks for passages one by one and all at once, and prints the times and what was found."""
    seconds, found = [], 0
    for place, text in asked:
        began = time.perf_counter()
        answers = ix.query(text, measure="containment", threshold=THRESHOLD)
        seconds.append(time.perf_counter() - began)
        found += place in answers.right.to_pylist()
    median, slow = 1000 * np.percentile(seconds, [50, 99])
    began = time.perf_counter()
    ix.query([text for _, text in asked], measure="containment", threshold=THRESHOLD)
    rate = len(asked) / (time.perf_counter() - began)
    print(f"{name}: {median:.2f} ms, {slow:.2f} ms at the 99th percentile, {rate:,.0f} per second at once", flush=True)
    print(f"{name}: {found / len(asked):.4f} of the documents found", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    given = parser.parse_args()
    data = corpus.write(given.kind, given.documents)
    print(f"{data.stem}; {measure.machine()}", flush=True)
    shutil.rmtree(built(data, contain=False))
    folder = built(data, contain=True)
    texts = pq.read_table(data, columns=["text"])["text"].to_pylist()
    with la.Index.open(folder) as ix:
        ask(ix, "14 words", passages(texts, 14, 0.0))
        ask(ix, "60 words, one in ten changed", passages(texts, 60, 0.1))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
