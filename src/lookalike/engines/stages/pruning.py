"""Leaves out documents that can have no similar one, before an exact join reads any sets. No pair is missed.

A document that reaches the threshold t with another one shares at least ⌈t·n⌉ of its n shingles with it. So at most
n − ⌈t·n⌉ of its shingles occur nowhere else. In most corpora, most documents have more of them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from lookalike.flow import Documents
from lookalike.flow.sketches import EMPTY
from lookalike.kernel.protocol import Kernel
from lookalike.kernel.pruning import Census
from lookalike.planning.costs import FEW, MOST_KEPT, share_to_count
from lookalike.planning.resolve import ResolvedPlan
from lookalike.planning.survey import distinct as distinct_sets
from lookalike.planning.unique_elements import unique_shares

SAMPLED = 4096
"""The maximum number of documents that are looked at before counting begins."""

MEASURED = 64
"""The number of documents whose mean size shows whether all of them have FEW shingles."""

LEAST = 100
"""With no more distinct documents than this, it is not known whether most documents can be left out."""


CUT, SHARE = 1 << 22, 100
"""The share of unique shingles is estimated from about CUT shingles, or from one document in SHARE if that is fewer."""


def start_census(kernel: Kernel, resolved: ResolvedPlan, documents: Documents, rows: int) -> Census | None:
    """An empty census for a run of about `rows` documents, which starts with these. None if it would leave out few.

    That is the case if most of these documents share so many shingles with each other that they cannot be left out:
    with more documents, fewer shingles are unique. If all documents have FEW shingles, nothing is counted either.
    `rows` is 0 if the number of documents is not known.
    """
    some, (p, q) = Documents(documents.texts[:SAMPLED]), (resolved.threshold.numerator, resolved.threshold.denominator)
    few = Documents(some.texts[:MEASURED])
    mean = kernel.census(1.0).add(few, resolved.shingles).windows.mean() if rows else math.inf
    if rows * mean <= FEW:
        return None
    census = kernel.census(1.0)
    counted = census.add(some, resolved.shingles)
    empty = counted.flags & EMPTY != 0
    distinct = ~empty & (kernel.copies(counted.words, empty) == np.arange(len(some)))
    if not distinct.any():
        return kernel.census(1.0)
    can = census.can_match(counted.windows, ~distinct, p, q)
    if np.count_nonzero(can) > MOST_KEPT * np.count_nonzero(distinct) > MOST_KEPT * LEAST:
        return None
    size = int(np.median(counted.windows[distinct]))
    cut = max(64, min(CUT // max(1, size), rows // SHARE))
    sets = kernel.shingle(Documents(some.texts[:cut]), replace(resolved.shingles, bag=False))
    unique = unique_shares(distinct_sets(sets), rows / len(sets))
    return kernel.census(share_to_count(resolved.threshold, size, unique))
