"""One law: `dedupe` gives the same removed table and the same kept rows, however it runs.

The ways are: the definitions (reference engine), 1, 2 and 8 threads, almost no memory, interrupted and resumed, and
Spark. The corpora have chains, stars, cliques, families that straddle the threshold, copies and templates. The options
have rules, protected rows, decisions, references, containment, and the removal of copies only.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.spark import Spark
from lookalike.engines.stages.memory import Allowance
from tests.engines.serial import Serial

SEEDS = [pytest.param(seed, marks=[pytest.mark.slow] if seed >= 5 else []) for seed in range(20)]
SMALL: dict[str, Any] = {"rows_per_task": 40, "task_bytes": 20_000}
"""Limits so small that several tasks work on every stage."""

WORDS = 40
RULES = ["first", "last", "longest", "shortest", "best:score", "where:gold=1,longest", "least:score,last"]
STAGES = ["propose", "read candidates", "connect", "keep"]


def families(rng: random.Random) -> list[str]:
    """Texts of all kinds of families, in random order."""
    vocabulary = [f"w{i}" for i in range(5_000)]

    def text(size: int = WORDS) -> list[str]:
        return rng.choices(vocabulary, k=size)

    def replaced(words: list[str], at: int, size: int) -> list[str]:
        return words[:at] + rng.choices(vocabulary, k=size) + words[at + size :]

    chain = [text()]
    for _ in range(rng.randrange(5, 40)):
        chain.append(replaced(chain[-1], rng.randrange(WORDS), 1))
    centre, base, edge, page = text(), text(), text(), text()
    star = [centre] + [replaced(centre, 3 * i, 3) for i in range(rng.randrange(12))]
    clique = [replaced(base, rng.randrange(WORDS), 1) for _ in range(rng.randrange(30))]
    straddling = [replaced(edge, rng.randrange(WORDS - 12), rng.randrange(1, 12)) for _ in range(rng.randrange(30))]
    template = [page + text(rng.choice([0, 0, 2, 4])) for _ in range(rng.randrange(15))]
    template += [page[: -rng.randrange(1, 8)] for _ in range(rng.randrange(8))]
    some = [*chain, *star, *clique, *straddling, *template, *(text() for _ in range(10))]
    some += rng.choices(some, k=rng.randrange(15))
    if rng.random() < 0.5:
        rng.shuffle(some)
    return [" ".join(words) for words in some] + ["", "short", "short"]


def case(seed: int, folder: Path) -> tuple[Path, dict[str, Any]]:
    """A corpus, and options for `dedupe`."""
    rng = random.Random(seed)
    texts = families(rng)
    rows = [
        {"id": i, "text": text, "score": rng.randrange(5), "gold": int(rng.random() < 0.1)}
        for i, text in enumerate(texts)
    ]
    old = rng.choice([0, 0, len(rows) // 3])
    for name, some in {"old": rows[:old], "new": rows[old:]}.items():
        pq.write_table(pa.Table.from_pylist(some or rows[:1]), folder / f"{name}.parquet", row_group_size=50)
    options: dict[str, Any] = {
        "id": "id",
        "threshold": rng.choice([0.5, 0.7, 0.8]),
        "shingles": rng.choice(["words:2", "words:3"]),
        "method": rng.choice(["lsh", "exact"]),
        "keep": rng.choice(RULES),
    }
    if rng.random() < 0.2:
        options = {"id": "id", "keep": options["keep"], "remove": rng.choice(["identical", "same-words"])}
    elif rng.random() < 0.4:
        options["remove"] = rng.choice(["contained", "contained:0.9", "contained:0.7"])
    if old:
        options["against"] = folder / "old.parquet"
    if rng.random() < 0.4 and any(row["gold"] for row in rows[old:]):
        options["protect"] = "where:gold=1"
    if rng.random() < 0.4:
        decisions = la.Decisions(folder / "decisions.jsonl", rows, id="id")
        for _ in range(3):
            decisions.different(*rng.sample(range(len(rows)), 2))
            decisions.exclude(rng.randrange(len(rows)))
            decisions.keep(rng.randrange(len(rows)))
        options["decisions"] = decisions.path
    return folder / "new.parquet", options


def answer(data: Path, **options: Any) -> bytes:
    """The removed table and the kept rows, with the names and types of their columns."""
    found = la.dedupe(data, **options)
    tables = [table.replace_schema_metadata(None) for table in (found.removed, found.kept)]
    return json.dumps([[str(table.schema), table.to_pylist()] for table in tables]).encode()


def tight() -> Local:
    return Local(threads=1, allowance=Allowance(30_000, 1 << 20, state=0))


class Interrupted(Exception):
    pass


def resumed(data: Path, folder: Path, rng: random.Random, **options: Any) -> bytes:
    """The answer of a run that was interrupted at some stage, and resumed."""
    stage, engine = rng.choice(STAGES), rng.choice([tight, Local])

    def stop(now: str, done: int, total: int | None) -> None:
        if now == stage:
            raise Interrupted

    with suppress(Interrupted), la.Work(folder / "work", keep=True) as work:
        la.dedupe(data, work=work, progress=stop, engine=engine(), **options)
    with la.Work(folder / "work", resume=True) as work:
        return answer(data, work=work, engine=engine(), **options)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_answer_does_not_depend_on_how_it_is_computed(seed: int, tmp_path: Path) -> None:
    data, options = case(seed, tmp_path)
    expected = answer(data, engine="reference", **options)
    rng = random.Random(seed)
    ways: dict[str, Callable[[], bytes]] = {
        "1 thread": lambda: answer(data, threads=1, **options),
        "2 threads": lambda: answer(data, threads=2, **options),
        "8 threads": lambda: answer(data, threads=8, **options),
        "spilled": lambda: answer(data, engine=tight(), **options),
        "resumed": lambda: resumed(data, tmp_path, rng, **options),
        "Spark in one task": lambda: answer(data, engine=Spark(Serial(), **SMALL), **options),
        "Spark in rounds": lambda: answer(data, engine=Spark(Serial(), **SMALL, edges=10), **options),
    }
    for way, compute in ways.items():
        assert compute() == expected, way
    (removed, kept) = (rows for _, rows in json.loads(expected))
    assert kept and all(row["similarity"] >= options.get("threshold", 1) for row in removed)


def test_the_cases_are_of_all_kinds(tmp_path: Path) -> None:
    """Otherwise the law would promise too much."""
    cases = [case(seed, tmp_path) for seed in range(20)]
    for option in ("against", "protect", "remove", "decisions"):
        assert 5 <= sum(option in options for _, options in cases) < 16
    data, options = cases[0]
    assert la.dedupe(data, engine=tight(), **options).summary.spilled > 0


@pytest.mark.spark
@pytest.mark.parametrize("seed", [100, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(101, 106))])
def test_the_answer_is_the_same_on_spark(spark_session: Any, seed: int, tmp_path: Path) -> None:
    data, options = case(seed, tmp_path)
    expected = answer(data, **options)
    for edges in (10, 1 << 22):
        assert answer(data, engine=Spark(spark_session, **SMALL, edges=edges), **options) == expected, edges
