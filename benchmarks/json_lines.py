"""JSON Lines: how much faster are two threads than one, for plain and for gzip files?

    python benchmarks/json_lines.py [--documents 1000000] [--kind zipf] [--files 8] [--rounds 3]

The corpus is written to several files of equal size, once plain and once with gzip. `pairs` reads all of them in one
run. Runs with one and with two threads alternate. A Parquet file with the same texts is measured for comparison.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

import pyarrow.parquet as pq
from common import build_files, corpus, measure, text_kinds

PROGRAM = """
import json, sys
from pathlib import Path
import lookalike as la

threads, shingles, *names = sys.argv[1:]
paths = [Path(name) for name in names]
found = la.find_pairs(paths, column="text", shingles=shingles, threshold=0.8, threads=int(threads), progress=False)
print(json.dumps({"pairs": len(found)}))
"""
FORMATS = {"Parquet": "", "JSON Lines": ".jsonl", "JSON Lines, gzip": ".jsonl.gz"}


def written(path: Path, folder: Path, files: int) -> None:
    """Writes the texts of a Parquet file to plain and to gzip files. Each file has one part of the rows, in order."""
    folder.mkdir()
    texts = pq.read_table(path, columns=["text"])["text"]
    for number in range(files):
        begin, end = (len(texts) * i // files for i in (number, number + 1))
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts[begin:end].to_pylist()).encode()
        (folder / f"{number}.jsonl").write_bytes(lines)
        with gzip.open(folder / f"{number}.jsonl.gz", "wb", compresslevel=6) as file:
            file.write(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    path = corpus.write(given.kind, given.documents).absolute()
    folder = build_files.written_once(
        f"{given.kind}-{given.documents}-in-{given.files}-files", lambda new: written(path, new, given.files)
    )
    shingles = f"words:{text_kinds.KINDS[given.kind].k}"
    commands = {}
    for name, ending in FORMATS.items():
        paths = [str(folder / f"{i}{ending}") for i in range(given.files)] if ending else [str(path)]
        for threads in (1, 2):
            commands[f"{name} {threads}"] = [sys.executable, "-c", PROGRAM, str(threads), shingles, *paths]
    costs = measure.interleaved(commands, given.rounds)
    print(f"{given.kind}, {given.documents:,} documents; median of {given.rounds}; {measure.machine()}\n")
    print("| format | one thread: wall s | CPU s | two threads: wall s | CPU s | speed-up | pairs |")
    print("|---|---|---|---|---|---|---|")
    for name in FORMATS:
        one, two = costs[f"{name} 1"], costs[f"{name} 2"]
        if isinstance(one, str) or isinstance(two, str):
            print(f"| {name} | failed: {one if isinstance(one, str) else two} |")
            continue
        print(
            f"| {name} | {one.wall:.2f} | {one.cpu:.2f} | {two.wall:.2f} | {two.cpu:.2f} | {one.wall / two.wall:.2f} "
            f"| {two.answer['pairs']:,} |"
        )


if __name__ == "__main__":
    main()
