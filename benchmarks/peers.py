"""From a Parquet file to near-duplicates at 0.8, or to exact copies: what does it cost, and what is found?

    python benchmarks/peers.py [--documents 100000] [--kind zipf] [--file texts.parquet] [--rounds 5] [--only daft]

Every contender is a script in benchmarks/contenders/, with its settings on top, run in a process of its own: it reads
the file, finds, and writes what it found. Recall and precision are judged afterwards, against exact similarities.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import build_files, corpus, measure, peer_environment, text_kinds, truth

# Compared are those that give the same kind of answer.
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
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="of generated text")
    parser.add_argument("--file", type=Path, help="a Parquet file with a column text, instead of generated text")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=20, help="what takes longer, in seconds, is run only once")
    parser.add_argument("--only", nargs="*", default=[""], help="contenders whose name contains one of these")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="an interpreter that has lookalike")
    return parser.parse_args()


if __name__ == "__main__":
    main()
