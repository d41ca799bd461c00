"""The first pass of a run, which reads every text once and keeps its hashes, band keys and length.

`sign_source` keeps these in memory as long as they fit. `resumed_pass.py` does the same for a run that can be resumed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import pyarrow as pa

from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.memory import Allowance, part_row
from lookalike.engines.stages.pruning import start_census
from lookalike.engines.stages.signed_parts import SignedParts
from lookalike.engines.stages.signed_rows import SignedRows
from lookalike.flow import Documents
from lookalike.flow.progress import About, Progress
from lookalike.flow.shingles import Shingling
from lookalike.flow.sketches import Sketches
from lookalike.io.read_ahead import batches, mapped
from lookalike.io.source import Batch, Source
from lookalike.kernel.protocol import Kernel
from lookalike.kernel.pruning import Census
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics, resolve
from lookalike.planning.survey import survey
from lookalike.storage.budget import SMALL
from lookalike.storage.parts import NoParts
from lookalike.storage.spill import Spill
from lookalike.work.text_parts import TextParts
from lookalike.work.text_store import TextStore

FEW = 1 << 21
"""Sets with no more elements than this, in all, are joined without leaving any out: counting would take longer."""


class _Bands(NamedTuple):
    bands: int
    rows: int


ONE_KEY = _Bands(1, 1)
"""The keys of an exact join, in which all rows share one bucket."""


@dataclass(eq=False)
class FirstPass:
    """The results of the first pass."""

    resolved: ResolvedPlan
    rows: SignedRows | None
    """All rows, in memory; None if they do not fit."""
    parts: SignedParts | None
    """All rows, in parts; None if they are only in memory."""
    texts: TextStore | TextParts
    malformed: int
    warnings: tuple[Notice, ...]
    census: Census | None = None
    """The counts of shingles of all rows, for an exact join; None if they were not counted."""

    def in_parts(self, allowance: Allowance) -> SignedParts:
        """Moves all rows into parts, because the next stage does not fit into memory together with them."""
        if self.parts is None:
            assert self.rows is not None
            bands, with_ids = self.rows.sketches.keys.shape[1], self.rows.ids is not None
            self.parts = SignedParts(Spill(NoParts(), 0), bands, with_ids=with_ids)
            self.parts.extend(self.rows.pieces(self.parts.part_rows), allowance)
        self.rows = None
        self.parts.spill.flush()
        return self.parts


def sign_source(signer: RowSigner, texts: TextStore) -> FirstPass:
    """Resolves the plan on the first rows, and signs all rows. The texts are added to `texts`."""
    with signer.readers:
        statistics = signer.survey()
        resolved = resolve(signer.plan, statistics)
        source, bands, sets = signer.source, resolved.bands, statistics.sets
        counting = resolved.exact and (sets is None or statistics.rows * sets.elements > FEW)
        counting = counting and signer.plan.copies is None
        signed = signer.signed(resolved, texts, counting=counting)
        held: deque[SignedRows] = deque()
        size = 0
        for rows in signed:
            held.append(rows)
            size += part_row(bands) * len(rows.sketches.flags) + (0 if rows.ids is None else rows.ids.nbytes)
            room = signer.allowance.signed(bands, signer.arrows.kernel.threads, signer.largest)
            if size + (0 if signer.census is None else signer.census.nbytes) > room:
                parts = SignedParts(Spill(NoParts(), 0), bands, with_ids=source.id is not None)
                parts.extend(chain(_drained(held), signed), signer.allowance)
                return FirstPass(resolved, None, parts, texts, source.malformed, source.warnings, signer.census)
    whole = joined(held or [SignedRows.none(bands, with_ids=source.id is not None)])
    return FirstPass(resolved, whole, None, texts, source.malformed, source.warnings, signer.census)


def _drained(held: deque[SignedRows]) -> Iterator[SignedRows]:
    while held:
        yield held.popleft()


@dataclass(eq=False)
class RowSigner:
    """Reads the rows of a source: first some of them for the survey, and then all of them to sign them."""

    arrows: KernelArrows
    plan: Plan
    source: Source
    progress: Progress
    allowance: Allowance
    readers: ExitStack = field(default_factory=ExitStack)
    """Closes the readers at the end of its block. Otherwise their threads would keep running after an error."""
    largest: int = SMALL
    """The size of the largest document that was read, in bytes, or SMALL."""
    census: Census | None = None
    """Counts the shingles of the rows that are signed; None if they are not counted."""
    spills_census: bool = False
    """True if a part of the census is in a file."""
    _surveyed: Iterable[Batch] | None = None
    """All batches of the source, including those that the survey has read; None if they must be read again."""
    _expected: int = 0
    """The number of rows that the survey expects; 0 without a survey, as in a resumed run."""

    def survey(self) -> Statistics:
        read, kept = self._read(), list[Batch]()
        head = _head(read, self.source.column, self.allowance.texts, kept)
        statistics = survey(self.plan, self.source, head, self.arrows, self.progress)
        self._expected = statistics.rows
        if kept:
            self._surveyed = chain(kept, read)
        else:
            read.close()
        return statistics

    def signed(
        self, resolved: ResolvedPlan, texts: TextStore | TextParts, start: int = 0, *, counting: bool = False
    ) -> Generator[SignedRows, None, None]:
        """Yields the signed rows, starting at row `start`, and adds their texts to `texts`.

        With `counting`, the shingles are counted in `census`, as long as it is not None.
        """
        rest = self._read(start) if self._surveyed is None or start else self._surveyed
        kept = self._kept(rest, resolved.shingles, texts)
        if counting:
            kept = self._counted(kept, resolved)
        sign = partial(
            sign_batch, self.arrows.kernel, resolved=resolved, column=self.source.column, id=self.source.id, signer=self
        )
        # Two calls run at a time: while one executes Python code on one core, the kernel of the other uses the other
        # cores.
        signed = mapped(sign, kept, 2, attrgetter("data.nbytes"), self.allowance.huge)
        for rows in self.readers.enter_context(closing(signed)):
            yield rows
            start += len(rows.sketches.flags)
            total = self.source.total_rows()
            if total is None and self._expected:
                total = About.at_least(start, self._expected)
            self.progress("sign", start, total)
            if self.census is not None and self.census.nbytes > self.allowance.census and not self.spills_census:
                self._spill_census()
            if self.allowance.user_set:
                self.allowance.tidy()

    def _read(self, start: int = 0) -> Generator[Batch, None, None]:
        columns = [self.source.column] + ([self.source.id] if self.source.id else [])
        threads = self.allowance.readers(self.source, self.arrows.kernel.threads)
        read = batches(self.source, columns, start, threads=threads, most=self.allowance.ahead)
        return self.readers.enter_context(closing(read))

    def _counted(self, batches: Iterator[Batch], resolved: ResolvedPlan) -> Iterator[Batch]:
        """Yields all batches, and starts the census with the first."""
        first = next(batches, None)
        if first is None:
            return
        documents = Documents(first.data.column(self.source.column), first.start)
        self.census = start_census(self.arrows.kernel, resolved, documents, self._expected)
        del documents
        yield first
        del first
        yield from batches

    def _spill_census(self) -> None:
        """Moves most of the census to a temporary file; drops it if that fails."""
        import tempfile  # slow to import, and few runs need it

        assert self.census is not None
        self.spills_census = True
        try:
            file = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - lives as long as the census
            self.census.spill(cast(BinaryIO, file), self.allowance.census // 2)
        except OSError:
            self.census = None

    def _kept(self, batches: Iterable[Batch], shingling: Shingling, texts: TextStore | TextParts) -> Iterator[Batch]:
        """Yields each batch after checking that its texts fit in the budget and adding them to `texts`."""
        for batch in batches:
            documents = Documents(batch.data.column(self.source.column), batch.start)
            if documents.texts.nbytes > self.allowance.unchecked:
                self.largest = max(self.largest, self.allowance.check(self.arrows.kernel, documents, shingling))
            texts.add(documents)
            yield batch
            del batch, documents  # so that the memory of a huge text is freed before the next one is read
        if isinstance(texts, TextParts):
            texts.finish()


def _head(batches: Iterable[Batch], column: str, most: int, kept: list[Batch]) -> Iterator[Documents]:
    """Yields documents for the survey, and adds their batches to `kept` unless they exceed `most` bytes."""
    for batch in batches:
        most -= batch.data.nbytes
        if most >= 0:
            kept.append(batch)
        else:
            kept.clear()
        yield Documents(batch.data.column(column), batch.start)


def sign_batch(
    kernel: Kernel, batch: Batch, resolved: ResolvedPlan, column: str, id: str | None, signer: RowSigner | None = None
) -> SignedRows:
    """Cuts the documents of a batch, and signs them or, if the signer has a census, counts their shingles."""
    documents = Documents(batch.data.column(column), batch.start)
    ids = None if id is None else batch.data.column(id)
    census = None if signer is None else signer.census
    if (
        census is not None
        and signer is not None
        and signer.allowance.user_set
        and documents.texts.nbytes > signer.allowance.huge
    ):
        census = signer.census = None  # counting would need all shingles of a huge text at once
    if census is not None and signer is not None:
        try:
            return SignedRows(census.add(documents, resolved.shingles), ids)
        except OSError:  # the disk is full
            signer.census = None
    p = resolved.plan
    if p.copies is not None:
        return SignedRows(kernel.hash_texts(documents, resolved.shingles, raw=p.copies == "identical"), ids)
    sketches = kernel.sketch(
        documents,
        resolved.shingles,
        sketch=p.sketch,
        hashes=1 if resolved.exact else p.hashes,
        seed=p.seed,
        banding=ONE_KEY if resolved.exact else resolved,
    )
    if resolved.exact:
        sketches = replace(sketches, keys=np.zeros_like(sketches.keys))
    return SignedRows(sketches, ids)


def joined(batches: Sequence[SignedRows]) -> SignedRows:
    """Combines the rows of one or more batches, in order."""
    names = [field.name for field in fields(Sketches)]
    columns = [np.concatenate([getattr(some.sketches, name) for some in batches]) for name in names]
    ids = None if batches[0].ids is None else pa.concat_arrays([some.ids for some in batches])
    return SignedRows(Sketches(*columns), ids)
