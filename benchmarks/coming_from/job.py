"""Runs one script of this folder in its own process, and writes its answer as a table.

    python -m coming_from.job SCRIPT DATA ANSWER [PEOPLE]

Pairs have the columns left and right, deduplicated corpora the column kept (ids), entities the columns id and cluster.
PEOPLE is a file with the person of each record, for tools that ask a person for labels.
"""

from __future__ import annotations

import importlib
import inspect
import json
import resource
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MEMORY = 12 << 30  # bytes; dedupe took 19.7 GB for 10,000 records, and the whole machine ran out of memory
QUESTIONS = 100
"""Number of pairs that are labelled for tools that need labels."""


def main(script: str, data: str, answer: str, people: str | None = None) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    module = importlib.import_module(f"coming_from.{script}")
    if hasattr(module, "near_duplicates"):
        pairs = list(module.near_duplicates(data))
        table = pa.table({"left": [pair[0] for pair in pairs], "right": [pair[1] for pair in pairs]})
    elif hasattr(module, "deduplicate"):
        with tempfile.TemporaryDirectory() as folder:
            module.deduplicate(data, f"{folder}/out")
            table = pa.table({"kept": _ids(Path(folder, "out"))})
    else:
        labelled = "label" in inspect.signature(module.entities).parameters
        options = {"label": partial(answer_questions, people)} if labelled and people else {}
        found = module.entities(data, **options)
        table = pa.table({"id": [row[0] for row in found], "cluster": [row[1] for row in found]})
    pq.write_table(table, answer)
    print(json.dumps({}))


def _ids(out: Path) -> list[str]:
    """The ids of the documents in an output folder: Parquet files, or a dataset of Hugging Face."""
    if (out / "dataset_info.json").exists():
        from datasets import load_from_disk

        return list(load_from_disk(str(out))["id"])
    return [id for file in sorted(out.glob("*.parquet")) for id in pq.read_table(file)["id"].to_pylist()]


def answer_questions(people: str, deduper: Any) -> None:
    """Labels the pairs that dedupe is least certain about, in place of the person who would answer its questions."""
    person = pq.read_table(people)["person"].to_pylist()
    for _ in range(QUESTIONS):
        for pair in deduper.uncertain_pairs():
            same = person[pair[0]["id"]] == person[pair[1]["id"]]
            deduper.mark_pairs({"match": [pair] if same else [], "distinct": [] if same else [pair]})


if __name__ == "__main__":
    main(*sys.argv[1:])
