"""Draws the S-curve of a report. It is coloured by the page's style sheet, so that it follows light and dark mode."""

from __future__ import annotations

import numpy as np

from lookalike.drawing.canvas import Canvas
from lookalike.drawing.markup import tag
from lookalike.families.amplify import Banded
from lookalike.planning.explain import TEXTBOOK, chance


def s_curve(banding: Banded, threshold: float, label: str) -> str:
    """Draws the probability that a pair becomes a candidate, by its similarity, with the threshold marked.

    A dashed curve shows the textbook's banding for comparison.
    """
    canvas = Canvas(480, 400)
    recall = banding.collision_probability(threshold)
    above = [(x, banding.collision_probability(x)) for x in np.linspace(threshold, 1, 60)]
    canvas.levels([(share, f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)])
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        canvas.below(tick, f"{tick:g}")
    canvas.title("similarity of a pair")
    canvas.path([*above, (1, 0), (threshold, 0)], "area", closed=True)
    for each, kind in ((TEXTBOOK, "other"), (banding, "line")):
        canvas.path([(x, each.collision_probability(x)) for x in np.linspace(0, 1, 161)], kind)
    x = canvas.x(threshold)
    canvas.line((x, canvas.y(0)), (x, canvas.y(1) - 8), "mark")
    canvas.parts.append(tag("circle", kind="dot", cx=x, cy=canvas.y(recall), r="4.5"))
    # put the label on the side that has room
    side, anchor = (-8, "end") if threshold > 0.45 else (8, "start")
    canvas.words(x + side, canvas.y(1) - 11, f"at the threshold {label}: {chance(recall)}", "strong", anchor)
    return canvas.svg(f"S-curve of {banding.bands} bands of {banding.rows} rows: {chance(recall)} at {label}")
