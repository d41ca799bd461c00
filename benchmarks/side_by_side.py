"""The scripts of docs/coming-from, theirs and ours, on the same generated data: cost, recall and precision.

    python benchmarks/side_by_side.py datasketch [--size 20000] [--rounds 3] [--peer PYTHON]
    python benchmarks/side_by_side.py text_dedup --peer PYTHON       # an interpreter of 3.12 or newer with text-dedup

Texts are the `zipf` texts of corpus.py, in one file or in four; records are those of generated_people.py. Each script
is in benchmarks/coming_from/ and runs in its own process.

Pairs: recall is the share of true pairs that are reported, precision the share of reported pairs that are true.
Deduplicated corpora: recall is the share of true pairs of which at most one document is left, precision the share of
removed documents that are in a true pair, and lost the number of groups of which no document is left. (A group is a
document without a true pair, or documents that are connected by true pairs.) Entities: recall and precision are
pairwise.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files, corpus, measure, peer_environment, truth
from common.generated_people import people

HERE = Path(__file__).parent
FILES = 4
SHINGLE_WORDS = 5
TOOLS = {
    "datasketch": ("datasketch_theirs", "datasketch_ours"),
    "datatrove": ("datatrove_theirs", "datatrove_ours"),
    "text_dedup": ("text_dedup_theirs", "text_dedup_ours"),
    "splink": ("splink_theirs", "splink_ours"),
    "dedupe": ("dedupe_theirs", "splink_ours"),
}


def main() -> None:
    options = parsed()
    peer = options.peer or peer_environment.peers_python(
        build_files.FOLDER / "coming-from-venv", HERE / "coming-from-requirements.txt"
    )
    theirs, ours = TOOLS[options.tool]
    if options.tool in ("splink", "dedupe"):
        data, persons = records(options.size)
        more = [str(persons.absolute())]
    else:
        texts, more = corpus.write("zipf", options.size), []
        data = texts if options.tool == "datasketch" else in_files(texts)
    answers = {script: build_files.FOLDER / f"out-{script}.parquet" for script in (theirs, ours)}
    commands = {}
    for script, python in ((theirs, peer), (ours, options.python)):
        files = [str(data.absolute()), str(answers[script].absolute()), *more]
        commands[script] = [str(python.absolute()), "-m", "coming_from.job", script, *files]
    busy = os.getloadavg()[0]
    costs = measure.interleaved(commands, options.rounds)
    print(f"{data.stem}; median of {options.rounds}; {measure.machine()}; load before the start {busy:.1f}\n")
    print(
        "| script | wall s | CPU s | peak MiB | found | recall | precision | lost |\n|---|---|---|---|---|---|---|---|"
    )
    for script, cost in costs.items():
        if isinstance(cost, str):
            print(f"| {script} | failed: {cost} | | | | | | |")
            continue
        lost: int | str = ""
        if options.tool in ("splink", "dedupe"):
            found, recall, precision = judged_entities(persons, answers[script])
        elif options.tool == "datasketch":
            found, recall, precision = truth.judge(texts, answers[script], SHINGLE_WORDS)
        else:
            found, recall, precision, lost = judged_corpus(texts, answers[script])
        print(
            f"| {script} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak_mib:,.0f} | {found:,} "
            f"| {recall:.4f} | {precision:.4f} | {lost} |"
        )


def in_files(texts: Path) -> Path:
    """A folder with the texts in several files, since several tools assign whole files to their processes."""

    def write(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        table = pq.read_table(texts, columns=["id", "text"])
        rows = -(-len(table) // FILES)
        for number in range(FILES):
            pq.write_table(table.slice(number * rows, rows), folder / f"{number}.parquet")

    return build_files.written_once(f"{texts.stem}-in-{FILES}-files", write)


def records(count: int) -> tuple[Path, Path]:
    """A table of people, and the file with the person of each record."""
    table, person = people(count)
    data = build_files.written_once(f"people-{count}.parquet", partial(pq.write_table, table))
    persons = pa.table({"person": person})
    return data, build_files.written_once(f"persons-{count}.parquet", partial(pq.write_table, persons))


def judged_corpus(texts: Path, answer: Path) -> tuple[int, float, float, int]:
    """The number of removed documents, recall, precision, and the number of lost groups."""
    true = truth.pairs(texts, SHINGLE_WORDS)
    row = {id: row for row, id in enumerate(pq.read_table(texts, columns=["id"])["id"].to_pylist())}
    kept = np.zeros(len(row), dtype=bool)
    kept[[row[id] for id in pq.read_table(answer)["kept"].to_pylist()]] = True
    partnered = np.zeros(len(row), dtype=bool)
    partnered[true.ravel()] = True
    left = kept[true[:, 0]] & kept[true[:, 1]]
    removed = int((~kept).sum())
    group = groups(len(kept), true)
    lost = len(np.unique(group)) - len(np.unique(group[kept]))
    return removed, 1 - float(left.mean()), float((~kept & partnered).sum() / max(1, removed)), lost


def groups(count: int, pairs: np.ndarray) -> np.ndarray:
    """For each document, the first document that it is connected with by pairs."""
    first = np.arange(count)
    while True:
        least = np.minimum(first[pairs[:, 0]], first[pairs[:, 1]])
        before = first.copy()
        np.minimum.at(first, pairs[:, 0], least)
        np.minimum.at(first, pairs[:, 1], least)
        if (first == before).all():
            return first


def judged_entities(persons: Path, answer: Path) -> tuple[int, float, float]:
    """The number of pairs of records in one entity, recall and precision."""
    person = pq.read_table(persons)["person"].to_numpy()
    found = pq.read_table(answer)
    cluster = np.empty(len(person), dtype=np.int64)
    cluster[found["id"].to_numpy()] = found["cluster"].to_numpy()
    both = truth.pairs_within(cluster * (person.max() + 1) + person)
    pairs = truth.pairs_within(cluster)
    return pairs, both / truth.pairs_within(person), both / max(1, pairs)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("--size", type=int, default=20_000, help="number of documents or records")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", type=Path, help="interpreter with the peers installed (default: set up on first use)")
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="interpreter with lookalike installed"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
