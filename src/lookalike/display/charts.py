"""Small charts for cards."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookalike.drawing.histograms import similarity_histogram, size_histogram

SIZE = {"width": 560, "height": 170}

MOST = 5_000_000
"""The maximum number of similarities that are counted, so that showing a card takes less than a second."""


def similarity_chart(similarities: npt.NDArray[np.float64] | None, measure: str = "similarity") -> str:
    """Draws a histogram of similarities from 0 to 1. Returns "" if they are unknown, too many, or fewer than two."""
    if similarities is None or not 2 <= len(similarities) <= MOST or similarities.min() < 0:
        return ""
    return similarity_histogram(np.minimum(similarities, 1), measure=measure, **SIZE)


def size_chart(sizes: dict[int, int], x_label: str = "documents in the cluster") -> str:
    """Draws a histogram of cluster sizes. Returns "" if no cluster has two members.

    `sizes` maps each size to the number of clusters of that size.
    """
    several = tuple((size, count) for size, count in sizes.items() if size >= 2)
    return size_histogram(several, x_label, **SIZE) if several else ""
