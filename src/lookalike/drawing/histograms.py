"""Draws histograms of similarities and of cluster sizes as SVG, coloured by the style sheet of the page around them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lookalike.drawing.canvas import Canvas, short

CHARACTER = 7
"""The approximate width of a character of a label, in pixels."""


def similarity_histogram(
    values: npt.NDArray[np.float64],
    threshold: float | None = None,
    *,
    measure: str = "similarity",
    width: int = 1000,
    height: int = 270,
) -> str:
    """Draws a histogram of similarities. Pairs of similarity 1 have a separate bar on the right.

    `measure` names what the values are.

    The threshold is marked if some similarities are below it.
    """
    canvas = Canvas(width, height)
    below = values[values < 1]
    one = len(values) - len(below)
    edges = similarity_edges(float(below.min()) if len(below) else 0.75)
    counts = np.histogram(below, bins=edges)[0].tolist()
    # a bar that dwarfs the others is cut short and labelled with its height
    highest = max(counts)
    cut = highest > 0 and one > 3 * highest
    top = 1.25 * highest if cut else max(highest, one, 1)
    canvas.counts(top)
    wide = 1 / (len(counts) + 2)  # the bins, a gap, and a wider bar for similarity 1
    for i, count in enumerate(counts):
        canvas.bar(i * wide, wide, count / top, f"{edges[i]:.2f} – {edges[i + 1]:.2f}: {count:,}")
    for i in range(0, len(counts), 5):
        canvas.below(i * wide, f"{edges[i]:g}")
    share, middle = min(1.0, one / top), (len(counts) + 1.25) * wide
    canvas.bar((len(counts) + 0.5) * wide, 1.5 * wide, share, f"exactly 1: {one:,}", "bar whole")
    canvas.below(middle, "1")
    if cut:
        x = canvas.x(middle)
        half = 0.75 * wide * canvas.inner
        canvas.line((round(x - half, 1), canvas.y(0.8)), (round(x + half, 1), canvas.y(0.8) - 9), "break")
    if one:
        canvas.words(canvas.x(middle), canvas.y(share) - 7, f"{one:,}", "strong")
    canvas.title(measure)
    if threshold is not None and edges[0] < threshold < 1 and float(values.min()) < threshold:
        x = canvas.x((threshold - edges[0]) / (1 - edges[0]) * len(counts) * wide)
        canvas.line((x, canvas.y(0)), (x, canvas.y(1) - 8), "mark")
        canvas.words(x - 8, canvas.y(1) - 6, "threshold", anchor="end")
    return canvas.svg(f"Histogram of {len(values):,} pairs by {measure}, {one:,} of them exactly 1")


def similarity_edges(least: float) -> npt.NDArray[np.float64]:
    """Returns the edges of bins of equal width up to 1. The number of bins is a multiple of five.

    The width is 0.01, 0.02 or 0.04: the smallest with which at most 30 bins reach down to `least`, otherwise 0.04.
    """
    for hundredths in (1, 2, 4):
        step = 5 * hundredths
        low = 100 - step * max(1, math.ceil((100 - least * 100 - 1e-9) / step))
        if 100 - low <= 30 * hundredths:
            break
    return np.arange(max(low, 0), 100 + hundredths, hundredths) / 100


def size_histogram(
    sizes: tuple[tuple[int, int], ...],
    x_label: str = "documents in the cluster",
    *,
    width: int = 1000,
    height: int = 250,
) -> str:
    """Draws the number of clusters by size: 2, 3, 4, then ranges that double in width."""
    canvas = Canvas(width, height)
    bins = size_bins(sizes)
    top = max(count for _, count in bins)
    wide = 1 / max(len(bins), 8)
    canvas.counts(top)
    longest = max(len(name) for name, _ in bins)
    step = 2 if CHARACTER * (longest + 1) > canvas.x(wide) - canvas.x(0) else 1  # every other label, if all would touch
    for i, (name, count) in enumerate(bins):
        canvas.bar((i + 0.12) * wide, 0.76 * wide, count / top, f"{count:,} of size {name}")
        if count:
            canvas.words(canvas.x((i + 0.5) * wide), canvas.y(count / top) - 7, f"{count:,}", "strong")
        if (len(bins) - 1 - i) % step == 0:
            canvas.below((i + 0.5) * wide, name)
    canvas.title(x_label)
    return canvas.svg(f"Sizes of {sum(count for _, count in sizes):,} clusters")


def size_bins(sizes: tuple[tuple[int, int], ...]) -> list[tuple[str, int]]:
    """Returns the number of clusters in each range of sizes: 2, 3, 4, 5–8, 9–16, … up to the largest.

    `sizes` are pairs of a size and the number of clusters of that size.

    >>> size_bins(((2, 10), (6, 1)))
    [('2', 10), ('3', 0), ('4', 0), ('5–8', 1)]
    """
    largest = max((size for size, _ in sizes), default=2)
    edges = [(2, 2), (3, 3), (4, 4)]
    while edges[-1][1] < largest:
        edges.append((edges[-1][1] + 1, 2 * edges[-1][1]))
    bins = []
    for low, high in edges:
        name = f"{low}" if low == high else f"{short(low)}–{short(high)}"
        bins.append((name, sum(count for size, count in sizes if low <= size <= high)))
    return bins
