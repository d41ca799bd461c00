"""Entity resolution without labels or settings: precision, recall and F1 on tables from the literature.

    .venv/bin/python benchmarks/resolve.py --data ../shared/data/records [--only cora febrl3]
    .venv/bin/python benchmarks/resolve.py --data ../shared/data/records --perturbed  # common/table_perturbations.py
    .venv/bin/python benchmarks/resolve.py --generated                                # common/generated_tables.py
    .venv/bin/python benchmarks/resolve.py --people 1000000 [--save people.parquet]   # common/generated_people.py

The tables are passed as files, without any options: the figures are those of `lookalike resolve` and `lookalike link`.
"""

from __future__ import annotations

import argparse
import itertools
import re
import resource
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from common import measure
from common.generated_people import people as generated
from common.generated_tables import TABLES
from common.table_perturbations import (
    codes_alone,
    halved,
    lower_case,
    renamed,
    shuffled,
    with_constant,
    with_descriptions,
    with_extra,
    with_placeholders,
    without,
)
from common.truth import pairs_within

import lookalike as la
from lookalike.apps.resolve import Resolved
from lookalike.io.records import Records, read_records

Pairs = set[tuple[str, str]]


class Task(NamedTuple):
    """One or two files, their true pairs of ids, and the F1 that is expected."""

    files: list[Path]
    truth: Callable[[], Pairs]
    expected_f1: float


def pairs_in_lines(path: Path) -> Callable[[], Pairs]:
    """True pairs from a file with one pair of ids per line."""

    def pairs() -> Pairs:
        first, *rows = path.read_text().split()
        separator = re.sub(r"\w", "", first)[0]
        ends = (row.split(separator) for row in (rows if first.startswith("D") else [first, *rows]))
        return {(a, b) for a, b in ends}

    return pairs


def people(*files: Path) -> Callable[[], Pairs]:
    """True pairs from ids: rec-12-org and rec-12-dup-0 are one person. The id of the first file comes first."""

    def pairs() -> Pairs:
        tables = [read_records(file).columns["rec_id"].to_pylist() for file in files]
        found = pairs_of_groups([id for ids in tables for id in ids], lambda name: name.split("-")[1])
        first = set(tables[0]) if len(tables) == 2 else set()
        return {(b, a) if b in first else (a, b) for a, b in found}

    return pairs


def merged_ids(path: Path) -> Callable[[], Pairs]:
    """True pairs from a file with the ids of one entity per line, separated by semicolons."""

    def pairs() -> Pairs:
        lines = path.read_text().replace('"', "").split()[1:]
        return {pair for line in lines for pair in itertools.combinations(sorted(line.split(";")), 2)}

    return pairs


def pairs_of_groups(ids: Iterable[str], entity: Callable[[str], str]) -> Pairs:
    groups: dict[str, list[str]] = {}
    for id in ids:
        groups.setdefault(entity(id), []).append(id)
    return {pair for group in groups.values() for pair in itertools.combinations(sorted(group), 2)}


def tasks(data: Path) -> dict[str, Task]:
    febrl, cited, papers = data / "febrl", data / "citations", data / "dblp_acm"
    both = [febrl / "dataset4a.csv", febrl / "dataset4b.csv"]
    found = {
        "dblp_acm": Task([papers / "dblp.csv", papers / "acm.csv"], pairs_in_lines(papers / "gt.csv"), 0.98),
        "abt_buy": Task(
            [data / f"abt_buy/{shop}.csv" for shop in ("abt", "buy")], pairs_in_lines(data / "abt_buy/gt.csv"), 0.9
        ),
        "restaurants": Task(
            [data / f"restaurants/rest{n}.csv" for n in (1, 2)], pairs_in_lines(data / "restaurants/gt.csv"), 0.88
        ),
        **{
            f"febrl{n}": Task([febrl / f"dataset{n}.csv"], people(febrl / f"dataset{n}.csv"), 0.995) for n in (1, 2, 3)
        },
        "febrl4": Task(both, people(*both), 0.995),
        "cora": Task([data / "cora/cora.csv"], pairs_in_lines(data / "cora/cora_gt.csv"), 0.87),
    }  # fmt: skip
    for name, bar in (("stroke", 0.985), ("cytology_screening", 0.98), ("haematology", 0.78)):
        folder = cited / name
        found[name] = Task([folder / "records_pre_merged.csv"], merged_ids(folder / "merged_record_ids.csv"), bar)
    return found


def resolved(tables: list[Any], **options: Any) -> Resolved:
    return la.resolve(*tables, **options) if len(tables) == 1 else la.link(*tables, **options)


