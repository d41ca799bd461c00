"""Row groups: do time and memory of a run depend on how the rows of a Parquet file are divided into row groups?

    python benchmarks/row_groups.py [--documents 40000] [--long 1000] [--length 200000] [--page-rows 16] [--rounds 5]

Each file contains the same texts in the same order; some neighbours among them are long. Only the row groups differ.
Each layout is compared with row groups of about equal size, and must have the same answer.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import measure

FOLDER = measure.HERE.parent / "build" / "benchmarks" / "row-groups"
EVEN_BYTES = 8 << 20
EVEN = "of about 8 MiB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--long", type=int, default=1000, help="how many documents are long (default: 1000)")
    parser.add_argument("--length", type=int, default=200_000, help="characters of a long document (default: 200000)")
    parser.add_argument("--page-rows", type=int, default=16, help="least rows of a page (default: 16; pyarrow's: 1024)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        answer(options.run)
        return
    files = write_files(options.documents, options.long, options.length, options.page_rows)
    commands = {name: [sys.executable, __file__, "--run", str(path)] for name, path in files.items()}
    costs = measure.interleaved(commands, options.rounds)
    even = costs[EVEN]
    assert isinstance(even, measure.Cost), even
    print(f"{measure.machine()}; median of {options.rounds}\n")
    print("| row groups | number | wall s | CPU s | peak MiB | times wall | times peak | same answer |")
    print("|---|---|---|---|---|---|---|---|")
    for name, cost in costs.items():
        if isinstance(cost, str):
            print(f"| {name} | failed: {cost} |")
            continue
        ratios = f"{cost.wall / even.wall:.2f} | {cost.peak_mib / even.peak_mib:.2f}"
        same = "yes" if cost.answer == even.answer else "NO"
        number = pq.read_metadata(files[name]).num_row_groups
        print(f"| {name} | {number:,} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} | {ratios} | {same} |")


def answer(path: Path) -> None:
    """Finds the clusters of a file, and prints their number and a digest."""
    import lookalike as la

    table = la.find_clusters(str(path), threshold=0.8).to_arrow()
    digest = hashlib.sha256()
    for column in table.columns:
        digest.update(repr(column.to_pylist()).encode())
    print(json.dumps({"rows": table.num_rows, "digest": digest.hexdigest()}))


def write_files(documents: int, long: int, length: int, page_rows: int) -> dict[str, Path]:
    """Writes one file per layout, unless it exists; returns the paths by the names of the layouts."""
    folder = FOLDER / f"{documents}-{long}-{length}-{page_rows}"
    folder.mkdir(parents=True, exist_ok=True)
    first = documents // 2
    layouts = {
        EVEN: None,
        "of 1,000 rows": list(range(0, documents, 1000)),
        "one for the long texts": [0, first, first + long],
        "one for all": [0],
        "of 10 rows": list(range(0, documents, 10)),
        "100 of 100 rows, the last with all others": list(range(0, documents // 4, 100)),
    }
    paths = {name: folder / f"{number}.parquet" for number, name in enumerate(layouts)}
    if not all(path.exists() for path in paths.values()):
        table = pa.table({"text": list(texts(documents, first, first + long, length))})
        for name, starts in layouts.items():
            write_file(table, starts or even_starts(table), paths[name], page_rows)
    return paths


def texts(documents: int, first: int, last: int, length: int) -> Iterator[str]:
    """Texts of random words. They have about 1,000 characters, those from `first` to `last` about `length`.

    Each tenth text is almost a copy of the one before it.
    """
    draw = np.random.default_rng(1)
    words = np.array([f"word{i}" for i in range(20_000)])
    made: list[str] = []
    for row in range(documents):
        size = length if first <= row < last else 1000
        text = " ".join(draw.choice(words, size // 10))
        if row % 10 == 9:
            text = made[-1] + " changed"
        made = [text]
        yield text


def even_starts(table: pa.Table) -> list[int]:
    """The first rows of row groups with about EVEN_BYTES of text each."""
    before = np.cumsum([0, *(len(text.as_py()) for text in table["text"])])[:-1]
    return [int(row) for row in np.unique(before // EVEN_BYTES, return_index=True)[1]]


def write_file(table: pa.Table, starts: list[int], path: Path, page_rows: int) -> None:
    # Pages are of about one megabyte, but of `page_rows` rows at least. A reader has to hold whole pages.
    with pq.ParquetWriter(path, table.schema, compression="zstd", write_batch_size=page_rows) as writer:
        for start, stop in zip(starts, [*starts[1:], table.num_rows], strict=True):
            writer.write_table(table.slice(start, stop - start), row_group_size=stop - start)


if __name__ == "__main__":
    main()
