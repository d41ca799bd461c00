"""Candidates for matching records: those that share rare words or trigrams, beside those that share a band of hashes.

    .venv/bin/python benchmarks/record_candidates.py --data ../shared/data/records [--only abt_buy cora]

For each table of `resolve.py`, the number of candidate pairs, and the share of the true matches among them. Rare tokens
are what `resolve` and `link` use. For the bands (MMDS, section 3.8), all columns of a record are joined to one text,
which is cut into words or into trigrams of characters. The ids of records are left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from common import measure
from resolve import Task, resolved, tasks

import lookalike as la
from lookalike.apps.resolve import resolution
from lookalike.apps.resolve.candidates import Candidates, propose
from lookalike.io.records import read_records

BANDS: dict[str, dict[str, Any]] = {
    f"{bands} bands of {rows} rows, {kind}": {"shingles": shingles, "bands": bands, "rows": rows}
    for kind, shingles in (("words", "words:1"), ("trigrams", "chars:3"))
    for bands, rows in ((64, 2), (42, 3), (20, 5))
}


def rare_tokens(task: Task) -> set[tuple[int, int]]:
    """The candidates of `resolve` or `link`, as rows of the tables in order."""
    kept: list[Candidates] = []

    def noting(*values: Any, **options: Any) -> Candidates:
        kept.append(propose(*values, **options))
        return kept[-1]

    resolution.propose = noting  # type: ignore[attr-defined]
    try:
        resolved([*task.files], progress=False)
    finally:
        resolution.propose = propose  # type: ignore[attr-defined]
    return {*zip(kept[0].left.tolist(), kept[0].right.tolist(), strict=True)}


def of_bands(texts: list[str], split: int, how: dict[str, Any]) -> set[tuple[int, int]]:
    found = la.find_pairs(texts, verify="none", method="lsh", progress=False, **how)
    left, right = found.left_rows, found.right_rows
    across = (left < split) & (right >= split) if split else np.ones(len(left), bool)
    return {*zip(left[across].tolist(), right[across].tolist(), strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=["restaurants", "abt_buy", "dblp_acm", "febrl3", "cora"])
    asked = parser.parse_args()
    print(f"{measure.machine()}\n\n| table | all pairs | candidates by | pairs | recall |\n|---|---|---|---|---|")
    for name, task in tasks(asked.data).items():
        if name not in asked.only:
            continue
        tables = [read_records(file) for file in task.files]
        ids: list[str] = []
        texts: list[str] = []
        place: list[dict[str, int]] = []
        for table in tables:
            key, *columns = table.columns
            place.append({str(id): len(ids) + row for row, id in enumerate(table.columns[key].to_pylist())})
            ids += map(str, table.columns[key].to_pylist())
            values = [table.columns[column].to_pylist() for column in columns]
            texts += [" ".join(str(value) for value in row if value is not None) for row in zip(*values, strict=True)]
        split = tables[0].rows if len(tables) == 2 else 0
        truth = {tuple(sorted((place[0][a], place[-1][b]))) for a, b in task.truth()}
        every = split * (len(ids) - split) if split else len(ids) * (len(ids) - 1) // 2
        ways = {"rare words and trigrams": rare_tokens(task)}
        ways |= {way: of_bands(texts, split, how) for way, how in BANDS.items()}
        for way, found in ways.items():
            print(
                f"| {name} | {every:,} | {way} | {len(found):,} | {len(truth & found) / len(truth):.3f} |", flush=True
            )


if __name__ == "__main__":
    main()
