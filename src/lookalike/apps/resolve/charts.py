"""Charts of a result: the weights of each field, what thresholds would give, and what is missing in the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve import diagnostics
from lookalike.apps.resolve.trade_off import HIGHEST, LOWEST
from lookalike.drawing.bars import Bars, paired_bars, share_bars, signed_bars
from lookalike.drawing.curves import Curve, Draw, curves
from lookalike.drawing.markup import tag, text
from lookalike.drawing.plots import STYLE
from lookalike.flow.checks import check_one_of
from lookalike.storage.foreign_errors import writing
from lookalike.storage.whole_files import write_whole

if TYPE_CHECKING:
    from lookalike.apps.resolve.result import Resolved

SAME = 0.1
"""Neighbouring levels whose weights differ by at most this many bits are drawn as one bar."""
TICKS = (0.01, 0.1, 0.5, 0.9, 0.99, 0.999)


@dataclass(frozen=True)
class Chart:
    """A chart with the table that it shows. Notebooks display the chart as SVG, prompts the table as text."""

    title: str
    table: pa.Table = field(repr=False)
    draw: Draw = field(repr=False)

    def __repr__(self) -> str:
        rows = [self.table.column_names, *([_cell(value) for value in row.values()] for row in self.table.to_pylist())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(cell.ljust(wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in rows)
        return "\n".join([self.title, *lines])

    def _repr_svg_(self) -> str:
        namespace = 'xmlns="http://www.w3.org/2000/svg"'
        head, rest = self.draw().split(">", 1)
        return f"{head} {namespace}><style>{STYLE}</style>{rest}"

    def save(self, path: str | Path) -> Path:
        """Writes the chart as an SVG file. An existing file is replaced."""
        with writing(str(path)):
            write_whole(Path(path), self._repr_svg_().encode())
        return Path(path)


def chart_of(found: Resolved, name: str) -> Chart:
    """Returns the chart with this name (see `CHARTS`)."""
    check_one_of("name", name, tuple(CHARTS))
    title, table, draw = CHARTS[name]
    data = table(found)
    return Chart(title, data, partial(draw, found, data))


def weights_chart(found: Resolved, table: pa.Table, **size: Any) -> str:
    """Draws the weight of each level of each field, in bits. Levels of about the same weight are one bar."""
    groups = [(name, _bars(rows)) for name, rows in _by_field(table)]
    return signed_bars(groups, "Weights of the fields in bits", ("against a match", "for a match"), **size)


def _bars(rows: list[dict[str, Any]]) -> Bars:
    merged: list[list[dict[str, Any]]] = []
    for row in reversed(rows):
        if merged and merged[-1][0]["from"] < 1 and abs(merged[-1][0]["bits"] - row["bits"]) <= SAME:
            merged[-1].append(row)
        else:
            merged.append([row])
    bars = [(_range(part[-1]["from"], part[0]["to"]), float(np.mean([one["bits"] for one in part]))) for part in merged]
    return [(label, value, f"{value:+.1f}") for label, value in bars]


def levels_charts(table: pa.Table) -> list[tuple[str, Draw]]:
    """Returns, per field, a function that draws the shares m and u of its levels."""
    charts: list[tuple[str, Draw]] = []
    for name, rows in _by_field(table):
        pairs = [("equal" if row["from"] == 1 else f"{row['from']:g}", row["m"], row["u"]) for row in rows]
        words = f"Similarity in {name}: shares of matches and of other pairs"
        charts.append((name, partial(paired_bars, pairs, ("of matches", "of other pairs"), words)))
    return charts


def levels_chart(found: Resolved, table: pa.Table, **size: Any) -> str:
    """Draws the charts of all fields below each other."""
    parts, y, wide = [], 0, size.get("width", 480)
    for name, draw in levels_charts(table):
        parts.append(tag("text", text(name), kind="strong", x=0, y=y + 16))
        inner = draw(**size).replace("<svg ", f'<svg x="0" y="{y + 20}" width="{wide}" height="200" ', 1)
        parts.append(inner)
        y += 232
    box = {"viewBox": f"0 0 {wide} {max(y, 1)}", "role": "img", "aria_label": "Shares m and u of all fields"}
    return tag("svg", *parts, **box)


def thresholds_chart(found: Resolved, table: pa.Table, **size: Any) -> str:
    """Draws the expected precision (with its interval) and recall by threshold, on an axis of log odds."""
    rows = table.to_pylist()

    def line(name: str) -> list[tuple[float, float]]:
        return [(_place(row["threshold"]), row[name]) for row in rows]

    drawn = [Curve(line("precision"), "line", line("low"), line("high")), Curve(line("recall"), "second")]
    threshold = found.settings.threshold
    mark = (_place(threshold), f"threshold {threshold:g}") if 0.01 <= threshold <= 0.9999 else None
    ticks = [(_place(share), f"{share:g}") for share in TICKS]
    words = "Expected precision and recall by threshold"
    return curves(drawn, ticks, "threshold: minimum probability of a match", words, mark=mark, **size)


def unlinkable_chart(found: Resolved, table: pa.Table, **size: Any) -> str:
    """Draws the share of records that could not match a copy of themselves, by threshold."""
    points = list(zip(table["threshold"].to_pylist(), table["unlinkable"].to_pylist(), strict=True))
    threshold = found.settings.threshold
    share = dict(points)[threshold]
    ticks = [(tick / 5, f"{tick / 5:g}") for tick in range(6)]
    words = "Share of records that cannot be linked, by threshold"
    mark = (threshold, f"at {threshold:g}: {share:.1%}")
    return curves(
        [Curve(points)], ticks, "threshold: minimum probability of a match", words, mark=mark, percent=True, **size
    )


def missing_chart(found: Resolved, table: pa.Table, **size: Any) -> str:
    """Draws the share of missing values of each column. Columns that are not compared are marked as ignored."""
    bars = []
    sides = [""] if len(found.records) == 1 else ["left: ", "right: "]
    for row in table.to_pylist():
        name = f"{sides[row['side']]}{row['column']}{'' if row['compared'] else ' (ignored)'}"
        bars.append((name, row["missing"], f"{row['missing']:.1%}"))
    return share_bars(bars, "Share of missing values per column", **size)


def _place(threshold: float) -> float:
    odds = float(np.log(threshold / (1 - threshold)))
    return float(np.clip((odds - LOWEST) / (HIGHEST - LOWEST), 0, 1))


def _by_field(table: pa.Table) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for name, rows in groupby(table.to_pylist(), key=lambda row: row["field"]):
        yield name, list(rows)


def _range(low: float, high: float) -> str:
    return "equal" if low == 1 else f"{low:g} – {high:g}"


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


CHARTS: dict[str, tuple[str, Callable[[Resolved], pa.Table], Callable[..., str]]] = {
    "weights": ("Evidence of each field by similarity, in bits", diagnostics.weights_table, weights_chart),
    "levels": ("Shares of matches (m) and of other pairs (u) by similarity", diagnostics.weights_table, levels_chart),
    "thresholds": ("Expected precision and recall by threshold", diagnostics.threshold_table, thresholds_chart),
    "unlinkable": ("Records that cannot be linked, by threshold", diagnostics.unlinkable_table, unlinkable_chart),
    "missing": ("Missing values per column", diagnostics.missing_table, missing_chart),
}
"""The title, table and drawing function of each chart."""
