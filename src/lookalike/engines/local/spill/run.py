"""The search for pairs or clusters if the data does not fit into memory. Candidates are processed in batches.

A batch consists of whole candidate components. A component that does not fit in a batch is processed in pieces
(`oversized.py`), in which no pair appears twice.

Every expensive step stores a part, and a resumed run continues after the stored parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.local.spill.batches import ALL, Packed, StoredCandidates, gather, hash_of, pack, regroup
from lookalike.engines.local.spill.giants import GiantPairs, compare_giants, set_apart
from lookalike.engines.local.spill.grouping import group_sets, shares_by_size
from lookalike.engines.local.spill.oversized import Component, shares
from lookalike.engines.stages.arrows import StoredTexts
from lookalike.engines.stages.boilerplate import LargeBuckets
from lookalike.engines.stages.candidate_components import CandidateComponents, find_components
from lookalike.engines.stages.checking import Counts, connected, similar
from lookalike.engines.stages.memory import Allowance, CandidateCosts
from lookalike.engines.stages.signed_parts import SignedParts
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows, to_arrow, to_numpy
from lookalike.flow.buckets import ALL as EVERY_PAIR
from lookalike.flow.buckets import Share
from lookalike.flow.progress import About, Progress
from lookalike.kernel.protocol import Forest, Kernel
from lookalike.planning.resolve import ResolvedPlan

FEW_BATCHES = 8
"""The sets of so few batches are picked from all sets, which is cheaper than to store them once more."""


@dataclass
class SpillingSearch:
    """The search for one plan, with tables in files."""

    kernel: Kernel
    resolved: ResolvedPlan
    signed: SignedParts
    allowance: Allowance
    progress: Progress
    counts: Counts = field(default_factory=Counts)
    pruned: bool = False
    """True if rows without a partner were left out. Parts of runs with and without them differ."""
    compared: str = ""
    """Identifies the rows that are compared. They depend on decisions, which a resumed run may change."""

    @property
    def batches(self) -> Allowance:
        """The allowance for a batch.

        If pairs are listed, it is half of the total, since the list gets the other half.
        """
        plan = self.resolved.plan
        return self.allowance.less(self.allowance.tables // 2) if plan.goal == "pairs" else self.allowance

    def propose(self, left_out: Mask) -> CandidateComponents:
        """Finds the candidate components of all rows that are not left out, or loads them if they are stored."""
        self.compared = hash_of(np.packbits(left_out))
        name = self.name("components")
        kept = self.signed.spill.get(name)
        if kept is None:
            if self.resolved.exact:  # all rows are compared with one another
                rows = np.flatnonzero(~left_out)
                found = CandidateComponents(
                    rows, np.full(len(rows), rows[0] if len(rows) else 0), np.ones(len(rows), dtype=bool)
                )
            else:
                found = find_components(self.kernel, self.signed, left_out, self.allowance.to_sort)
            table = table_of({"row": found.rows, "component": found.component, "indexed": found.indexed.view("u1")})
            self.keep(name, table.replace_schema_metadata({"large_buckets": found.large_buckets.to_json()}))
            return found
        indexed = to_numpy(kept["indexed"]).view(np.bool_)
        large_buckets = LargeBuckets.from_json(kept.schema.metadata[b"large_buckets"])
        return CandidateComponents(to_numpy(kept["row"]), to_numpy(kept["component"]), indexed, large_buckets)

    def gather(self, texts: StoredTexts, components: CandidateComponents, place: Rows | None = None) -> Candidates:
        """Packs all candidates into batches, and stores their keys and sets. Giants are compared at once.

        A component that does not fit in one batch is divided in the order of `place` (default: in input order).
        """
        windows = self.signed.column("windows", np.uint32)[components.rows]
        giants: GiantPairs | None = None
        if self.resolved.plan.verify != "none":
            rest, apart = set_apart(components, windows, self.allowance)
            if apart.any():
                self.allowance.clear()
                giants = self._compare(texts, components, apart, windows)
                components, windows = rest, windows[~apart]
        costs = CandidateCosts.of(self.resolved, self.kernel.threads, windows)
        grouping = self.resolved.exact and self.resolved.plan.verify == "exact"
        key = "" if place is None else f"-{hash_of(place)}"
        if grouping:  # the groups are found from the sets
            packed = Packed(np.zeros(len(components.rows), dtype=np.int32), range(1), [])
        else:
            order = None if place is None else place[components.rows]
            packed = pack(components, costs.of_all(components.indexed), self.batches.tables, order)
        name = self.name("sets" if grouping else f"sets{key}")
        stored = gather(
            self.kernel,
            self.resolved,
            texts,
            self.signed,
            components.rows,
            packed,
            windows,
            name,
            self.allowance,
            self.progress,
        )
        if grouping:
            return self._grouped(stored, int(windows.sum(dtype=np.int64)), giants, place)
        return Candidates(components.rows, components.component, costs, packed.whole, packed.large, stored, giants)

    def _grouped(
        self, stored: StoredCandidates, elements: int, giants: GiantPairs | None, place: Rows | None
    ) -> Candidates:
        """Divides the sets of an exact join into groups, and packs the groups into batches."""
        self.counts.candidates = None
        name = self.name("groups")
        table = self.signed.spill.get(name) if self.signed.spill.keeps else None
        if table is None:
            first, sizes = group_sets(self.kernel, self.resolved.threshold, stored, elements, self.allowance)
            alone = np.bincount(first, minlength=len(first))[first] == 1
            rows, component, sizes = stored.rows[~alone], stored.rows[first[~alone]], sizes[~alone]
            self.keep(name, table_of({"row": rows, "component": component, "size": sizes}))
        else:
            rows, component, sizes = (to_numpy(table[column]) for column in ("row", "component", "size"))
        self.allowance.clear()
        costs = CandidateCosts.of(self.resolved, self.kernel.threads, sizes)
        components = CandidateComponents(rows, component, np.ones(len(rows), dtype=bool))
        order = sizes if place is None else place[rows]
        packed = pack(components, costs.of_all(True), self.batches.tables, order)
        if len(packed.whole) > FEW_BATCHES or packed.large:
            name = self.name("batches" if place is None else f"batches-{hash_of(place)}")
            stored = regroup(stored, rows, packed, name, self.allowance)
        else:
            stored = replace(stored, selected=[rows[packed.batch == batch] for batch in packed.whole])
        return Candidates(rows, component, costs, packed.whole, packed.large, stored, giants, sizes)

    def _compare(
        self, texts: StoredTexts, components: CandidateComponents, giants: Mask, windows: npt.NDArray[np.uint32]
    ) -> GiantPairs:
        """Compares the giants, or loads their pairs if they are stored."""
        name = self.name("giants")
        table = self.signed.spill.get(name) if self.signed.spill.keeps else None
        if table is None:
            found = compare_giants(
                self.kernel,
                self.resolved,
                texts,
                self.signed,
                components,
                giants,
                windows,
                self.allowance,
                self.progress,
            )
            columns = {"left": found.left, "right": found.right, "similarity": found.similarity}
            self.keep(name, table_of(columns, found.counts))
            return found
        left, right, similarity = (to_numpy(table[column]) for column in ("left", "right", "similarity"))
        return GiantPairs(left, right, similarity, counts_of(table))

    def pairs(self, candidates: Candidates) -> tuple[Rows, Rows, npt.NDArray[np.float64] | None]:
        """Finds all similar pairs of candidates. They are kept in files until all batches are processed."""
        sizes: list[int] = []
        for number, job in enumerate(self._jobs(candidates, None)):
            name = self.name(f"pairs-{number:06d}")
            table = self.signed.spill.get(name)
            if table is None:
                self.allowance.clear()
                rows, keys, sets = job.load()
                try:
                    found = similar(self.kernel, self.resolved, keys, sets, job.share, self.batches.pairs())
                except OverflowError:
                    raise self.batches.too_many_pairs(self.resolved.plan) from None
                one, other = rows[found.left], rows[found.right]
                columns: dict[str, npt.NDArray[Any]] = {"left": np.minimum(one, other), "right": np.maximum(one, other)}
                if (similarity := found.similarity) is not None:
                    columns["similarity"] = similarity
                table = table_of(columns, found.counts)
                self.signed.spill.put(name, table, hold=False)
                del rows, keys, sets, similarity, columns, found, one, other
                self.allowance.tidy()
            self._count(table, job)
            sizes.append(table.num_rows)
            if sum(sizes) > self.allowance.pairs():
                raise self.allowance.too_many_pairs(self.resolved.plan)
            self.progress("verify", number + 1, candidates.jobs(number + 1))
        table = None
        left, right, similarity = self._listed(sizes)
        if (giants := candidates.giants) is None or similarity is None:
            return left, right, similarity
        self.counts.add(giants.counts)
        left, right = np.concatenate([left, giants.left]), np.concatenate([right, giants.right])
        return left, right, np.concatenate([similarity, giants.similarity])

    def _listed(self, sizes: list[int]) -> tuple[Rows, Rows, npt.NDArray[np.float64] | None]:
        """Loads and concatenates the stored pairs of all jobs; `sizes` are the numbers of pairs."""
        ends = np.cumsum([0, *sizes])
        left, right = np.empty(ends[-1], dtype=np.int64), np.empty(ends[-1], dtype=np.int64)
        similarity = None if self.resolved.plan.verify == "none" else np.empty(ends[-1])
        for number in range(len(sizes)):
            table = self.signed.spill.get(self.name(f"pairs-{number:06d}"))
            assert table is not None, f"the pairs of job {number} are gone"
            here = slice(ends[number], ends[number + 1])
            left[here], right[here] = to_numpy(table["left"]), to_numpy(table["right"])
            if similarity is not None:
                similarity[here] = to_numpy(table["similarity"])
        return left, right, similarity

    def labels(self, candidates: Candidates) -> Rows:
        """Returns, for each row, the first row of its component. Texts with the same words are not merged here."""
        forest = self.kernel.forest(self.signed.rows)
        if candidates.giants is not None:
            self.counts.add(candidates.giants.counts)
            forest.join(candidates.giants.left, candidates.giants.right)
        for number, job in enumerate(self._jobs(candidates, forest)):
            name = self.name(f"joined-{number:06d}")
            table = self.signed.spill.get(name)
            if table is None:
                self.allowance.clear()
                rows, keys, sets = job.load(own_bands=True)
                known = _positions(forest.find(rows)) if job.partial else None
                share = Share(split=job.share.split)  # all bands that were loaded
                near, counts = connected(
                    self.kernel, self.resolved, keys, sets, share, known, stars_only=job.stars_only
                )
                joined = np.flatnonzero(near != np.arange(len(near)))
                table = table_of({"row": rows[joined], "first": rows[near[joined]]}, counts)
                self.keep(name, table)
                del rows, keys, sets, known, near, joined
                self.allowance.tidy()
            self._count(table, job)
            forest.join(to_numpy(table["row"]), to_numpy(table["first"]))
            self.progress("connect", number + 1, candidates.jobs(number + 1))
        return forest.find(np.arange(self.signed.rows, dtype=np.int64))

    def _jobs(self, candidates: Candidates, forest: Forest | None) -> Iterator[_Job]:
        for batch in candidates.whole:
            yield _Job(candidates.stored, batch)
        for component in candidates.large:
            here = np.flatnonzero(candidates.component == component)
            rows, costs = candidates.rows[here], candidates.costs[here]
            if candidates.sizes is not None:
                divided = Component(self.kernel, self.signed, rows, costs, self.batches, forest)
                pieces = shares_by_size(divided, candidates.sizes[here], self.resolved.threshold)
            else:
                pieces = shares(self.kernel, self.signed, rows, costs, self.batches, forest)
            for piece in pieces:
                yield _Job(candidates.stored, piece.rows, piece.share, piece.in_large, piece.stars_only)

    def _count(self, table: pa.Table, job: _Job) -> None:
        counts = counts_of(table)
        if job.in_large is not None:  # part of a bucket that was divided into blocks
            counts.in_large = job.in_large
        self.counts.add(counts)

    def keep(self, name: str, table: pa.Table) -> None:
        """Stores a part that only a resumed run would read. Does nothing if the run cannot be resumed."""
        if self.signed.spill.keeps:
            self.signed.spill.parts.put(name, table)

    def name(self, what: str) -> str:
        """Returns the name of a part. It includes everything on which the division into batches depends."""
        memory, threads = self.allowance.tables, self.kernel.threads
        return f"{memory:x}-{threads}-{self.compared}-{'pruned-' if self.pruned else ''}{what}"


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of all components, which are stored in batches."""

    rows: Rows
    component: Rows
    costs: CandidateCosts
    whole: range
    large: list[int]
    stored: StoredCandidates
    giants: GiantPairs | None = None
    sizes: Rows | None = None
    """The sizes of all sets in an exact join; None otherwise."""

    def jobs(self, done: int) -> int:
        """Returns the number of jobs. It is exact if there are no large components, which are only divided later."""
        known = len(self.whole) + len(self.large)
        return About.at_least(done, known) if self.large else known