def scores(result: Resolved, truth: Pairs) -> tuple[float, float, float]:
    """Precision, recall and F1 by pairs of ids."""
    matches = result.matches
    pairs = set(zip(*(map(str, matches[side].to_pylist()) for side in ("left", "right")), strict=True))
    if len(result.records) == 1:
        pairs = {(min(pair), max(pair)) for pair in pairs}
        truth = {(min(pair), max(pair)) for pair in truth}
    right = len(pairs & truth)
    precision, recall = right / max(1, len(pairs)), right / max(1, len(truth))
    return precision, recall, 2 * right / max(1, len(pairs) + len(truth))


def with_interval(result: Resolved, truth: Pairs) -> str:
    """F1 and the half-width of its 95 % interval, if pairs are right, wrong or missed independently."""
    precision, recall, f1 = scores(result, truth)
    right = round(recall * len(truth))
    counts = (right, round(right / precision) - right if precision else len(result), len(truth) - right)
    drawn = np.random.default_rng(0).poisson(counts, (10_000, 3))
    each = 2 * drawn[:, 0] / np.maximum(1, 2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2])
    return f"{f1:.3f} ± {1.96 * each.std():.3f}"


def show_perturbed(name: str, task: Task) -> None:
    """Prints a row: F1 of the table and of its variants. For dropped columns, prints the mean and the least F1."""
    tables, truth = [read_records(file) for file in task.files], task.truth()
    plain = resolved(tables)
    id = next(column for column in tables[0].columns if column in plain.ignored)
    if not {a for a, _ in truth} <= ids_of(tables[0], id):  # the pairs are listed the other way round
        truth = {(b, a) for a, b in truth}
    half = halved(tables)
    first, last = ids_of(half[0], id), ids_of(half[-1], id)
    left = {(a, b) for a, b in truth if a in first and b in last}
    variants: dict[str, tuple[list[Records], Pairs]] = {
        "shuffled": (shuffled(tables), truth),
        "halved": (half, left),
        "lower case": (lower_case(tables, id), truth),
        "renamed": (renamed(tables, id), truth),
        "constant column": (with_constant(tables), truth),
        "extra columns": (with_extra(tables), truth),
        "descriptions": (with_descriptions(tables), truth),
        "codes alone": coded(tables, id, truth),
    }
    if len(tables) == 2:
        variants["swapped"] = (tables[::-1], {(b, a) for a, b in truth})
    found = {variant: scores(resolved(changed), true)[2] for variant, (changed, true) in variants.items()}
    fields = plain.settings.fields
    dropped = {
        field.name: scores(resolved(without(tables, field.name, field.right)), truth)[2]
        for field in (fields if len(fields) > 1 else ())
        if field.name in tables[0].columns  # not the codes in texts
    }
    worst = min(dropped, key=dropped.__getitem__) if dropped else ""
    cells = [f"{found[variant]:.3f}" if variant in found else "" for variant in VARIANTS]
    cells += (
        [f"{np.mean(list(dropped.values())):.3f}", f"{dropped[worst]:.3f} ({_last(worst)})"] if dropped else ["", ""]
    )
    print(f"| {name} | {with_interval(plain, truth)} | " + " | ".join(cells) + " |", flush=True)


def ids_of(table: Records, id: str) -> set[str]:
    return set(table.columns[id].to_pylist())


VARIANTS = (
    "shuffled", "halved", "lower case", "renamed", "swapped", "constant column", "extra columns", "descriptions",
    "codes alone",
)  # fmt: skip
PLACEHOLDERS = ("N/A", "null", "unknown", "-", "none")
SHARES = (0.1, 0.25, 0.4)
TOPS = (5, 20, 50)


def coded(tables: list[Records], id: str, truth: Pairs) -> tuple[list[Records], Pairs]:
    """Tables of codes alone, and the pairs of ids with equal codes: all records that true pairs connect."""
    last = len(tables) - 1
    groups: dict[tuple[int, str], set[tuple[int, str]]] = {}
    for a, b in truth:
        ends = [(0, a), (last, b)]
        merged = set().union(*(groups.get(end, {end}) for end in ends))
        groups |= dict.fromkeys(merged, merged)
    distinct = {min(group): group for group in groups.values()}.values()
    entities = {member: number for number, group in enumerate(distinct) for member in group}
    if last:
        true = {(a, b) for group in distinct for side, a in group for other, b in group if side < other}
    else:
        true = {(a, b) for group in distinct for _, a in group for _, b in group if a < b}
    return codes_alone(tables, id, entities), true


