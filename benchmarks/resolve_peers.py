"""Entity resolution beside Splink, recordlinkage and pyJedAI, which are set up by hand for each table.

    .venv/bin/python benchmarks/resolve_peers.py --data ../shared/data/records [--only cora febrl3] [--rounds 1]
    .venv/bin/python benchmarks/resolve_peers.py --people 100000 [--limit 1200]

Every contender is a script in benchmarks/contenders/, with what was set up by hand on top, run in a process of its own:
it reads the files, compares, and writes the pairs that it compared with their scores. These are judged afterwards: at
the tool's own threshold, and at the threshold that gives the best F1, which the labels had to tell. Where two tables
are linked, a record is in one pair at most, the best pairs first: Splink, recordlinkage and pyJedAI have that, too.
lookalike gets the files and nothing else, and is judged by what it reports.
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
    """The pairs of one contender, best first, and which of them are true."""

    true: npt.NDArray[np.bool_]
    score: npt.NDArray[np.float64]
    there: int
    """True pairs in all."""

    def at(self, threshold: float) -> Score:
        return self._first(int((self.score >= threshold).sum()))

    def best(self) -> Score:
        """Wherever the cut is best, of all places between two different scores."""
        ends = np.flatnonzero(np.diff(self.score, append=-np.inf)) + 1
        if not len(ends):
            return self._first(0)
        return self._first(int(ends[np.argmax(2 * np.cumsum(self.true)[ends - 1] / (ends + self.there))]))

    def _first(self, many: int) -> Score:
        right = int(self.true[:many].sum())
        f1 = 2 * right / max(1, many + self.there)
        return Score(right / max(1, many), right / max(1, self.there), f1, float(self.score[many - 1]) if many else 0.0)


def judged(
    pairs: Sequence[tuple[str, str]], score: npt.NDArray[np.float64], truth: Pairs, one_to_one: bool
) -> Compared:
    order = np.argsort(-score, kind="stable")
    if one_to_one:
        order = _one_to_one(pairs, order)
    true = np.array([pairs[place] in truth for place in order], bool)
    return Compared(true, score[order], len(truth))


def _one_to_one(pairs: Sequence[tuple[str, str]], order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    left: set[str] = set()
    right: set[str] = set()
    kept = []
    for place in order:
        a, b = pairs[place]
        if a not in left and b not in right:
            left.add(a)
            right.add(b)
            kept.append(place)
    return np.array(kept, np.int64)


def read(path: Path, linked: bool) -> tuple[list[tuple[str, str]], npt.NDArray[np.float64]]:
    """Each pair once, with its score; of one table, the smaller id first."""
    table = pq.read_table(path)
    left, right = (table[name].cast("string").to_pylist() for name in ("left", "right"))
    pairs = (
        list(zip(left, right, strict=True))
        if linked
        else [(min(pair), max(pair)) for pair in zip(left, right, strict=True)]
    )
    return pairs, table["score"].to_numpy().astype(np.float64)


def truth_of(task: Task) -> Pairs:
    """The true pairs: of two tables the record of the first one first, of one table the smaller id."""
    if len(task.files) == 1:
        return {(min(pair), max(pair)) for pair in task.truth()}
    columns = read_records(task.files[0]).columns
    first = set(columns["id" if "id" in columns else "rec_id"].to_pylist())
    return {pair if pair[0] in first else pair[::-1] for pair in task.truth()}


def proposed(task: Task) -> Pairs:
    """What lookalike compares, overheard in a run that is not timed."""
    heard: list[Candidates] = []

    def listening(*given: Any, **named: Any) -> Candidates:
        heard.append(propose(*given, **named))
        return heard[-1]

    with mock.patch.object(resolution, "propose", listening):
        result = la.resolve(task.files[0]) if len(task.files) == 1 else la.link(*task.files)
    ids = [str(id) for part in result.ids if part is not None for id in part.to_pylist()]
    left, right = heard[0].left.tolist(), heard[0].right.tolist()
    ends = ((ids[a], ids[b]) for a, b in zip(left, right, strict=True))
    return set(ends) if len(task.files) > 1 else {(min(pair), max(pair)) for pair in ends}


def tables(data: Path, only: Sequence[str] | None, contenders: dict[str, Path], rounds: int) -> None:
    print(f"\n{measure.machine()}\n")
    build_files.FOLDER.mkdir(parents=True, exist_ok=True)
    print("| table | contender | compared | of the true pairs | precision | recall | F1 | best F1 | CPU s | s | MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, task in tasks(data).items():
        if only and name not in only:
            continue
        linked, truth = len(task.files) > 1, truth_of(task)
        outs = {who: build_files.FOLDER / f"out-{CONTENDERS[who]}-{name}.parquet" for who in contenders}
        files = [str(file.absolute()) for file in task.files]
        costs = measure.interleaved({
            who: [str(python), "-m", f"contenders.{CONTENDERS[who]}", name, str(outs[who].absolute()), *files]
            for who, python in contenders.items()
        }, rounds)  # fmt: skip
        for who, cost in costs.items():
            if isinstance(cost, str):
                print(f"| {name} | {who} | did not run: {cost} | | | | | | | | |", flush=True)
                continue
            pairs, score = read(outs[who], linked)
            found = judged(pairs, score, truth, one_to_one=linked and who != OURS)
            seen = len(truth & (proposed(task) | set(pairs) if who == OURS else set(pairs))) / len(truth)
            best = found.best()
            told = "" if who == OURS else f"{best.f1:.4f} at {best.threshold:.3g}"
            own = found.at(-np.inf if who == OURS else cost.answer["threshold"])
            print(f"| {name} | {who} | {cost.answer['compared']:,} | {seen:.4f} | {own} | {told} "
                  f"| {cost.cpu:.1f} | {cost.wall:.1f} | {cost.peak_mib:,.0f} |", flush=True)  # fmt: skip


def crowd(records: int, contenders: dict[str, Path], limit: int) -> None:
    """Generated people, by those that are made for so many."""
    print(f"\n{measure.machine()}; {records:,} generated records of people\n")
    table, person = people(records)
    file = build_files.written_once(f"people-{records}.parquet", partial(pq.write_table, table))
    there = pairs_within(person)
    print("| contender | compared | precision | recall | F1 | best F1 | CPU s | s | MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for who in (who for who in contenders if who in (OURS, "Splink")):
        out = build_files.FOLDER / f"out-{CONTENDERS[who]}-people.parquet"
        command = [str(contenders[who]), "-m", f"contenders.{CONTENDERS[who]}", "people", str(out.absolute())]
        try:
            cost = measure.run(["timeout", str(limit), *command, str(file.absolute())])
        except RuntimeError as error:
            print(f"| {who} | not within {limit} s, or failed: {error} | | | | | | | |", flush=True)
            continue
        pairs = pq.read_table(out)
        left, right = (pairs[name].to_numpy().astype(np.int64) for name in ("left", "right"))
        score = pairs["score"].to_numpy().astype(np.float64)
        order = np.argsort(-score, kind="stable")
        found = Compared((person[left] == person[right])[order], score[order], there)
        best = found.best()
        told = "" if who == OURS else f"{best.f1:.4f} at {best.threshold:.3g}"
        own = found.at(-np.inf if who == OURS else cost.answer["threshold"])
        print(f"| {who} | {cost.answer['compared']:,} | {own} | {told} "
              f"| {cost.cpu:.0f} | {cost.wall:.0f} | {cost.peak_mib:,.0f} |", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of the tables")
    parser.add_argument("--people", type=int, help="so many generated records of people instead")
    parser.add_argument("--only", nargs="*", help="some tables by name")
    parser.add_argument("--contenders", nargs="*", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--limit", type=int, default=1200, help="seconds that a contender has for the people")
    parser.add_argument("--peer", type=Path, help="an interpreter that has the peers (default: one is made)")
    asked = parser.parse_args()
    if asked.data is None and asked.people is None:
        parser.error("say --data or --people")
    peer = asked.peer or peer_environment.peers_python(
        build_files.FOLDER / "records-venv", HERE / "records-requirements.txt"
    )
    contenders = {who: Path(sys.executable) if who == OURS else peer.absolute() for who in asked.contenders}
    if asked.people:
        crowd(asked.people, contenders, asked.limit)
    else:
        tables(asked.data, asked.only, contenders, asked.rounds)


if __name__ == "__main__":
    main()