@dataclass(frozen=True, eq=False)
class _Job:
    """A batch, or some rows, to load, and the share of their candidate pairs to compare."""

    stored: StoredCandidates
    what: int | Rows
    share: Share = EVERY_PAIR
    in_large: int | None = None
    stars_only: bool = False

    @property
    def partial(self) -> bool:
        """True if some of the rows may already be known to be in one component."""
        return not isinstance(self.what, int)

    def load(self, *, own_bands: bool = False) -> tuple[Rows, Hashes, Shingles]:
        """Loads rows, keys and sets. With `own_bands`, rows are loaded only with the keys of the bands in `share`.

        The keys of these bands determine which pairs are compared. The keys of other bands are used to exclude pairs
        that were already compared. This is required if pairs are listed; for components, it is rarely worth the memory.
        """
        if isinstance(self.what, int):
            return self.stored.load(self.what)
        bands = slice(self.share.first, self.share.last) if own_bands else ALL
        if not self.share.split:
            return self.stored.load_rows(self.what, bands)
        one, other = (self.stored.load_rows(half, bands) for half in np.split(self.what, [self.share.split]))
        sets = Shingles(
            np.concatenate([one[2].offsets, one[2].offsets[-1] + other[2].offsets[1:]]),
            np.concatenate([one[2].values, other[2].values]),
        )
        return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]), sets


def counts_of(table: pa.Table) -> Counts:
    """The counts that `table_of` has stored with a table."""
    about = table.schema.metadata
    candidates = int(about[b"candidates"])
    return Counts(int(about[b"checked"]), None if candidates < 0 else candidates, int(about[b"in_large"]))


def _positions(labels: Rows) -> Rows:
    """Returns, for each position, the first position with the same label."""
    _, first, nth = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(first[nth], dtype=np.int64)


def table_of(columns: dict[str, npt.NDArray[Any]], counts: Counts | None = None) -> pa.Table:
    table = pa.table({name: to_arrow(values) for name, values in columns.items()})
    if counts is None:
        return table
    about = {
        "checked": str(counts.checked),
        "candidates": str(-1 if counts.candidates is None else counts.candidates),
        "in_large": str(counts.in_large),
    }
    return table.replace_schema_metadata(about)
