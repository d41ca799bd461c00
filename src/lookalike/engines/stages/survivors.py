"""Chooses the documents that survive, and the survivor that replaces each of the others, for all engines with a kernel.

The search sees one of several copies, so the preference of rows becomes one of distinct documents, and the answer is
given to all copies again.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.checking import FEW_PAIRS, Counts, slots_of
from lookalike.engines.stages.copies import without_copies
from lookalike.engines.stages.signature_sets import least_overlap
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.preference import Prefer, Preference, pair_numbers
from lookalike.flow.threshold import Threshold
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan


@dataclass(frozen=True, eq=False)
class PreferredCopies:
    """The preference among distinct documents. A document has the place of its most preferred copy."""

    preference: Preference
    first: Rows
    """For each row, the first row with the same words, or the row itself."""
    place: Rows
    """The place of each row in the order of preference."""
    best: Rows
    """For each distinct document, its most preferred copy. For other rows, the row itself."""

    @classmethod
    def of(cls, prefer: Prefer | None, first: Rows, lengths: Rows) -> PreferredCopies:
        """The preference of rows whose copies are known (default: earlier rows are preferred).

        Rows that somebody decided on are not treated as copies.
        """
        preference = Preference(np.arange(len(first), dtype=np.int64)) if prefer is None else prefer(lengths)
        decided = [rows for rows in (preference.alone, *(preference.different or ())) if rows is not None]
        if decided:
            first = without_copies(first, np.concatenate(decided))
        order = preference.order
        place, best = np.empty(len(order), dtype=np.int64), np.arange(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        best[first[order[::-1]]] = order[::-1]  # of several copies, the last one assigned is the most preferred
        return cls(preference, first, place, best)

    def left_out(self, empty: Mask) -> Mask:
        """Rows that are not compared with others: copies of another row, empty texts, and excluded rows."""
        left_out: Mask = (self.first != np.arange(len(self.first))) | empty
        if self.preference.alone is not None:
            left_out[self.preference.alone] = True
        return left_out

    def among(self, documents: Rows) -> Preference:
        """The preference among some distinct documents, by their position in this list."""
        places = self.place[self.best[documents]]
        always_kept = int(np.count_nonzero(places < self.preference.always_kept))
        wanted = self.preference.different
        different = None if wanted is None else _positions(documents, *wanted)
        return Preference(np.argsort(places), always_kept, different)

    def for_rows(self, chosen: Chosen, documents: Rows | None = None) -> tuple[Rows, npt.NDArray[np.float64]]:
        """The survivor of each row, and its similarity to it, given those of some distinct documents (default: of all).

        All other documents survive. A copy of a surviving document is replaced by its most preferred copy.
        """
        if documents is not None:
            survivor, values = np.arange(len(self.first), dtype=np.int64), np.ones(len(self.first))
            survivor[documents], values[documents] = documents[chosen.survivor], chosen.similarity
            chosen = Chosen(survivor, values, chosen.counts)
        survivors, similarity = self.best[chosen.survivor[self.first]], chosen.similarity[self.first]
        stays = self.preference.order[: self.preference.always_kept]
        survivors[stays], similarity[stays] = stays, 1.0
        return survivors, similarity


@dataclass(frozen=True, eq=False)
class Chosen:
    """The survivor of each document (itself if it survives), and its similarity to it."""

    survivor: Rows
    similarity: npt.NDArray[np.float64]
    counts: Counts


def choose_survivors(
    kernel: Kernel, resolved: ResolvedPlan, keys: Hashes, sets: Shingles, preference: Preference, most: int
) -> Chosen:
    """Chooses among documents, which are given by position. If candidates are not verified, all of them are similar.

    At most `most` pairs are listed. Raises OverflowError if unverified candidates are more.
    """
    p, q = resolved.threshold.numerator, resolved.threshold.denominator
    if resolved.plan.verify == "none":
        left, right = kernel.candidates(keys, most=most)
        return from_pairs(kernel, preference, left, right, np.ones(len(left)), Counts(0, len(left)))
    contained = resolved.plan.contained
    if resolved.exact and contained is None:
        # As for components: if there are few pairs, it is faster to list them.
        with suppress(OverflowError):
            few = kernel.exact_pairs(sets, numerator=p, denominator=q, most=min(most, FEW_PAIRS * (1000 + len(sets))))
            total = sets.sizes[few.left] + sets.sizes[few.right] - few.intersection
            similarity = few.intersection / total
            return from_pairs(kernel, preference, few.left, few.right, similarity, Counts(few.compared))
    if resolved.plan.verify == "signature":
        sets, (p, q) = slots_of(kernel, resolved, sets), least_overlap(resolved)
    share = None if contained is None else Threshold(contained)
    found = kernel.choose_survivors(
        keys, sets, p, q, preference, None if share is None else (share.numerator, share.denominator)
    )
    total = sets.sizes + sets.sizes[found.survivor] - found.intersection
    removed = found.survivor != np.arange(len(keys))
    similarity = np.ones(len(keys))
    np.divide(found.intersection, total, out=similarity, where=removed)
    return Chosen(found.survivor, similarity, Counts(found.checked))


def from_pairs(
    kernel: Kernel,
    preference: Preference,
    left: Rows,
    right: Rows,
    similarity: npt.NDArray[np.float64],
    counts: Counts,
) -> Chosen:
    """Chooses among documents, given all similar pairs."""
    if preference.different is not None:
        similar = ~np.isin(pair_numbers(left, right), pair_numbers(*preference.different))
        left, right, similarity = left[similar], right[similar], similarity[similar]
    pair = kernel.removing_pairs(preference, left, right)
    removed = np.flatnonzero(pair >= 0)
    by = pair[removed]
    survivor, values = np.arange(len(pair), dtype=np.int64), np.ones(len(pair))
    survivor[removed] = left[by] + right[by] - removed
    values[removed] = similarity[by]
    return Chosen(survivor, values, counts)


def among_copies(kernel: Kernel, preferred: PreferredCopies, first: Rows) -> Chosen:
    """Chooses among documents that are similar to their copies only. `first` is the first copy of each row.

    Copies that somebody decided on are documents of their own, so they are paired with each other and with the rest.
    """
    rows = np.arange(len(first), dtype=np.int64)
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    if preferred.first is not first:
        some = np.flatnonzero((preferred.first == rows) & np.isin(first, first[preferred.first != first]))
        if preferred.preference.alone is not None:
            some = np.setdiff1d(some, preferred.preference.alone)
        some = some[np.argsort(first[some], kind="stable")]
        for group in np.split(some, np.flatnonzero(np.diff(first[some])) + 1):
            pairs.append(group[np.stack(np.triu_indices(len(group), 1))])
    left, right = np.concatenate(pairs, axis=1)
    return from_pairs(kernel, preferred.among(rows), left, right, np.ones(len(left)), Counts())


def _positions(documents: Rows, left: Rows, right: Rows) -> tuple[Rows, Rows]:
    """The positions of the given pairs in a list of documents, in any order. Other pairs are left out."""
    if not len(documents):
        return documents, documents
    order = np.argsort(documents)
    one, other = (
        order[np.minimum(np.searchsorted(documents, rows, sorter=order), len(order) - 1)] for rows in (left, right)
    )
    here = (documents[one] == left) & (documents[other] == right)
    return one[here], other[here]
