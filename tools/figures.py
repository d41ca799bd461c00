"""Draws the figures of docs/concepts: curves of MMDS, chapter 3, and of other families, from their formulas.

python tools/figures.py            write the figures
python tools/figures.py --check    fail if one is out of date
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from lookalike.apps.fingerprints import book_rate
from lookalike.drawing.canvas import Canvas
from lookalike.drawing.markup import tag
from lookalike.drawing.plots import STYLE, framed
from lookalike.families.amplify import Banded
from lookalike.families.hyperplanes import Hyperplanes
from lookalike.families.minhash import MinHash
from lookalike.families.polytope import CrossPolytope
from lookalike.families.projections import GaussianLines, UnitLines

FOLDER = Path(__file__).resolve().parents[1] / "docs/concepts/figures"
LINES, KEYS = ("line", "second", "third"), ("key1", "key2", "key3")

Function = Callable[[float], float]
Point = tuple[float, float]


def points(f: Function, low: float, high: float, count: int = 160) -> list[Point]:
    return [(x, f(x)) for x in (low + (high - low) * i / count for i in range(count + 1))]


def curves(title: str, x_label: str, span: Point, drawn: Sequence[tuple[str, Function]], legend: Point) -> str:
    """Draws up to three curves. `legend` is the position of the first name, as shares of both axes."""
    canvas = framed(span, x_label)
    low, high = span
    for (name, f), kind, key in zip(drawn, LINES, KEYS, strict=False):
        canvas.path([((x - low) / (high - low), p) for x, p in points(f, low, high)], kind)
        at = [name for name, _ in drawn].index(name)
        canvas.words(canvas.x(legend[0]), canvas.y(legend[1]) + 20 * at, name, key, "start")
    return finished(canvas, title)


def finished(canvas: Canvas, title: str) -> str:
    canvas.words(canvas.left, 16, title, "strong", "start")
    return canvas.svg(title, STYLE) + "\n"


def areas() -> str:
    """Draws the false positives and false negatives of 10 bands of 5 rows at a threshold."""
    banded, threshold = Banded(bands=10, rows=5), 0.6
    canvas = framed((0, 1), "Jaccard similarity of a pair")
    below = points(banded.collision_probability, 0, threshold)
    above = points(banded.collision_probability, threshold, 1)
    canvas.path([*below, (threshold, 0)], "positive", closed=True)
    canvas.path([*above, (threshold, 1)], "negative", closed=True)
    canvas.path([*below, *above], "line")
    x = canvas.x(threshold)
    canvas.line((x, canvas.y(0)), (x, canvas.y(1) - 6), "mark")
    canvas.words(x, canvas.y(1) - 10, f"threshold {threshold}", "strong")
    canvas.words(canvas.x(0.22), canvas.y(0.2), "false positives:", "strong")
    canvas.words(canvas.x(0.22), canvas.y(0.2) + 17, "dissimilar candidates")
    canvas.words(canvas.x(0.85), canvas.y(0.62), "false negatives:", "strong")
    canvas.words(canvas.x(0.85), canvas.y(0.62) + 17, "missed")
    return finished(canvas, "10 bands of 5 rows")


def step() -> str:
    """Draws the ideal collision probability."""
    canvas = framed((0, 1), "Jaccard similarity of a pair")
    canvas.path([(0, 0), (0.6, 0), (0.6, 1), (1, 1)], "line")
    canvas.words(canvas.x(0.3), canvas.y(0.08), "no chance below the threshold")
    canvas.words(canvas.x(0.8), canvas.y(0.9), "certain above it")
    return finished(canvas, "The ideal: a step")


def one() -> str:
    """Draws the collision probability of one hash function."""
    canvas = framed((0, 1), "Jaccard similarity of a pair")
    canvas.path(points(Banded(1, 1).collision_probability, 0, 1, 2), "line")
    canvas.words(canvas.x(0.46), canvas.y(0.34), "equal values: exactly the similarity", anchor="start")
    return finished(canvas, "One band of one row: a line")


def lines() -> str:
    """Draws the collision probabilities of lines in several dimensions, and the bounds of MMDS, which hold in the
    plane."""
    drawn = [
        ("unit lines in the plane", UnitLines(1.0, 2).at_distance),
        ("in 8 dimensions", UnitLines(1.0, 8).at_distance),
        ("Gaussian lines, in any", GaussianLines(1.0).at_distance),
    ]
    canvas = framed((0, 3), "distance, in widths of a bin")
    for (name, f), kind, key in zip(drawn, LINES, KEYS, strict=True):
        canvas.path([(x / 3, p) for x, p in points(f, 0, 3)], kind)
        canvas.words(canvas.x(0.52), canvas.y(0.96) + 20 * KEYS.index(key), name, key, "start")
    for x, p, words, dy in ((0.5, 1 / 2, "at least 1/2", 24), (2.0, 1 / 3, "at most 1/3", -10)):
        canvas.parts.append(tag("circle", kind="dot", cx=canvas.x(x / 3), cy=canvas.y(p), r="4.5"))
        canvas.words(canvas.x(x / 3), canvas.y(p) + dy, words, "strong")
    return finished(canvas, "Lines: (a/2, 2a, 1/2, 1/3) holds in the plane")


def triples() -> str:
    """Draws the matches and false candidates of fingerprints by the number of triples of squares; 1,024 are marked."""
    most, chosen = 4000, 1024
    canvas = framed((0, most), "triples of grid squares")
    drawn = [("two prints of one finger", 0.16), ("prints of two fingers", 0.04)]
    for (name, both), kind, key in zip(drawn, LINES, KEYS, strict=False):

        def rate(count: float, both: float = both) -> float:
            return book_rate(both, round(count))

        canvas.path([(x / most, p) for x, p in points(rate, 0, most)], kind)
        canvas.words(canvas.x(0.4), canvas.y(0.62) + 20 * KEYS.index(key), name, key, "start")
        canvas.parts.append(tag("circle", kind="dot", cx=canvas.x(chosen / most), cy=canvas.y(rate(chosen)), r="4.5"))
        below = 20 if rate(chosen) > 0.5 else -10
        canvas.words(
            canvas.x(chosen / most) + 8, canvas.y(rate(chosen)) + below, f"{rate(chosen):.3f}", "strong", "start"
        )
    x = canvas.x(chosen / most)
    canvas.line((x, canvas.y(0)), (x, canvas.y(1)), "mark")
    return finished(canvas, "Candidates by number of triples")


def figures() -> dict[str, str]:
    """Returns all figures by name, as SVG."""
    jaccard = "Jaccard similarity of a pair"
    bands = [(f"{b} bands", Banded(b, 5).collision_probability) for b in (5, 20, 100)]
    rows = [(f"{r} rows", Banded(20, r).collision_probability) for r in (2, 5, 10)]
    ands = [
        ("AND 4, then OR 4", MinHash().and_(4).or_(4).collision_probability),
        ("AND 4", MinHash().and_(4).collision_probability),
        ("OR 4", MinHash().or_(4).collision_probability),
    ]
    vectors = [
        ("a hyperplane", Hyperplanes().at_distance),
        ("5 hyperplanes, AND-ed", Hyperplanes().and_(5).at_distance),
        ("a cross-polytope, 16 axes", CrossPolytope(16).at_distance),
    ]
    return {
        "areas": areas(),
        "step": step(),
        "one": one(),
        "bands": curves("More bands find more (5 rows each)", jaccard, (0, 1), bands, (0.02, 0.96)),
        "rows": curves("More rows require more (20 bands)", jaccard, (0, 1), rows, (0.04, 0.94)),
        "and-or": curves("AND lowers, OR raises, both together separate", jaccard, (0, 1), ands, (0.02, 0.96)),
        "lines": lines(),
        "triples": triples(),
        "vectors": curves(
            "Vectors: one hash value", "angle between two vectors, degrees", (0, 180), vectors, (0.5, 0.92)
        ),
    }


def main() -> None:
    wanted = {FOLDER / f"{name}.svg": content for name, content in figures().items()}
    if "--check" in sys.argv[1:]:
        stale = [path.name for path, content in wanted.items() if not path.exists() or path.read_text() != content]
        if stale:
            sys.exit(f"out of date in docs/concepts/figures: {', '.join(stale)}. Run python tools/figures.py")
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, content in wanted.items():
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
