"""Entity resolution compared with Splink, recordlinkage and pyJedAI, which were configured by hand for each table.

    .venv/bin/python benchmarks/resolve_peers.py --data ../shared/data/records [--only cora febrl3] [--rounds 1]
    .venv/bin/python benchmarks/resolve_peers.py --people 100000 [--limit 1200]

Every contender is a script in benchmarks/contenders/, with its configuration at the top. It runs in its own process,
reads the files and writes the pairs that it compared, with their scores. These are evaluated afterwards: at the tool's
own threshold, and at the threshold with the best F1, which takes labels to find. When two tables are linked, each
record is in at most one pair, best pairs first; Splink, recordlinkage and pyJedAI offer this too. lookalike receives
only the files and is evaluated by the matches that it reports.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from common import build_files, measure, peer_environment
from common.generated_people import people
from common.truth import pairs_within
from resolve import Pairs, Task, tasks

import lookalike as la
from lookalike.apps.resolve import resolution
from lookalike.apps.resolve.candidates import Candidates, propose
from lookalike.io.records import read_records

HERE = Path(__file__).parent
OURS = "lookalike"
CONTENDERS = {
    OURS: "lookalike_records",
    "Splink": "splink_records",
    "recordlinkage": "recordlinkage_records",
    "pyJedAI": "pyjedai_records",
}


class Score(NamedTuple):
    precision: float
    recall: float
    f1: float
    threshold: float

    def __str__(self) -> str:
        return f"{self.precision:.4f} | {self.recall:.4f} | {self.f1:.4f}"


class Compared(NamedTuple):
    """The pairs of one contender in order of falling scores, and which of them are true."""

    true: npt.NDArray[np.bool_]
    score: npt.NDArray[np.float64]
    total: int
    """Number of true pairs."""

    def at(self, threshold: float) -> Score:
        return self._first(int((self.score >= threshold).sum()))

    def best(self) -> Score:
        """The score at the threshold with the best F1."""
        ends = np.flatnonzero(np.diff(self.score, append=-np.inf)) + 1
        if not len(ends):
            return self._first(0)
        return self._first(int(ends[np.argmax(2 * np.cumsum(self.true)[ends - 1] / (ends + self.total))]))

    def _first(self, count: int) -> Score:
        right = int(self.true[:count].sum())
        f1 = 2 * right / max(1, count + self.total)
        return Score(
            right / max(1, count), right / max(1, self.total), f1, float(self.score[count - 1]) if count else 0.0
        )


def evaluated(
    pairs: Sequence[tuple[str, str]], score: npt.NDArray[np.float64], truth: Pairs, one_to_one: bool
) -> Compared:
    order = np.argsort(-score, kind="stable")
    if one_to_one:
        order = _one_to_one(pairs, order)
    true = np.array([pairs[index] in truth for index in order], bool)
    return Compared(true, score[order], len(truth))


def _one_to_one(pairs: Sequence[tuple[str, str]], order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    left: set[str] = set()
    right: set[str] = set()
    kept = []
    for index in order:
        a, b = pairs[index]
        if a not in left and b not in right:
            left.add(a)
            right.add(b)
            kept.append(index)
    return np.array(kept, np.int64)


def read(path: Path, linked: bool) -> tuple[list[tuple[str, str]], npt.NDArray[np.float64]]:
    """Pairs of ids and their scores. Within one table, the smaller id comes first."""
    table = pq.read_table(path)
    left, right = (table[name].cast("string").to_pylist() for name in ("left", "right"))
    pairs = (
        list(zip(left, right, strict=True))
        if linked
        else [(min(pair), max(pair)) for pair in zip(left, right, strict=True)]
    )
    return pairs, table["score"].to_numpy().astype(np.float64)


def truth_of(task: Task) -> Pairs:
    """The true pairs. The id of the first table comes first, or the smaller id if true_pairs is only one table."""
    if len(task.files) == 1:
        return {(min(pair), max(pair)) for pair in task.truth()}
    columns = read_records(task.files[0]).columns
    first = set(columns["id" if "id" in columns else "rec_id"].to_pylist())
    return {pair if pair[0] in first else pair[::-1] for pair in task.truth()}


def proposed(task: Task) -> Pairs:
    """The pairs that lookalike compares, recorded in a run that is not timed."""
    recorded: list[Candidates] = []

    def recording(*arguments: Any, **options: Any) -> Candidates:
        recorded.append(propose(*arguments, **options))
        return recorded[-1]

    with mock.patch.object(resolution, "propose", recording):
        result = la.resolve(task.files[0]) if len(task.files) == 1 else la.link(*task.files)
    ids = [str(id) for part in result.ids if part is not None for id in part.to_pylist()]
    left, right = recorded[0].left.tolist(), recorded[0].right.tolist()
    ends = ((ids[a], ids[b]) for a, b in zip(left, right, strict=True))
    return set(ends) if len(task.files) > 1 else {(min(pair), max(pair)) for pair in ends}


def accuracy(found: Compared, tool: str, cost: measure.Cost) -> str:
    """Table cells: precision, recall and F1 at the tool's own threshold, and the best F1 (not for lookalike)."""
    if tool == OURS:
        return f"{found.at(-np.inf)} | "
    best = found.best()
    return f"{found.at(cost.answer['threshold'])} | {best.f1:.4f} at {best.threshold:.3g}"


