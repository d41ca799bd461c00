"""Peers: what does it cost to find near-duplicates at 0.8 in a Parquet file, and how many are found?

    python benchmarks/peers.py [--documents 100000] [--kind zipf] [--file texts.parquet] [--rounds 5] [--only daft]

Every contender is a script in benchmarks/contenders/, with its settings at the top. It runs in its own process, reads
the file and writes the pairs, clusters or flags that it found. Recall and precision are computed afterwards from exact
similarities. Reading the column, and finding exact copies, give a lower bound of the cost ("floors").
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import build_files, corpus, measure, peer_environment, text_kinds, truth

# Contenders are compared within a group: those of a group give the same kind of answer.
CONTENDERS = {
    "pairs": {
        "lookalike, pairs": "lookalike_pairs",
        "Daft minhash + NumPy join": "daft_pairs",
        "Daft, then verified exactly": "daft_verified",
        "rensa + NumPy join": "rensa_pairs",
        "gaoya": "gaoya_pairs",
        "datasketch": "datasketch_pairs",
    },
    "clusters or flags": {
        "lookalike, clusters": "lookalike_clusters",
        "rensa, flags": "rensa_flags",
        "datatrove, clusters": "datatrove_clusters",
    },
    "floors": {
        "read the column (pyarrow)": "floor_read",
        "equal texts (Polars)": "floor_polars",
        "equal texts (DuckDB)": "floor_duckdb",
    },
}


def main() -> None:
    options = parsed()
    path = options.file or corpus.write(options.kind, options.documents)
    k = 5 if options.file else text_kinds.KINDS[options.kind].k
    words = "marks" if options.file else text_kinds.KINDS[options.kind].words
    peers = peer_environment.peers_python(build_files.FOLDER / "venv")
    outs, commands = {}, {}
    for group in CONTENDERS.values():
        for name, script in group.items():
            if not any(word in name for word in options.only):
                continue
            outs[name] = build_files.FOLDER / f"out-{script}.parquet"
            python = options.python if script.startswith("lookalike") else peers
            job = [str(path.absolute()), str(outs[name].absolute()), str(k), words]
            commands[name] = [str(python.absolute()), "-m", f"contenders.{script}", *job]
    costs = measure.interleaved(commands, options.rounds, options.limit)
    size = path.stat().st_size / 2**20
    print(f"{path.stem}, {size:.0f} MiB, words:{k}; median of {options.rounds}; {measure.machine()}\n")
    print("| | settings | wall s | CPU s | peak MiB | found | recall | precision |\n|---|---|---|---|---|---|---|---|")
    for kind, names in CONTENDERS.items():
        for name in (name for name in names if name in costs):
            print(row(name, costs[name], path, outs[name], None if kind == "floors" else k))
    print()


def row(name: str, cost: measure.Cost | str, path: Path, out: Path, k: int | None) -> str:
    if isinstance(cost, str):
        return f"| {name} | skipped: {cost} | | | | | | |"
    once = " (1 run)" if cost.runs == 1 else ""
    start = f"| {name} | {cost.answer['settings']} | {cost.wall:.2f}{once} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} |"
    if k is None:
        return f"{start} | | |"
    found, recall, precision = truth.judge(path, out, k)
    return f"{start} {found:,} | {recall:.4f} | {precision:.4f} |"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    parser.add_argument("--file", type=Path, help="Parquet file with a column `text`, instead of generated texts")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=20, help="contenders that take longer run only once, in seconds")
    parser.add_argument("--only", nargs="*", default=[""], help="run only contenders whose names contain one of these")
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="interpreter with lookalike installed"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
