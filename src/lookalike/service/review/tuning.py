"""Predicts what a plan finds in the corpus under review: its recall, and its false candidates.

The similar pairs are those inside the clusters. How many pairs have low similarities is estimated from a sample of
documents, all of whose pairs are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.families.amplify import Banded
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_share, check_whole
from lookalike.planning.resolve import ResolvedPlan
from lookalike.service.review.corpus import readable, similarities
from lookalike.service.review.figures import BINS, histogram
from lookalike.service.review.review import Review

SAMPLE = 400
"""The number of documents of the sample: 79,800 pairs."""

MOST_BANDS, MOST_ROWS = 1024, 64

POINTS = 100
"""The number of steps of the curve."""


def tune(review: Review, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Predicts what bands and rows find at a threshold."""
    plan = review.corpus.plan
    if plan is None:
        raise InvalidOption("no-plan-yet")
    threshold, banding = _asked(plan, asked)
    pairs, sample = _histogram(review, plan)
    middles = (np.arange(BINS) + 0.5) / BINS
    chances = np.array([banding.collision_probability(float(s)) for s in middles])
    found = pairs * chances
    above = middles >= threshold
    wanted = float(pairs[above].sum())
    steps = [round(i / POINTS, 4) for i in range(POINTS + 1)]
    return {
        "threshold": threshold,
        "bands": banding.bands,
        "rows": banding.rows,
        "hashes": banding.bands * banding.rows,
        "recall": float(found[above].sum()) / wanted if wanted else None,
        "curve": [{"similarity": s, "chance": float(banding.collision_probability(s))} for s in steps],
        "histogram": {
            "edges": [round(i / BINS, 6) for i in range(BINS + 1)], "pairs": pairs.tolist(), "found": found.tolist()
        },
        "pairs": wanted,
        "found": float(found.sum()),
        "false_candidates": float(found[~above].sum()),
        "missed": wanted - float(found[above].sum()),
        "sampled": {"documents": sample, "pairs": sample * (sample - 1) // 2},
        "current": {"threshold": float(plan.threshold), "bands": plan.bands, "rows": plan.rows},
    }  # fmt: skip


def _asked(plan: ResolvedPlan, asked: Mapping[str, Any]) -> tuple[float, Banded]:
    threshold = float(plan.threshold) if asked["threshold"] is None else asked["threshold"]
    check_share("threshold", threshold)
    bands = plan.bands if asked["bands"] is None else asked["bands"]
    rows = plan.rows if asked["rows"] is None else asked["rows"]
    check_whole("bands", bands, 1, MOST_BANDS)
    check_whole("rows", rows, 0, MOST_ROWS)
    return float(threshold), Banded(bands, rows)


def _histogram(review: Review, plan: ResolvedPlan) -> tuple[Any, int]:
    """Returns the estimated number of pairs of each similarity, and the number of sampled documents.

    Pairs inside clusters were counted. The other pairs are estimated from the sample; those that reach the threshold
    of the run would be in a cluster, so there are none.
    """
    if review.sample is None:
        readable(review.corpus)
        review.sample = _sampled(review, plan)
    counts, size = review.sample
    documents = review.corpus.documents
    scale = documents * (documents - 1) / (size * (size - 1)) if size > 1 else 0.0
    inside = review.figures.counts.astype(np.float64)
    if review.known.of == "pairs" and not review.figures.is_known.any():
        inside = histogram(review.known.similarities).astype(np.float64)
    estimated = counts * scale
    estimated[np.arange(BINS) / BINS >= float(plan.threshold)] = 0
    return np.maximum(inside, estimated), size


def _sampled(review: Review, plan: ResolvedPlan) -> tuple[Rows, int]:
    """Compares all pairs of some documents. The same corpus always gives the same sample."""
    rows = review.corpus.sample(SAMPLE)
    texts = review.corpus.texts(rows)
    left, right = np.triu_indices(len(rows), 1)
    found = similarities(plan, [texts[row] for row in rows.tolist()], left, right)
    return histogram(found), len(rows)
