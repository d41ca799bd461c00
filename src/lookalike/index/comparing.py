"""How the rows of an index are compared: by the sets of their texts or, if it keeps no texts, by short signatures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.corpus.segment import Records
from lookalike.corpus.token_lists import unpacked
from lookalike.engines.stages.arrows import load_sets
from lookalike.engines.stages.first_pass import sketch
from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Hashes, Rows, take
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.index.packing import Unpacked, texts_at
from lookalike.index.short_signatures import estimated, least_equal, sets_of_slots, short_signatures
from lookalike.index.store import NewRows, Part, Store
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan


class Comparison(Protocol):
    """Sets that stand for rows, and what their overlaps mean."""

    def of(self, documents: Documents) -> Shingles:
        """Returns the sets of documents that are not in the store."""
        ...

    def at(self, rows: Rows) -> Shingles:
        """Returns the sets of rows."""
        ...

    def at_or_in(self, new: NewRows) -> Callable[[Rows], Shingles]:
        """Returns a function like `at`, to which new rows are known, too. Its rows ascend."""
        ...

    def within(self, part: Part, places: Rows, progress: Progress) -> Shingles:
        """Returns the sets of rows of a part."""
        ...

    def keys_at(self, rows: Rows) -> Hashes:
        """Returns the band keys of rows."""
        ...

    def fraction(self, threshold: Threshold) -> tuple[int, int]:
        """Returns the Jaccard similarity that two of these sets must have to reach the threshold, as a fraction."""
        ...

    def similarity(self, shared: Rows, total: Rows) -> npt.NDArray[np.float64]:
        """Returns the similarities of documents, given the sizes of the intersections and unions of their sets."""
        ...


def comparison(store: Store, kernel: Kernel, plan: ResolvedPlan) -> Comparison:
    return (TextSets if keeps_texts(plan) else SlotSets)(store, kernel, plan)


def keeps_texts(plan: ResolvedPlan) -> bool:
    """Returns whether an index with this plan keeps texts. Otherwise, its plan verifies by signatures."""
    return plan.plan.verify == "exact"


@dataclass(frozen=True, eq=False)
class TextSets:
    """Sets that are cut from the texts. Similarities are exact."""

    store: Store
    kernel: Kernel
    plan: ResolvedPlan

    def of(self, documents: Documents) -> Shingles:
        return self.kernel.shingle(documents, self.plan.shingles)

    def at(self, rows: Rows) -> Shingles:
        return self.of(Documents(texts_at(self.store, rows)))

    def at_or_in(self, new: NewRows) -> Callable[[Rows], Shingles]:
        def sets(rows: Rows) -> Shingles:
            mine = rows >= new.rows[0]  # these are the last ones, since rows ascend
            old = int((~mine).sum())
            texts = [texts_at(self.store, rows[:old])] if old else []
            if old < len(rows):
                texts.append(unpacked(take(new.texts, rows[old:] - new.rows[0])))
            return self.of(Documents(pa.concat_arrays(texts)))

        return sets

    def within(self, part: Part, places: Rows, progress: Progress) -> Shingles:
        texts = Unpacked(part.texts_of(places))
        return load_sets(self.kernel, self.plan, texts, places, progress, stage="read candidates")

    def keys_at(self, rows: Rows) -> Hashes:
        return sketch(self.kernel, Documents(texts_at(self.store, rows)), self.plan).keys

    def fraction(self, threshold: Threshold) -> tuple[int, int]:
        return threshold.numerator, threshold.denominator

    def similarity(self, shared: Rows, total: Rows) -> npt.NDArray[np.float64]:
        return shared / total


@dataclass(frozen=True, eq=False)
class SlotSets:
    """Sets of the slots of short signatures, which are part of the records. Similarities are estimates."""

    store: Store
    kernel: Kernel
    plan: ResolvedPlan

    def of(self, documents: Documents) -> Shingles:
        return sets_of_slots(short_signatures(self.kernel, documents, self.plan), self.plan)

    def at(self, rows: Rows) -> Shingles:
        return self._of(self.store.records(rows))

    def at_or_in(self, new: NewRows) -> Callable[[Rows], Shingles]:
        def sets(rows: Rows) -> Shingles:
            mine = rows >= new.rows[0]
            old = self.store.records(rows[~mine])
            return self._of(np.concatenate([old, new.records[rows[mine] - new.rows[0]]]))

        return sets

    def within(self, part: Part, places: Rows, progress: Progress) -> Shingles:
        return self._of(part.records[places])

    def keys_at(self, rows: Rows) -> Hashes:
        return self.store.keys_of(rows)

    def fraction(self, threshold: Threshold) -> tuple[int, int]:
        slots = self.plan.plan.hashes
        least = least_equal(threshold, slots)
        return least, 2 * slots - least

    def similarity(self, shared: Rows, total: Rows) -> npt.NDArray[np.float64]:
        similar = estimated(shared, self.plan.plan.hashes)
        similar[shared == total] = 1  # so are documents with the same words, whose sets are not looked at
        return similar

    def _of(self, records: Records) -> Shingles:
        return sets_of_slots(np.ascontiguousarray(records["signature"]), self.plan)