def show_gaps(name: str, task: Task) -> None:
    """Prints a row: how much F1 changes with placeholders instead of nulls, and with other values of `top`."""
    tables, truth = [read_records(file) for file in task.files], task.truth()
    plain = resolved(tables)
    id = next(column for column in tables[0].columns if column in plain.ignored)
    if not {a for a, _ in truth} <= ids_of(tables[0], id):
        truth = {(b, a) for a, b in truth}
    cells = []
    for share in SHARES:
        empty = scores(resolved(with_placeholders(tables, id, share, None)), truth)[2]
        gaps = {
            text: scores(resolved(with_placeholders(tables, id, share, text)), truth)[2] - empty
            for text in PLACEHOLDERS
        }
        worst = max(gaps, key=lambda text: abs(gaps[text]))
        cells.append(f"{empty:.3f}, {gaps[worst]:+.3f} ({worst})")
    cells += [f"{scores(resolved(tables, top=top), truth)[2]:.3f}" for top in TOPS]
    print(f"| {name} | {with_interval(plain, truth)} | " + " | ".join(cells) + " |", flush=True)


def _last(name: str) -> str:
    return re.split(r"[#/]", name)[-1]


def show_generated() -> None:
    """Prints mean precision, mean recall and each F1 for three generated tables of each kind."""
    print("| table | records | precision | recall | F1, each | relatives found |")
    print("|---|---|---|---|---|---|")
    for name, make in TABLES.items():
        figures, related = [], []
        for seed in range(3):
            table, entity = make(seed)
            result = la.resolve(table)
            figures.append(scores_by_entity(result, entity))
            related.append(result.settings.weights is not None and result.settings.weights.r is not None)
        precision, recall, _ = np.mean(figures, axis=0)
        each = ", ".join(f"{f1:.3f}" for _, _, f1 in figures)
        print(
            f"| {name} | {len(entity):,} | {precision:.3f} | {recall:.3f} | {each} | {sum(related)} of 3 |", flush=True
        )


def scores_by_entity(result: Resolved, entity: np.ndarray) -> tuple[float, float, float]:
    """Precision, recall and F1 by the entity of each row."""
    left, right = result.outcome.left, result.outcome.right
    found, true = len(left), int((entity[left] == entity[right]).sum())
    true_pairs = pairs_within(entity)
    return true / max(1, found), true / max(1, true_pairs), 2 * true / max(1, found + true_pairs)


def show_people(records: int, save: Path | None) -> None:
    """Prints the accuracy, time and memory of resolving generated people."""
    table, person = generated(records)
    if save is not None:
        pq.write_table(table.append_column("person", [person]), save)
    result, wall, cpu = measure.timed(lambda: la.resolve(table, id="id"))
    precision, recall, f1 = scores_by_entity(result, person)
    facts = result.facts
    print(f"{records:,} records: precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}; ", end="")
    print(f"{facts.compared:,} pairs compared, ", end="")
    print(
        f"{wall:.0f} s, {cpu:.0f} s of CPU, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB"
    )
    print("  " + ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in facts.seconds.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables")
    parser.add_argument(
        "--perturbed", action="store_true", help="compare with variants of the tables that should not matter"
    )
    parser.add_argument("--generated", action="store_true", help="use six kinds of generated tables instead")
    parser.add_argument("--people", type=int, help="use this many generated records of people instead")
    parser.add_argument("--save", type=Path, help="write the generated records to this file, with the person of each")
    parser.add_argument("--only", nargs="*", help="only the tables with these names")
    options = parser.parse_args()
    if options.people:
        show_people(options.people, options.save)
        return
    if options.generated:
        show_generated()
        return
    if options.data is None:
        parser.error("one of --data, --generated and --people is required")
    if options.perturbed:
        print(f"| table | unchanged | {' | '.join(VARIANTS)} | one column dropped, mean | least |")
        print("|---" * (len(VARIANTS) + 4) + "|")
        for name, task in tasks(options.data).items():
            if not options.only or name in options.only:
                show_perturbed(name, task)
        gaps = (f"nulls {share:.0%}, worst gap of placeholders" for share in SHARES)
        print("\n| table | unchanged |", " | ".join([*gaps, *(f"top {top}" for top in TOPS)]), "|")
        print("|---" * (len(SHARES) + len(TOPS) + 2) + "|")
        for name, task in tasks(options.data).items():
            if not options.only or name in options.only:
                show_gaps(name, task)
        return
    print(
        "| table | records | precision | recall | F1 | expected | estimated recall of candidates | compared | CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, task in tasks(options.data).items():
        if options.only and name not in options.only:
            continue
        result, _, cpu = measure.timed(partial(resolved, task.files))
        precision, recall, f1 = scores(result, task.truth())
        facts = result.facts
        estimate = "" if facts.recall is None else f"{facts.recall:.4f}"
        print(
            f"| {name} | {facts.records:,} | {precision:.4f} | {recall:.4f} | {f1:.4f} | {task.expected_f1} "
            f"| {estimate} | {facts.compared:,} | {cpu:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
