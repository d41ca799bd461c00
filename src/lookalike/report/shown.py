"""Shows the texts of a result: pairs side by side with their differences marked, and clusters with their members."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.display.card import Card
from lookalike.display.cells import FirstRows, cell, clean
from lookalike.drawing.markup import tag, text
from lookalike.flow.arrays import Rows, ids_of
from lookalike.flow.shingles import Shingling
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.planning.plan import Plan
from lookalike.report.figures import Reportable, clusters_of, resolved_plan, similar_rows
from lookalike.report.side_by_side import Piece, Sample, compare_sample, pieces
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped
from lookalike.results.shown import Shown

if TYPE_CHECKING:
    from lookalike.results.matches import Matches
    from lookalike.trust.contamination import Contamination

MEMBERS = 6
"""The maximum number of members of a cluster that are shown."""

SHORT = 500
"""The approximate number of characters of a text that are shown in a terminal."""

OWN = (("[-", "-]"), ("{+", "+}"))
"""How the words of the left and of the right text alone are marked in a terminal, as by `git diff --word-diff`."""


def show_documents(result: Reportable, source: Source, n: int) -> Shown:
    """Shows the first pairs, the largest clusters, or the first removed documents beside the ones that were kept."""
    plan = resolved_plan(result.summary)
    whole = Plan() if plan is None else dataclasses.replace(plan.plan, shingles=plan.shingles)
    if isinstance(result, Clusters):
        return _clusters(result, source, n)
    left, right, similarity, _ = similar_rows(result, clusters := clusters_of(result))
    shown = left[:n], right[:n]
    texts = read_texts(source, np.concatenate(shown))
    names = [ids_of(clusters.ids, rows).to_pylist() for rows in shown]
    values = [None] * len(shown[0]) if similarity is None else similarity[:n].tolist()
    samples = [
        compare_sample((one, two), (texts[int(a)], texts[int(b)]), value, whole)
        for one, two, a, b, value in zip(*names, *shown, values, strict=True)
    ]
    noun = "removed document" if isinstance(result, Deduped) else "pair"
    facts = [", ".join([f"similarity {sample.similarity}", *sample.facts]) for sample in samples]
    return _pairs(samples, facts, len(left), noun)


def show_matches(result: Matches, left: Source, right: Source, n: int) -> Shown:
    """Shows the first matches of a join."""
    rules = tomllib.loads(result.rules).get("shingles")
    plan = Plan(shingles="chars:2" if rules is None else Shingling.from_dict(rules))
    one, two = read_texts(left, result.left_rows[:n]), read_texts(right, result.right_rows[:n])
    first = result[:n]
    samples, facts = [], []
    for row, a, b in zip(first, result.left_rows, result.right_rows, strict=False):
        samples.append(compare_sample(row[:2], (one[int(a)], two[int(b)]), None, plan))
        facts.append(f"{row._fields[2]} {cell(row[2])}")
    return _pairs(samples, facts, len(result), "pair")


def show_leaks(result: Contamination, train: Source, test: Source, n: int) -> Shown:
    """Shows the first test documents beside the training documents that contain them."""
    from lookalike.report.leaks import samples_of

    samples = samples_of(result, train, test, range(min(n, len(result.pairs))))
    return _pairs(samples, [f"containment {sample.similarity}" for sample in samples], len(result.pairs), "pair")


def _pairs(samples: Sequence[Sample], facts: Sequence[str], total: int, noun: str) -> Shown:
    title = f"{len(samples):,} of {total:,} {noun}{'' if total == 1 else 's'}"
    title += ", each beside the one that was kept" if noun == "removed document" else ""
    title += "; what is in one text only is marked" if samples else ""
    blocks, lines = [], [title]
    for sample, fact in zip(samples, facts, strict=True):
        heading = f"{clean(sample.left)} – {clean(sample.right)}"
        sides = (tag("div", *map(_piece, shown), dir="auto") for _, shown in sample.sides)
        blocks += [tag("p", tag("b", text(heading)), " ", text(fact)), tag("div", *sides, kind="sides")]
        both = sample.comparison
        marked = ((both.a, both.marks_a), (both.b, both.marks_b))
        lines += ["", f"{heading}: {fact}"]
        lines += [f"  {_marked(pieces(*one, most=SHORT), *marks)}" for one, marks in zip(marked, OWN, strict=True)]
    return Shown("\n".join(lines), Card(title, body="".join(blocks)).html())


def _piece(piece: Piece) -> str:
    kind, words = piece
    return (
        tag("mark", text(words))
        if kind == "own"
        else tag("i", text(f" … {words} … "))
        if kind == "gap"
        else text(words)
    )


def _marked(shown: Sequence[Piece], before: str, after: str) -> str:
    marks = {"own": (before, after), "gap": (" … ", " … "), "shared": ("", "")}
    joined = "".join(f"{marks[kind][0]}{words}{marks[kind][1]}" for kind, words in shown)
    return clean(joined, 4 * SHORT)


def _clusters(result: Clusters, source: Source, n: int) -> Shown:
    largest = result.largest(n)
    survivors = result.labels if result.survivors is None else result.survivors
    shown = [_first_members(rows, int(survivors[rows[0]])) for rows in largest]
    texts = read_texts(source, np.concatenate([*shown, np.zeros(0, np.int64)]))
    tables = [
        FirstRows(
            pa.table({"id": ids_of(result.ids, rows), "text": [_words(texts[int(row)]) for row in rows]}),
            len(every),
            f"Cluster of {len(every):,} documents, the representative first",
        )
        for every, rows in zip(largest, shown, strict=True)
    ]
    noun = "cluster" if len(result) == 1 else "clusters"
    card = Card(f"{len(largest):,} of {len(result):,} {noun}, largest first", tables=tables)
    return Shown(card.text(), card.html())


def _first_members(rows: Rows, representative: int) -> Rows:
    return np.array([representative, *rows[rows != representative][: MEMBERS - 1]], np.int64)


def _words(document: Any) -> str:
    return document if isinstance(document, str) else ", ".join(map(str, document))
