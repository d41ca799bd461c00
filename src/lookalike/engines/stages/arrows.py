"""The five arrows, `measure` and `losses`, implemented with a kernel. Shared by engines with a kernel."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.huge_texts import windows_of_largest
from lookalike.flow import Candidates, Documents, Shingles, Signatures
from lookalike.flow.arrays import Mask, Rows, take
from lookalike.flow.progress import Progress
from lookalike.flow.stars import first_survivors
from lookalike.io.source import Piece, Source
from lookalike.io.workers import in_order
from lookalike.kernel.protocol import Kernel
from lookalike.planning.plan import Linkage
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.clusters import Clusters, star_labels
from lookalike.results.pairs import Pairs
from lookalike.storage.budget import Budget
from lookalike.work.text_store import TextLanes, TextStore

HUGE_BATCH = 16 << 20
"""By default, batches with more bytes than this are processed one at a time. Most batches are a quarter as large."""

CUTTING = 3
"""How many times the set of a huge text, or a part of it, is in memory while it is made and sorted."""

HEAVIER = {"chars": 4}
"""How many times more memory it takes to make the set of a text than to sign it, by the kind of shingles (default: 2).
"""

Part = tuple[int, int]
"""The number of a part of each set, from 0 on, and the number of parts."""

WHOLE: Part = (0, 1)


@dataclass(eq=False)
class KernelArrows:
    """Implements shingle, sign, propose, verify, connect, measure and losses with a kernel."""

    kernel: Kernel

    def shingle(self, documents: Documents, plan: ResolvedPlan) -> Shingles:
        return self.kernel.shingle(documents, plan.shingles)

    def sign(self, shingles: Shingles, plan: ResolvedPlan) -> Signatures:
        p = plan.plan
        values = self.kernel.sign(shingles, sketch=p.sketch, hashes=p.hashes, seed=p.seed)
        return Signatures(values, plan.signed_by, shingles.start)

    def propose(self, signatures: Signatures, plan: ResolvedPlan) -> Candidates:
        signed = np.flatnonzero((signatures.values != np.uint64(2**64 - 1)).any(axis=1))
        values = np.ascontiguousarray(signatures.values[signed])
        if plan.exact:
            left, right = np.triu_indices(len(signed), 1)
            return Candidates(signed[left] + signatures.start, signed[right] + signatures.start)
        keys = self.kernel.band_keys(values, plan.bands, plan.rows)
        left, right = self.kernel.candidates(keys)
        return Candidates(signed[left] + signatures.start, signed[right] + signatures.start)

    def verify(self, candidates: Candidates, shingles: Shingles, signatures: Signatures, plan: ResolvedPlan) -> Pairs:
        rows = shingles.start + len(shingles)
        left, right = candidates.left - shingles.start, candidates.right - shingles.start
        if plan.plan.verify == "none":
            return Pairs(candidates.left, candidates.right, None, plan.threshold, rows)
        if plan.plan.verify == "exact":
            shared = self.kernel.intersections(shingles, left, right)
            total = shingles.sizes[left] + shingles.sizes[right] - shared
        else:
            shared, total = equal_slots(signatures, left, right)
        t = plan.threshold
        true = (total > 0) & (shared * t.denominator >= total * t.numerator)
        similarity = shared[true] / total[true]
        return Pairs(candidates.left[true], candidates.right[true], similarity, plan.threshold, rows)

    def connect(self, pairs: Pairs, linkage: Linkage = "connected") -> Clusters:
        if linkage == "star":
            labels = star_labels(first_survivors(pairs.rows, pairs.left_rows, pairs.right_rows))
        else:
            labels = self.kernel.connect(pairs.rows, pairs.left_rows, pairs.right_rows)
        return Clusters(labels, ids=pairs.ids, summary=pairs.summary)

    def measure(
        self,
        plan: ResolvedPlan,
        source: Source,
        left: Rows,
        right: Rows,
        most: int | None = None,
        huge: int = HUGE_BATCH,
        *,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.float64]:
        """Measures the exact similarity of each pair. Huge texts are cut one at a time: see `cut_rows`.

        Raises OverflowError if the sets have more than `most` elements in all.
        """
        used = np.zeros(max(left.max(initial=-1), right.max(initial=-1)) + 1, dtype=bool)
        used[left] = used[right] = True
        rows = np.flatnonzero(used)
        texts = TextStore(source, 0, ahead=2 * huge)
        sets = load_sets(self.kernel, plan, texts, rows, progress, most, huge, stage="keep")
        a, b = np.searchsorted(rows, left), np.searchsorted(rows, right)
        shared = self.kernel.intersections(sets, a, b)
        total = sets.sizes[a] + sets.sizes[b] - shared
        similarity: npt.NDArray[np.float64] = np.zeros(len(left))
        np.divide(shared, total, out=similarity, where=total > 0)  # empty sets have similarity 0
        return similarity

    def losses(
        self,
        plan: ResolvedPlan,
        source: Source,
        removed: Rows,
        kept: Rows,
        lengths: Rows,
        *,
        progress: Progress | None = None,
    ) -> tuple[Mask, Rows]:
        """Returns, for each pair of rows, whether their bytes are equal, and how many characters are lost.

        The texts of as many pairs are read at a time as fit into half of the free memory. A pair that does not fit
        alone is not read.
        """
        kernel, memory = self.kernel, getattr(self, "memory", None)
        most = Budget.of(memory).free() // 2
        identical, lost = np.zeros(len(removed), dtype=bool), np.full(len(removed), UNKNOWN, dtype=np.int64)
        done = 0
        for some in groups_of_pairs(removed, kept, lengths, most // PER_CHARACTER):
            texts, places, survivors = texts_of_pairs(source, removed[some], kept[some], memory, kernel.threads)
            identical[some], lost[some] = kernel.losses(Documents(texts), plan.shingles, places, survivors)
            done += len(some)
            if progress is not None:
                progress("keep", done, len(removed))
        return identical, lost


PER_CHARACTER = 12
"""Peak bytes per character of a group of pairs: its texts twice, while they are gathered, and their tokens."""

UNKNOWN = -1
"""In place of the number of lost characters of a pair that does not fit into memory."""


class Texts(Protocol):
    """An object that returns the texts in a range of rows: a source, or a store of texts that were already read."""

    def documents(self, start: int, stop: int) -> Iterator[Documents]: ...


class StoredTexts(Texts, Protocol):
    """A store of texts, which several threads can read."""

    ahead: int
    """The maximum number of bytes of texts to read ahead."""

    def lanes(self, start: int, stop: int) -> TextLanes: ...


def load_sets(
    kernel: Kernel,
    plan: ResolvedPlan,
    texts: StoredTexts,
    rows: Rows,
    progress: Progress | None = None,
    most: int | None = None,
    huge: int = HUGE_BATCH,
    stage: str = "read candidates",
    part: Part = WHOLE,
    expected: int = 0,
) -> Shingles:
    """Loads the sets of the given rows (ascending), or one part of each.

    `expected` is the number of their elements, if it is known roughly; better too many than too few. Raises
    OverflowError if they have more than `most` elements in all.
    """
    offsets, values = np.zeros(len(rows) + 1, dtype=np.int64), np.empty(expected, dtype=np.uint64)
    high = end = 0
    with closing(cut_rows(kernel, plan, texts, rows, huge, part, most)) as found:
        for sets in found:
            start, end, high = end, end + len(sets.values), high + len(sets)
            if most is not None and end > most:
                raise OverflowError(f"over {most:,} elements")
            offsets[high - len(sets) + 1 : high + 1] = start + sets.offsets[1:]
            # Resizing a large array in place copies no bytes, so the values are never in memory twice. But it fills the
            # new part with zeros, which takes longer than to copy the values; memory that is not used costs nothing.
            if end > len(values):
                values.resize(end, refcheck=False)
            values[start:end] = sets.values
            if progress is not None:
                progress(stage, high, len(rows))
    values.resize(end, refcheck=False)
    return Shingles(offsets, values)


def cut_rows(
    kernel: Kernel,
    plan: ResolvedPlan,
    texts: StoredTexts,
    rows: Rows,
    huge: int = HUGE_BATCH,
    part: Part = WHOLE,
    most: int | None = None,
) -> Generator[Shingles, None, None]:
    """Yields the sets of the given rows (ascending), or parts of them, in the same order, as one or more tables.

    Batches that take as much memory as signing `huge` bytes of text are processed one at a time. Raises OverflowError
    before a huge text is cut, if that would take the memory of more than `most` elements, including those made before.
    """
    alone, one_thread = huge // HEAVIER.get(plan.shingles.kind, 2), kernel.on_one_thread()
    made: list[int] = []  # elements, of each batch

    def cut(piece: Piece[Documents]) -> Shingles:
        documents = piece.load()
        low, high = np.searchsorted(rows, [documents.start, documents.start + len(documents)])
        if high - low < len(documents):
            documents = Documents(take(documents.texts, rows[low:high] - documents.start))
        if most is not None and len(documents) and documents.texts.nbytes > alone:
            elements = windows_of_largest(kernel, documents, plan.shingles) / part[1]
            if sum(made) + CUTTING * elements > most:
                raise OverflowError(f"over {most:,} elements")
        if part == WHOLE:
            sets = one_thread.shingle(documents, plan.shingles)
        else:
            sets = one_thread.shingle_part(documents, plan.shingles, *part)
        made.append(len(sets.values))
        return sets

    if len(rows):
        found = in_order(
            texts.lanes(int(rows[0]), int(rows[-1]) + 1),
            cut,
            kernel.threads,
            bytes_of=attrgetter("nbytes"),
            made_bytes=attrgetter("values.nbytes"),
            most=texts.ahead,
            huge=alone,
        )
        with closing(found):
            yield from found


def texts_of_pairs(
    source: Source, removed: Rows, kept: Rows, memory: int | None, threads: int
) -> tuple[pa.Array, Rows, Rows]:
    """Reads the texts of pairs of rows, each once. Returns them, and the places of both rows of each pair."""
    used = np.zeros(max(removed.max(), kept.max()) + 1, dtype=bool)
    used[removed] = used[kept] = True
    rows = np.flatnonzero(used)

    start, room = int(rows[0]), max(1, Budget.of(memory).free() // 8)
    batches = in_order(
        source.lanes([source.column], start, int(rows[-1]) + 1),
        methodcaller("load"),
        threads,
        readers=max(1, min(threads, room // max(1, source.reader_bytes))),
        bytes_of=attrgetter("nbytes"),
        made_bytes=attrgetter("nbytes"),
        most=min(room, HUGE_BATCH),
        huge=min(room, HUGE_BATCH),
    )
    found = []
    with closing(batches):
        for batch in batches:
            low, high = np.searchsorted(rows, [start, start + batch.num_rows])
            found.append(take(batch.column(0), rows[low:high] - start))
            start += batch.num_rows
            del batch  # a text may be huge
    texts = pa.concat_arrays(found)
    return texts, np.searchsorted(rows, removed), np.searchsorted(rows, kept)


def groups_of_pairs(removed: Rows, kept: Rows, lengths: Rows, most: int) -> Iterator[Rows]:
    """Yields pairs in groups of at most `most` characters, by kept row. Pairs that exceed this alone are left out."""
    order = np.argsort(kept, kind="stable")
    size = lengths[removed[order]] + lengths[kept[order]]
    order, size = order[size <= most], size[size <= most]
    group = (np.cumsum(size) - size) // max(1, most)  # a group may have up to twice as many characters
    yield from np.split(order, np.flatnonzero(np.diff(group)) + 1) if len(order) else ()


def equal_slots(signatures: Signatures, left: Rows, right: Rows, chunk: int = 1 << 16) -> tuple[Rows, Rows]:
    """Returns, for each pair, the number of equal slots and the number of slots. Works in chunks, to save memory."""
    values = signatures.values
    counts = [
        np.count_nonzero(values[left[i : i + chunk]] == values[right[i : i + chunk]], axis=1)
        for i in range(0, len(left), chunk)
    ]
    shared = np.concatenate([np.zeros(0, dtype=np.int64), *counts]).astype(np.int64)
    return shared, np.full(len(left), signatures.hashes, dtype=np.int64)
