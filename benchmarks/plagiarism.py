"""Plagiarism: are copied programs ranked above independent ones, and are planted passages found at the right positions?

    python benchmarks/plagiarism.py [--data FOLDER/IR-Plag-Dataset] [--documents 1000]

Programs: the data set of Karnalim et al. (2019) has seven tasks. Each has one original, programs that students wrote
independently, and programs derived from the original at levels 1 (changed comments) to 6 (changed decision logic). The
originals are the sources and all others the submissions; options have their defaults. The score of a program is its
similarity to the original of its task. AUC is the share of pairs (copied, independent) that are ranked correctly.

Passages: each submission consists of words with Zipf frequencies and contains a passage of 30 to 80 words from a
source, either verbatim or with one word in twelve replaced. A passage is "located" if a reported passage begins and
ends within a word of it in both documents. "covered" is the share of planted characters within reported passages.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from common import measure, text_kinds

import lookalike as la
from lookalike.apps.plagiarism.passages import covered

LEAST = "0.000001"
"""A threshold that reports all pairs, so that every pair is ranked."""


def auc(above: list[float], below: list[float]) -> float:
    """How often a value of the first list exceeds one of the second; ties count one half."""
    one, two = np.array(above)[:, None], np.array(below)[None, :]
    return float(((one > two) + 0.5 * (one == two)).mean())


def scores(data: Path, **options: object) -> dict[tuple[str, str], list[float]]:
    """The similarity of each program to the original of its task, by task and level."""
    texts, originals = [], []
    for file in sorted(data.rglob("*.java")):
        task, kind, level, *_ = file.relative_to(data).parts
        row = {"id": str(file.relative_to(data)), "text": file.read_text(errors="replace")}
        if kind == "original":
            originals.append(row)
        else:
            texts.append((row, task, level if kind == "plagiarized" else "independent"))
    found = la.plagiarism([row for row, *_ in texts], originals, id="id", threshold=LEAST, **options)  # type: ignore[arg-type]
    similar = {
        (row["submission"], row["other"].partition("/")[0]): row["similarity"]
        for row in found.pairs.to_pylist()
        if row["kind"] == "source"
    }
    by: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, task, level in texts:
        by[task, level].append(similar.get((row["id"], task), 0.0))
    return by


def programs(data: Path) -> None:
    variants: dict[str, dict[str, object]] = {
        "defaults": {},
        "names kept": {"names": "keep"},
        "as plain text": {"code": "no"},
        "k = 4": {"k": 4},
        "k = 6": {"k": 6},
        "k = 8": {"k": 8},
    }
    levels = [f"L{i}" for i in range(1, 7)]
    print(f"\n| AUC | L1–L3 | mean of tasks | L4–L6 | {' | '.join(levels)} |\n|{'---|' * 10}")
    for name, options in variants.items():
        by = scores(data, **options)
        tasks = sorted({task for task, _ in by})

        def pooled(wanted: list[str], tasks: list[str], by: dict[tuple[str, str], list[float]] = by) -> float:
            above = [v for task in tasks for level in wanted for v in by[task, level]]
            return auc(above, [v for task in tasks for v in by[task, "independent"]])

        each = [pooled(levels[:3], [task]) for task in tasks]
        numbers = [pooled(levels[:3], tasks), float(np.mean(each)), pooled(levels[3:], tasks)]
        numbers += [pooled([level], tasks) for level in levels]
        print(f"| {name} | {' | '.join(f'{number:.3f}' for number in numbers)} |")


def overlap(span: tuple[int, int], others: list[tuple[int, int]]) -> int:
    """Characters of a span that are within the others."""
    return covered(
        (max(span[0], start), min(span[1], end)) for start, end in others if start < span[1] and end > span[0]
    )


def passages(documents: int, edited: bool) -> None:
    rng, kind = np.random.default_rng(7), text_kinds.KINDS["zipf"]

    def words(least: int) -> list[str]:
        some: list[str] = []
        while len(some) < least:
            some += kind.text(kind.original(rng)).split()
        return some

    sources = [words(800) for _ in range(documents)]
    submissions, truth = [], []
    for i, source in enumerate(sources):
        own, length = words(400), int(rng.integers(30, 81))
        start, at = int(rng.integers(0, len(source) - length)), int(rng.integers(0, len(own)))
        passage = source[start : start + length]
        if edited:
            passage = [
                word if rng.random() > 1 / 12 or j in (0, length - 1) else f"other{j}" for j, word in enumerate(passage)
            ]
        text = own[:at] + passage + own[at:]
        submissions.append(" ".join(text))
        here = len(" ".join([*own[:at], ""])), len(" ".join(own[:at] + passage))
        there = len(" ".join([*source[:start], ""])), len(" ".join(source[: start + length]))
        truth.append((i, i, *here, *there))
    found, wall, cpu = measure.timed(lambda: la.plagiarism(submissions, [" ".join(source) for source in sources]))
    rows = [row for row in found.passages.to_pylist() if row["kind"] == "source"]
    reported = defaultdict(list)
    for row in rows:
        spans = row["start"], row["end"], row["other_start"], row["other_end"]
        reported[row["submission"], row["other"]].append(spans)
    longest = 12  # characters of the longest word and a space
    under = sum(overlap(true[2:4], [spans[:2] for spans in reported[true[:2]]]) for true in truth)
    planted = sum(true[3] - true[2] for true in truth)
    located = sum(
        any(all(abs(a - b) <= longest for a, b in zip(spans, true[2:], strict=True)) for spans in reported[true[:2]])
        for true in truth
    )
    exact = sum(tuple(true[2:]) in reported[true[:2]] for true in truth)
    other = sum(len(spans) for pair, spans in reported.items() if pair[0] != pair[1])
    how = "one word in twelve replaced" if edited else "verbatim"
    shares = " | ".join(f"{share:.4f}" for share in (under / planted, located / documents, exact / documents))
    print(f"| {how} | {documents:,} | {shares} | {len(rows):,} | {other:,} | {wall:.1f} s | {cpu:.1f} s |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the data set of programs")
    parser.add_argument("--documents", type=int, default=1000)
    options = parser.parse_args()
    print(f"\n{measure.machine()}")
    if options.data:
        programs(options.data)
    print("\n| passages | documents | covered | located | exact to the character | reported | false | wall | CPU |")
    print("|---|---|---|---|---|---|---|---|---|")
    for edited in (False, True):
        passages(options.documents, edited)
