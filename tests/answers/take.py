"""Retakes the digests and prints what changed: python -m tests.answers.take [--check | --show NAME]."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.answers.data import Data
from tests.answers.digest import canonical, digest
from tests.answers.files import write_files
from tests.answers.runs import RUNS

FIXTURE = Path(__file__).with_name("digests.json")


@contextlib.contextmanager
def data_in_folder() -> Iterator[Data]:
    """Yields the data. Its files are in a temporary folder, which is the current folder until the block ends."""
    data = Data()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_files(data)
        yield data


def load() -> dict[str, str]:
    """The stored digests by the name of the run."""
    digests: dict[str, str] = json.loads(FIXTURE.read_text(encoding="utf-8"))
    return digests


def take(timed: bool = False) -> dict[str, str]:
    """The digests of the current code."""
    taken = {}
    with data_in_folder() as data:
        for name, run in RUNS.items():
            began = time.perf_counter()
            taken[name] = digest(run(data))
            if timed:
                print(f"{time.perf_counter() - began:6.2f} s  {name}: {taken[name]}")
    return taken


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """One line per run that is new, missing or different."""
    return [
        f"{name}: {before.get(name, 'new')} → {after.get(name, 'gone')}"
        for name in [*after, *(before.keys() - after.keys())]
        if before.get(name) != after.get(name)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; the exit code is 1 if anything changed")
    parser.add_argument("--times", action="store_true", help="print each run with its time")
    parser.add_argument("--show", metavar="NAME", help="print the answer of one run, to compare two versions by diff")
    options = parser.parse_args()
    if options.show:
        with data_in_folder() as data:
            print(*canonical(RUNS[options.show](data)), sep="\n")
        return 0
    before = load() if FIXTURE.exists() else {}
    after = take(options.times)
    changed = changes(before, after)
    print(*changed, f"{len(after)} runs, {len(changed)} changed", sep="\n")
    if options.check:
        return 1 if changed else 0
    FIXTURE.write_text(json.dumps(after, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
