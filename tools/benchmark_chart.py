"""Draws the bar chart of the README from saved results of benchmarks/peers.py.

python tools/benchmark_chart.py            write the chart
python tools/benchmark_chart.py --check    fail if it is out of date
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from lookalike.drawing.canvas import Canvas
from lookalike.drawing.markup import tag

ROOT = Path(__file__).resolve().parents[1]
RESULTS, CHART = ROOT / "docs/benchmarks/peers-zipf-1000000.json", ROOT / "docs/_static/peers.svg"

# The name of each bar, by the name that benchmarks/peers.py prints. Contenders that are not listed have no bar.
BARS = {
    "equal texts (DuckDB)": "DuckDB, select distinct",
    "lookalike, pairs": "lookalike",
    "Daft minhash + NumPy join": "Daft minhash",
    "rensa + NumPy join": "rensa",
    "gaoya": "gaoya",
    "datasketch": "datasketch",
    "datatrove, clusters": "datatrove",
}
LOOKALIKE = "lookalike, pairs"

# Widths in pixels: names on the left, bars in the middle, and three columns of figures on the right.
WIDTH, LEFT, RIGHT, TOP, STEP = 860, 184, 300, 62, 34
COLUMNS = (("seconds", 640), ("recall", 735), ("precision", 835))

STYLE = """
text{font:14px ui-sans-serif,system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.strong{font-weight:600}.quiet{fill:#59636e;font-size:12.5px}.wrong{fill:#bc4c00}
.bar{fill:#afb8c1}.ours{fill:#0969da}.base{stroke:#818b98}
@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.quiet{fill:#9198a1}.wrong{fill:#f0883e}
.bar{fill:#3d444d}.ours{fill:#4493f8}.base{stroke:#656c76}}
""".replace("\n", "")


def chart(saved: dict[str, Any]) -> str:
    """Draws one bar per contender, from the fastest to the slowest."""
    results = sorted((r for r in saved["results"] if r["name"] in BARS), key=lambda result: result["wall"])
    longest = max(result["wall"] for result in results)
    canvas = Canvas(WIDTH, TOP + STEP * len(results) + 54, left=LEFT, right=RIGHT)
    title = "Near-duplicates at 0.8 in one million generated documents (2 GB of text), on 2 cores"
    canvas.words(12, 22, title, "strong", "start")
    for heading, x in COLUMNS:
        canvas.words(x, TOP - 10, heading, "quiet", "end")
    for place, result in enumerate(results):
        bar(canvas, TOP + STEP * place, result, result["wall"] / longest)
    bottom = TOP + STEP * len(results)
    canvas.line((LEFT, TOP - 2), (LEFT, bottom - 4), "base")
    notes = (
        "Settings of equal recall; precision depends on the corpus (here, copies have similarities from 0.5 to 1).",
        f"DuckDB finds only identical texts, and datatrove gives clusters. {saved['machine']}.",
    )
    for line, note in enumerate(notes):
        canvas.words(12, bottom + 20 + 20 * line, note, "quiet", "start")
    return canvas.svg(description(results), STYLE) + "\n"


def bar(canvas: Canvas, y: int, result: dict[str, Any], share: float) -> None:
    ours = "strong" if result["name"] == LOOKALIKE else ""
    canvas.words(LEFT - 10, y + 18, BARS[result["name"]], ours, "end")
    size = {"x": LEFT, "y": y + 4, "width": f"{max(share * canvas.inner, 1.5):.1f}", "height": STEP - 12}
    canvas.parts.append(tag("rect", kind="ours" if ours else "bar", **size))
    figures = [f"{result['wall']:.1f}", *("–" if name not in result else cut(result[name]) for name, _ in COLUMNS[1:])]
    for figure, (name, x) in zip(figures, COLUMNS, strict=True):
        wrong = name != "seconds" and name in result and result[name] < 0.99
        canvas.words(x, y + 18, figure, "wrong" if wrong else ours, "end")


def cut(share: float) -> str:
    """Formats a share with four decimal places, rounded down, so that only 1 is shown as 1.0000."""
    return f"{int(share * 10_000 + 1e-6) / 10_000:.4f}"


def description(results: list[dict[str, Any]]) -> str:
    bars = ", ".join(f"{BARS[result['name']]} {result['wall']:.1f} s" for result in results)
    return f"Seconds to find near-duplicates in one million documents: {bars}"


if __name__ == "__main__":
    drawn = chart(json.loads(RESULTS.read_text()))
    if "--check" not in sys.argv:
        CHART.write_text(drawn)
    elif drawn != CHART.read_text():
        sys.exit(f"{CHART} is out of date: run python tools/benchmark_chart.py")
