"""Chooses survivors if the candidates do not fit into memory.

A batch of whole components is decided at once. A component that does not fit into memory is decided in blocks, in order
of preference. Each block is compared with the survivors of earlier blocks, piece by piece, and then with itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.local.spill.run import Candidates, SpillingSearch, counts_of, table_of
from lookalike.engines.stages.arrows import StoredTexts
from lookalike.engines.stages.checking import Counts
from lookalike.engines.stages.huge_sets import overlaps, parts_needed
from lookalike.engines.stages.survivors import Chosen, PreferredCopies, choose_survivors, from_pairs
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows, to_numpy
from lookalike.flow.distinct import distinct
from lookalike.flow.threshold import Threshold


@dataclass(frozen=True, eq=False)
class SpilledStars:
    """The choice of survivors among stored candidates."""

    search: SpillingSearch
    candidates: Candidates
    preferred: PreferredCopies
    texts: StoredTexts

    def choose(self) -> Chosen:
        """Returns the survivor of each row, without regard to copies."""
        rows = self.search.signed.rows
        if self.candidates.giants is not None:  # their pairs are known, and belong to several batches
            left, right, similarity = self.search.pairs(self.candidates)
            assert similarity is not None
            if self.search.resolved.plan.contained is not None and len(left):
                contained = self._contained(left, right, similarity)
                left, right, similarity = left[contained], right[contained], similarity[contained]
            documents = np.arange(rows, dtype=np.int64)
            preference = self.preferred.among(documents)
            return from_pairs(self.search.kernel, preference, left, right, similarity, self.search.counts)
        survivor, similarity = np.arange(rows, dtype=np.int64), np.ones(rows)
        for number, removed in enumerate(self._decisions()):
            these = to_numpy(removed["row"])
            survivor[these], similarity[these] = to_numpy(removed["survivor"]), to_numpy(removed["similarity"])
            self.search.counts.add(counts_of(removed))
            self.search.progress("connect", number + 1, self.candidates.jobs(number + 1))
        return Chosen(survivor, similarity, self.search.counts)

    def _contained(self, left: Rows, right: Rows, similarity: npt.NDArray[np.float64]) -> Mask:
        """Whether enough shingles of the less preferred document of each similar pair are in the other one.

        The sets are cut again, part by part, only to count their elements.
        """
        search, place = self.search, self.preferred.place[self.preferred.best]
        share = Threshold(search.resolved.plan.contained or 1)
        rows = distinct(np.concatenate([left, right]))
        windows = search.signed.column("windows", np.uint32)[rows].astype(np.int64)
        parts = parts_needed(int(windows.sum()), search.allowance.tables)
        sizes = np.zeros(search.signed.rows, dtype=np.int64)
        sizes[rows] = overlaps(
            search.kernel, search.resolved, self.texts, rows, rows, parts, huge=search.allowance.huge
        )[1]
        # The similarity is shared / (both - shared), correctly rounded, so the number of shared elements is exact.
        shared = np.rint(similarity * (sizes[left] + sizes[right]) / (1 + similarity)).astype(np.int64)
        removed = sizes[np.where(place[left] > place[right], left, right)]
        contained: Mask = shared * share.denominator >= removed * share.numerator
        return contained

    def _decisions(self) -> Iterator[pa.Table]:
        """Yields the removed rows of each batch and block."""
        for batch in self.candidates.whole:
            yield self._stored(f"{batch:06d}", partial(self._decide_batch, batch))
        for component in self.candidates.large:
            yield from self._in_blocks(component)

    def _stored(self, name: str, decide: Callable[[], pa.Table]) -> pa.Table:
        """Returns a part that an interrupted run has stored, or else computes and stores it."""
        name = self.search.name(f"stars-{self.preferred.preference.digest}-{name}")
        table = self.search.signed.spill.get(name)
        if table is None:
            self.search.allowance.clear()
            table = decide()
            self.search.keep(name, table)
            self.search.allowance.tidy()
        return table

    def _decide_batch(self, batch: int) -> pa.Table:
        return self._decide(*self.candidates.stored.load(batch))

    def _decide(self, rows: Rows, keys: Hashes, sets: Shingles, known: int = 0) -> pa.Table:
        """Returns the removed rows. The `known` most preferred rows are known to survive."""
        preference = self.preferred.among(rows)
        preference = replace(preference, always_kept=max(known, preference.always_kept))
        search = self.search
        try:
            most = search.allowance.pairs()
            chosen = choose_survivors(search.kernel, search.resolved, keys, sets, preference, most)
        except OverflowError:
            raise search.allowance.too_many_pairs(search.resolved.plan) from None
        removed = np.flatnonzero(chosen.survivor != np.arange(len(rows)))
        columns = {
            "row": rows[removed],
            "survivor": rows[chosen.survivor[removed]],
            "similarity": chosen.similarity[removed],
        }
        return table_of(columns, chosen.counts)

    def _in_blocks(self, component: int) -> Iterator[pa.Table]:
        here = np.flatnonzero(self.candidates.component == component)
        rows, costs = self.candidates.rows[here], self.candidates.costs[here].of_all(True)
        place = self.preferred.place[self.preferred.best[rows]]
        order = np.argsort(place)
        rows, costs, place = rows[order], costs[order], place[order]
        stays = int(np.searchsorted(place, self.preferred.preference.always_kept))
        survives = np.zeros(len(rows), dtype=bool)
        survives[:stays] = True
        for number, (begin, end) in enumerate(self._divided(costs[stays:])):
            block, known = rows[stays + begin : stays + end], np.flatnonzero(survives)
            pieces = [rows[known[low:high]] for low, high in self._divided(costs[known])]
            removed = self._stored(f"{component}-{number:06d}", partial(self._decide_block, block, pieces))
            survives[stays + begin : stays + end] = ~np.isin(block, to_numpy(removed["row"]))
            yield removed

    def _decide_block(self, block: Rows, pieces: list[Rows]) -> pa.Table:
        """Returns the removed rows of a block. The pieces are all survivors that are preferred to it, in order."""
        found, counts = [], Counts()
        for number, piece in enumerate(pieces or [block[:0]], 1):
            table = self._decide(*self.candidates.stored.load_rows(np.sort(np.append(piece, block))), len(piece))
            counts.add(counts_of(table))
            if number < len(pieces):  # among themselves, rows are compared only after all earlier survivors
                table = table.filter(pa.array(np.isin(to_numpy(table["survivor"]), piece)))
            block = block[~np.isin(block, to_numpy(table["row"]))]
            found.append(table.replace_schema_metadata(None))
        return table_of({name: to_numpy(values) for name, values in _columns(pa.concat_tables(found))}, counts)

    def _divided(self, costs: Rows) -> Iterator[tuple[int, int]]:
        """Yields the start and end of blocks that take half of the memory each."""
        if len(costs):
            block = (np.cumsum(costs) - 1) // max(1, self.search.allowance.tables // 2)
            ends = np.flatnonzero(np.diff(block, append=block[-1] + 1)) + 1
            yield from zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)


def _columns(table: pa.Table) -> Iterator[tuple[str, pa.ChunkedArray]]:
    return ((name, table[name]) for name in table.column_names)