def compare_tables(data: Path, only: Sequence[str] | None, contenders: dict[str, Path], rounds: int) -> None:
    print(f"\n{measure.machine()}\n")
    build_files.FOLDER.mkdir(parents=True, exist_ok=True)
    print(
        "| table | contender | compared | true pairs compared | precision | recall | F1 | best F1 | CPU s | s | MiB |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, task in tasks(data).items():
        if only and name not in only:
            continue
        linked, truth = len(task.files) > 1, truth_of(task)
        outs = {tool: build_files.FOLDER / f"out-{CONTENDERS[tool]}-{name}.parquet" for tool in contenders}
        files = [str(file.absolute()) for file in task.files]
        costs = measure.interleaved({
            tool: [str(python), "-m", f"contenders.{CONTENDERS[tool]}", name, str(outs[tool].absolute()), *files]
            for tool, python in contenders.items()
        }, rounds)  # fmt: skip
        for tool, cost in costs.items():
            if isinstance(cost, str):
                print(f"| {name} | {tool} | did not run: {cost} | | | | | | | | |", flush=True)
                continue
            pairs, score = read(outs[tool], linked)
            found = evaluated(pairs, score, truth, one_to_one=linked and tool != OURS)
            seen = len(truth & (proposed(task) | set(pairs) if tool == OURS else set(pairs))) / len(truth)
            print(f"| {name} | {tool} | {cost.answer['compared']:,} | {seen:.4f} | {accuracy(found, tool, cost)} "
                  f"| {cost.cpu:.1f} | {cost.wall:.1f} | {cost.peak_mib:,.0f} |", flush=True)  # fmt: skip


def compare_people(records: int, contenders: dict[str, Path], limit: int) -> None:
    """Prints a table for generated people, with the contenders that can handle large tables."""
    print(f"\n{measure.machine()}; {records:,} generated records of people\n")
    table, person = people(records)
    file = build_files.written_once(f"people-{records}.parquet", partial(pq.write_table, table))
    true_pairs = pairs_within(person)
    print("| contender | compared | precision | recall | F1 | best F1 | CPU s | s | MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for tool in (tool for tool in contenders if tool in (OURS, "Splink")):
        out = build_files.FOLDER / f"out-{CONTENDERS[tool]}-people.parquet"
        command = [str(contenders[tool]), "-m", f"contenders.{CONTENDERS[tool]}", "people", str(out.absolute())]
        try:
            cost = measure.run(["timeout", str(limit), *command, str(file.absolute())])
        except RuntimeError as error:
            print(f"| {tool} | failed or exceeded {limit} s: {error} | | | | | | | |", flush=True)
            continue
        pairs = pq.read_table(out)
        left, right = (pairs[name].to_numpy().astype(np.int64) for name in ("left", "right"))
        score = pairs["score"].to_numpy().astype(np.float64)
        order = np.argsort(-score, kind="stable")
        found = Compared((person[left] == person[right])[order], score[order], true_pairs)
        print(f"| {tool} | {cost.answer['compared']:,} | {accuracy(found, tool, cost)} "
              f"| {cost.cpu:.0f} | {cost.wall:.0f} | {cost.peak_mib:,.0f} |", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables")
    parser.add_argument("--people", type=int, help="use this many generated records of people instead")
    parser.add_argument("--only", nargs="*", help="only the tables with these names")
    parser.add_argument("--contenders", nargs="*", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--limit", type=int, default=1200, help="time limit of a contender for the people, in seconds")
    parser.add_argument(
        "--peer", type=Path, help="interpreter with the peers installed (default: created on first use)"
    )
    options = parser.parse_args()
    if options.data is None and options.people is None:
        parser.error("--data or --people is required")
    peer = options.peer or peer_environment.peers_python(
        build_files.FOLDER / "records-venv", HERE / "records-requirements.txt"
    )
    contenders = {tool: Path(sys.executable) if tool == OURS else peer.absolute() for tool in options.contenders}
    if options.people:
        compare_people(options.people, contenders, options.limit)
    else:
        compare_tables(options.data, options.only, contenders, options.rounds)


if __name__ == "__main__":
    main()
