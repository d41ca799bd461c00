"""Entity resolution without labels or settings: precision, recall and F1 on the tables of the literature.

    .venv/bin/python benchmarks/resolve.py --data ../shared/data/records [--only cora febrl3]
    .venv/bin/python benchmarks/resolve.py --people 1000000 [--save people.parquet]    # generated: common/people.py

Nothing is told of the tables but their files: what is printed is what `lookalike resolve` and `lookalike link` give.
"""

from __future__ import annotations

import argparse
import itertools
import re
import resource
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
from common.people import people as generated

import lookalike as la
from lookalike.apps.resolve import Resolved
from lookalike.io.records import read_records

Pairs = set[tuple[str, str]]


class Task(NamedTuple):
    """One or two files, and the true pairs by id."""

    files: list[Path]
    truth: Callable[[], Pairs]
    bar: float


def listed(path: Path, turned: bool = False) -> Callable[[], Pairs]:
    """Pairs of ids, one a line; `turned` where the file has them the other way."""

    def pairs() -> Pairs:
        first, *rows = path.read_text().split()
        sign = re.sub(r"\w", "", first)[0]
        ends = (row.split(sign) for row in (rows if first.startswith("D") else [first, *rows]))
        return {(b, a) if turned else (a, b) for a, b in ends}

    return pairs


def people(*files: Path) -> Callable[[], Pairs]:
    """rec-12-org and rec-12-dup-0 are one person."""

    def pairs() -> Pairs:
        ids = [id for file in files for id in read_records(file).columns["rec_id"].to_pylist()]
        return within(ids, lambda name: name.split("-")[1])

    return pairs


def merged(path: Path) -> Callable[[], Pairs]:
    """Ids of one record with semicolons between them, a line each."""

    def pairs() -> Pairs:
        lines = path.read_text().replace('"', "").split()[1:]
        return {pair for line in lines for pair in itertools.combinations(sorted(line.split(";")), 2)}

    return pairs


def within(ids: Iterable[str], entity: Callable[[str], str]) -> Pairs:
    groups: dict[str, list[str]] = {}
    for id in ids:
        groups.setdefault(entity(id), []).append(id)
    return {pair for group in groups.values() for pair in itertools.combinations(sorted(group), 2)}


def tasks(data: Path) -> dict[str, Task]:
    febrl, cited, papers = data / "febrl", data / "citations", data / "dblp_acm"
    both = [febrl / "dataset4a.csv", febrl / "dataset4b.csv"]
    found = {
        "dblp_acm": Task([papers / "dblp.csv", papers / "acm.csv"], listed(papers / "gt.csv"), 0.98),
        "abt_buy": Task([data / f"abt_buy/{one}.csv" for one in ("abt", "buy")], listed(data / "abt_buy/gt.csv"), 0.9),
        "restaurants": Task(
            [data / f"restaurants/rest{n}.csv" for n in (1, 2)], listed(data / "restaurants/gt.csv"), 0.88
        ),
        **{
            f"febrl{n}": Task([febrl / f"dataset{n}.csv"], people(febrl / f"dataset{n}.csv"), 0.995) for n in (1, 2, 3)
        },
        "febrl4": Task(both, people(*both), 0.995),
        "cora": Task([data / "cora/cora.csv"], listed(data / "cora/cora_gt.csv"), 0.87),
    }  # fmt: skip
    for name, bar in (("stroke", 0.985), ("cytology_screening", 0.98), ("haematology", 0.78)):
        folder = cited / name
        found[name] = Task([folder / "records_pre_merged.csv"], merged(folder / "merged_record_ids.csv"), bar)
    return found


def measured(result: Resolved, truth: Pairs) -> tuple[float, float, float]:
    matches = result.matches
    pairs = set(zip(matches["left"].to_pylist(), matches["right"].to_pylist(), strict=True))
    if len(result.tables) == 1:
        pairs = {(min(pair), max(pair)) for pair in pairs}
        truth = {(min(pair), max(pair)) for pair in truth}
    else:
        truth = {pair if pair in pairs or pair[::-1] not in pairs else pair[::-1] for pair in truth}
    right = len(pairs & truth)
    precision, recall = right / max(1, len(pairs)), right / max(1, len(truth))
    return precision, recall, 2 * right / max(1, len(pairs) + len(truth))


def crowd(records: int, save: Path | None) -> None:
    """Generated people: time, memory and F1."""
    table, person = generated(records)
    if save is not None:
        pq.write_table(table.append_column("person", [person]), save)
    began, cpu = time.perf_counter(), time.process_time()
    result = la.resolve(table, id="id")
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    left, right = result.outcome.left, result.outcome.right
    found, true = len(left), int((person[left] == person[right]).sum())
    sizes = np.bincount(person)
    there = int((sizes * (sizes - 1) // 2).sum())
    facts = result.facts
    print(f"{records:,} records: precision {true / max(1, found):.4f}, recall {true / there:.4f}, ", end="")
    print(f"F1 {2 * true / (found + there):.4f}; {facts.compared:,} pairs compared, ", end="")
    print(
        f"{wall:.0f} s, {cpu:.0f} s of CPU, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB"
    )
    print("  " + ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in facts.seconds.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of the tables")
    parser.add_argument("--people", type=int, help="so many generated records of people instead")
    parser.add_argument("--save", type=Path, help="keep these here, with the person of each")
    parser.add_argument("--only", nargs="*", help="some of them by name")
    asked = parser.parse_args()
    if asked.people:
        crowd(asked.people, asked.save)
        return
    if asked.data is None:
        parser.error("say --data or --people")
    print("| table | records | precision | recall | F1 | wanted | candidates' recall, estimated | compared | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, task in tasks(asked.data).items():
        if asked.only and name not in asked.only:
            continue
        began = time.process_time()
        result = la.resolve(task.files[0]) if len(task.files) == 1 else la.link(*task.files)
        spent = time.process_time() - began
        precision, recall, f1 = measured(result, task.truth())
        facts = result.facts
        estimate = "" if facts.recall is None else f"{facts.recall:.4f}"
        print(
            f"| {name} | {facts.records:,} | {precision:.4f} | {recall:.4f} | {f1:.4f} | {task.bar} | {estimate} "
            f"| {facts.compared:,} | {spent:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
