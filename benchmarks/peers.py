"""Peers: what does it cost to find near-duplicates at 0.8 in a Parquet file, and how many are found?

    python benchmarks/peers.py [--documents 100000] [--kind zipf] [--file texts.parquet] [--rounds 5] [--only daft]
                               [--save results.json]

Every contender is a script in benchmarks/contenders/, with its settings at the top. It runs in its own process, reads
the file and writes the pairs, clusters or flags that it found. Recall and precision are computed afterwards from exact
similarities. Reading the column, and finding exact copies, give a lower bound of the cost ("floors"). A saved file of
results is the input of tools/benchmark_chart.py.
"""

from __future__ import annotations

import argparse
import json
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
    results = []
    for kind, names in CONTENDERS.items():
        for name in (name for name in names if name in costs):
            cost = costs[name]
            if isinstance(cost, str):
                print(f"| {name} | skipped: {cost} | | | | | | |")
                continue
            judged = None if kind == "floors" else truth.judge(path, outs[name], k)
            results.append(as_dict(name, kind, cost, judged))
            print(row(results[-1]), flush=True)
    print()
    if options.save:
        about = {"corpus": path.stem, "mib": round(size), "k": k, "machine": measure.machine()}
        options.save.write_text(json.dumps({**about, "results": results}, indent=1) + "\n")


def as_dict(name: str, group: str, cost: measure.Cost, judged: tuple[int, float, float] | None) -> dict[str, object]:
    """One result, as it is saved. Floors find only equal texts, so they have no recall and no precision."""
    costs = {"wall": round(cost.wall, 2), "cpu": round(cost.cpu, 2), "peak_mib": round(cost.peak_mib)}
    result = {"name": name, "group": group, "settings": cost.answer["settings"], "runs": cost.runs, **costs}
    if judged:
        found, recall, precision = judged
        result |= {"found": found, "recall": round(recall, 4), "precision": round(precision, 4)}
    return result


def row(result: dict[str, object]) -> str:
    once = " (1 run)" if result["runs"] == 1 else ""
    costs = f"{result['wall']:.2f}{once} | {result['cpu']:.2f} | {result['peak_mib']:,}"
    start = f"| {result['name']} | {result['settings']} | {costs} |"
    if "found" not in result:
        return f"{start} | | |"
    return f"{start} {result['found']:,} | {result['recall']:.4f} | {result['precision']:.4f} |"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    parser.add_argument("--file", type=Path, help="Parquet file with a column `text`, instead of generated texts")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=20, help="contenders that take longer run only once, in seconds")
    parser.add_argument("--only", nargs="*", default=[""], help="run only contenders whose names contain one of these")
    parser.add_argument("--save", type=Path, help="write the results to this JSON file")
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="interpreter with lookalike installed"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
