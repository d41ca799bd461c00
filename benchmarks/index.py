"""Indexes that stay: building, size, queries, single durable adds, deletes and memory, next to other tools.

    python benchmarks/index.py [--documents 100000] [--adds 1000] [--only lookalike lance] [--kind zipf]
    python benchmarks/index.py --documents 2000 --queries 400 --adds 50 --family 1000 --peer-documents 500   # seconds

Every second query is an edited copy of a document (similarity 0.5 to 1), and the others are similar to none. Recall is
the share of true pairs of a query and a document at 0.8 or more that are found, with any similarity; "reported" is the
share whose similarity is also reported to be 0.8 or more. The error is the root mean square of the difference between
reported and exact similarity. "cold" queries are asked after the system was made to forget the index's files; before
all others, these were read. Deletes are the median of five lots of 500.

The system's share of the CPU seconds is mostly the clearing of memory that a process uses for the first time. It is
several times larger on a virtual machine that has not used this memory before, so let something else use it first.

"fsync" is the number of times that the disk is forced per single add, as counted by strace. Without it, a crash of the
machine may lose the add. Lance, datasketch in memory and datasketch on Redis do not connect clusters, and datasketch
does not store texts.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from common import build_files, corpus, families, index_data, measure, peer_environment, text_kinds
from contenders.index_contender import Job

HERE = Path(__file__).parent
THRESHOLD = 0.8
SLOW = ("index_datasketch", "index_redis")
"""Contenders that index only the first documents, because they are slow."""
CONTENDERS = ("index_lookalike", "index_lance", *SLOW)
TRACED_DOCUMENTS, TRACED_ADDS = 2_000, 100


def main() -> None:
    options = parsed()
    texts = corpus.write(options.kind, options.documents)
    asked = index_data.queries(options.kind, options.documents, options.queries)
    new = index_data.new_texts(options.kind, max(options.adds, TRACED_ADDS))
    size = pq.read_metadata(texts).row_group(0).column(1).total_uncompressed_size
    print(f"{texts.stem}, {options.queries:,} queries; {measure.machine()}; load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"The first row group has {size / pq.read_metadata(texts).row_group(0).num_rows:,.0f} bytes per document.\n")
    results: dict[str, dict[str, Any]] = {}
    for name in CONTENDERS:
        if options.only and not any(part in name for part in options.only):
            continue
        python = options.python if name == "index_lookalike" else peers_python()
        try:
            results[name] = everything(name, python, options, texts, asked, new)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            print(f"{name} failed: {error}", flush=True)
            continue
        print(json.dumps({name: results[name]}), flush=True)
    print()
    for line in table(results):
        print(line)


def peers_python() -> Path:
    return peer_environment.peers_python(build_files.FOLDER / "index-venv", HERE / "index-requirements.txt")


def everything(
    name: str, python: Path, options: argparse.Namespace, texts: Path, asked: Path, new: Path
) -> dict[str, Any]:
    """All measurements of a contender."""
    folder, out = build_files.FOLDER / f"out-{name}", build_files.FOLDER / f"out-{name}.parquet"
    is_ours = name == "index_lookalike"
    documents = min(options.documents, options.peer_documents) if name in SLOW else options.documents
    job = Job(
        folder=str(folder.absolute()),
        corpus=str(texts.absolute()),
        queries=str(asked.absolute()),
        new=str(new.absolute()),
        out=str(out.absolute()),
        documents=documents,
        single=options.single,
        adds=options.adds if is_ours else min(options.adds, options.peer_adds),
        deletes=min(options.deletes, documents // 20),
    )
    shutil.rmtree(folder, ignore_errors=True)
    result = run(name, python, job)
    result |= judged(options, asked, out, documents)
    if name not in SLOW:
        result |= run(name, python, changed(job, step="reader"))
    if name != "index_datasketch":
        result["fsync"] = forced(name, python, changed(job, documents=TRACED_DOCUMENTS, adds=TRACED_ADDS, step="adds"))
    if name not in SLOW and options.family:
        near = str(families.write("near-copies", options.family).absolute())
        job = changed(job, corpus=near, documents=options.family, step="family")
        result |= {f"family_{fact}": value for fact, value in run(name, python, job).items()}
    shutil.rmtree(folder, ignore_errors=True)
    return result


def changed(job: Job, **fields: Any) -> Job:
    return Job(**{**asdict(job), **fields})


def run(name: str, python: Path, job: Job) -> dict[str, Any]:
    return measure.run([str(python.absolute()), "-m", f"contenders.{name}", json.dumps(asdict(job))]).answer


def forced(name: str, python: Path, job: Job) -> float | None:
    """How often the disk is forced per single add; None without strace."""
    if shutil.which("strace") is None:
        return None
    trace = build_files.FOLDER / f"{name}.strace"
    traced = ["strace", "-f", "-e", "trace=fsync,fdatasync,write", "-s", "16", "-o", str(trace)]
    command = [*traced, str(python.absolute()), "-m", f"contenders.{name}", json.dumps(asdict(job))]
    subprocess.run(command, check=True, cwd=HERE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = trace.read_text()
    trace.unlink()
    begin, end = text.index('"adds begin'), text.index('"adds end')
    return len(re.findall(r"f(?:data)?sync\(", text[begin:end])) / job.adds


def judged(options: argparse.Namespace, asked: Path, out: Path, documents: int) -> dict[str, Any]:
    """Recall at the threshold, and the error of similarities."""
    true = index_data.answers(options.kind, options.documents, asked)
    true = {pair: value for pair, value in true.items() if pair[1] < documents}
    found = pq.read_table(out)
    pairs = zip(found["query"].to_pylist(), found["row"].to_pylist(), strict=True)
    reported = dict(zip(pairs, found["similarity"].to_pylist(), strict=True))
    similar = [pair for pair, value in true.items() if value >= THRESHOLD]
    hits = [pair for pair in similar if pair in reported]
    errors = np.array([reported[pair] - true[pair] for pair in hits])
    above = sum(reported[pair] >= THRESHOLD - 1e-9 for pair in hits)
    return {
        "true_pairs": len(similar),
        "recall": len(hits) / max(1, len(similar)),
        "reported": above / max(1, len(similar)),
        "error": float(np.sqrt(np.mean(errors**2))) if len(errors) else 0.0,
    }


def table(results: dict[str, dict[str, Any]]) -> list[str]:
    """The results as a table of Markdown, one column per contender."""
    names = list(results)
    lines = ["| | " + " | ".join(name.removeprefix("index_") for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    rows: dict[str, Callable[[dict[str, Any]], str]] = {
        "documents": lambda r: f"{r['documents']:,}",
        "documents per second, build": lambda r: f"{r['documents'] / r['build_wall']:,.0f}",
        "documents per CPU second, build": lambda r: f"{r['documents'] / r['build_cpu']:,.0f}",
        "CPU seconds of the system in it": lambda r: f"{r['build_system']:.1f} of {r['build_cpu']:.1f}",
        "bytes per document": lambda r: f"{r['bytes'] / r['documents']:,.0f}" if r["bytes"] else "",
        "query, ms: median / p99": lambda r: milliseconds(r["query"][:2]),
        "copies only, ms: median / p99": lambda r: milliseconds(r["query_copies"][:2]),
        "cold query, ms: median / p99": lambda r: milliseconds(r["cold"][:2]),
        "queries per second, all at once": lambda r: f"{r['batch']:,.0f}",
        "recall (reported)": lambda r: f"{r['recall']:.4f} ({r['reported']:.4f})",
        "error of similarities": lambda r: f"{r['error']:.4f}",
        "single adds, ms: median / p99 / max": lambda r: milliseconds(r["add"]),
        "fsync per add": lambda r: f"{r['fsync']:.2f}" if r.get("fsync") is not None else "",
        "query after the adds, ms: median / p99": lambda r: milliseconds(r["query_after"][:2]),
        "500 deletes, ms": lambda r: milliseconds([r["delete"]]),
        "500 deletes in a family, ms": lambda r: milliseconds([r["family_delete"]]),
        "clusters after 1,000 deletes there, s": lambda r: f"{r['family_clusters']:.2f}",
        "memory of a reader, MiB (before opening)": lambda r: f"{r['memory']:.0f} ({r['memory_before']:.0f})",
    }
    for label, show in rows.items():
        cells = []
        for name in names:
            try:
                cells.append(show(results[name]))
            except KeyError:
                cells.append("")
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return lines


def milliseconds(seconds: Sequence[float]) -> str:
    return " / ".join(f"{1000 * value:.2f}" for value in seconds)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    parser.add_argument("--queries", type=int, default=20_000, help="queries that are asked at once")
    parser.add_argument("--single", type=int, default=2_000, help="queries that are asked one at a time")
    parser.add_argument("--adds", type=int, default=1_000, help="documents that are added one at a time")
    parser.add_argument("--peer-adds", type=int, default=200, help="the same for other tools, which become slower")
    parser.add_argument("--peer-documents", type=int, default=5_000, help="documents for the slow tools")
    parser.add_argument("--deletes", type=int, default=500)
    parser.add_argument("--family", type=int, default=100_000, help="near-copies in a family (0: skip)")
    parser.add_argument("--only", nargs="*", default=[], help="run only contenders whose names contain one of these")
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="interpreter with lookalike installed"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
