"""Shows entities: some groups of matching records with their fields, and the values in which they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lookalike.display.card import Card
from lookalike.display.cells import clean, width
from lookalike.drawing.markup import tag, text
from lookalike.flow.arrays import Rows
from lookalike.results.shown import Shown

if TYPE_CHECKING:
    from lookalike.apps.resolve.result import Resolved

MEMBERS = 8
"""The maximum number of records of an entity that are shown."""

CELL = 36
"""The maximum number of characters of a value that are shown in a terminal."""


@dataclass(frozen=True)
class Cell:
    """One value of a record. `differs` is True if it is not the most frequent value of the entity."""

    value: str
    differs: bool


@dataclass(frozen=True)
class Group:
    """Records of one entity: the id of each and, per record, its values in the order of the fields."""

    ids: tuple[str, ...]
    records: tuple[tuple[Cell, ...], ...]
    size: int
    """The number of records of the entity, including those that are not shown."""


def groups_of(found: Resolved, n: int) -> list[Group]:
    """Returns up to `n` entities: half of them the largest, the others spread evenly over the table.

    For two tables, each match is an entity of two records.
    """
    if len(found.records) > 1:
        chosen = np.unique(np.linspace(0, max(len(found) - 1, 0), min(n, len(found))).astype(int))
        rows = [np.array([found.outcome.left[i], found.outcome.right[i]]) for i in chosen]
        return [group_of(found, pair) for pair in rows]
    largest = found.clusters.largest()
    first = largest[: (n + 1) // 2]
    others = sorted(largest[len(first) :], key=lambda rows: int(rows[0]))
    spread = np.unique(np.linspace(0, max(len(others) - 1, 0), min(n - len(first), len(others))).astype(int))
    return [group_of(found, rows) for rows in [*first, *(others[i] for i in spread)]]


def group_of(found: Resolved, rows: Rows) -> Group:
    """Returns the first records of an entity, with the values in which they differ marked."""
    shown = rows[:MEMBERS]
    values = [[found.value(int(row), field) for row in shown] for field in found.settings.fields]
    usual = [_usual(column) for column in values]
    records = [
        tuple(Cell(value, value != common) for value, common in zip(record, usual, strict=True))
        for record in zip(*values, strict=True)
    ]
    return Group(tuple(found.name(int(row)) for row in shown), tuple(records), len(rows))


def _usual(values: Sequence[str]) -> str:
    """Returns the most frequent value that is not missing; of several, the first."""
    counts = Counter(value for value in values if value)
    return counts.most_common(1)[0][0] if counts else ""


def show_entities(found: Resolved, n: int) -> Shown:
    """Shows entities as HTML and as text, in which values that differ are in brackets."""
    groups = groups_of(found, n)
    names = ["id", *(field.name for field in found.settings.fields)]
    total = len(found) if len(found.records) > 1 else len(found.clusters)
    nouns = ("match", "matches") if len(found.records) > 1 else ("entity", "entities")
    noun = nouns[total != 1] + ("" if len(found.records) > 1 else " with two or more records")
    title = f"{len(groups):,} of {total:,} {noun}"
    lines, blocks = [title], []
    for group in groups:
        more = f"… and {group.size - len(group.ids):,} more records" if group.size > len(group.ids) else ""
        lines += ["", *_text(names, group), *([more] if more else [])]
        blocks += [tag("div", _html(names, group), kind="scroll"), tag("p", text(more), kind="more") if more else ""]
    return Shown("\n".join(lines), Card(title, body="".join(blocks)).html())


def _html(names: Sequence[str], group: Group) -> str:
    head = tag("tr", *(tag("th", text(clean(name))) for name in names))
    body = (
        tag("tr", tag("td", text(clean(id))), *(tag("td", _marked(cell), dir="auto") for cell in record))
        for id, record in zip(group.ids, group.records, strict=True)
    )
    return tag("table", tag("thead", head), tag("tbody", *body), kind="rows")


def _marked(cell: Cell) -> str:
    words = text(clean(cell.value)) or "–"
    return tag("mark", words) if cell.differs else words


def _text(names: Sequence[str], group: Group) -> list[str]:
    rows = [[clean(name, CELL) for name in names]]
    for id, record in zip(group.ids, group.records, strict=True):
        values = [clean(cell.value, CELL) or "–" for cell in record]
        rows.append(
            [
                clean(id, CELL),
                *(f"[{value}]" if cell.differs else value for value, cell in zip(values, record, strict=True)),
            ]
        )
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(word + " " * (wide - width(word)) for word, wide in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
