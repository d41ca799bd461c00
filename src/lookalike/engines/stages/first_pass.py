"""The first pass of a run, which reads every text once and keeps its hashes, band keys and length.

`sign_source` keeps these in memory as long as they fit. `resumed_pass.py` does the same for a run that can be resumed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import chain, count
from operator import attrgetter
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import pyarrow as pa

from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.memory import FEW_TEXTS, Allowance, part_row
from lookalike.engines.stages.pruning import SAMPLED, start_census
from lookalike.engines.stages.signed_parts import SignedParts
from lookalike.engines.stages.signed_rows import SignedRows
from lookalike.flow import Documents
from lookalike.flow.progress import About, Progress
from lookalike.flow.sketches import Sketches
from lookalike.io.source import Batch, Piece, RowPiece, Source
from lookalike.io.workers import ReadAhead, in_order
from lookalike.kernel.protocol import Kernel
from lookalike.kernel.pruning import Census
from lookalike.notices import Notice
from lookalike.planning.costs import FEW
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics, resolve
from lookalike.planning.survey import survey
from lookalike.storage.budget import SMALL
from lookalike.storage.parts import NoParts
from lookalike.storage.spill import Spill
from lookalike.work.text_parts import TextParts
from lookalike.work.text_store import TextStore

Some = TypeVar("Some")


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
        held: list[SignedRows] = []
        size, largest, room = 0, -1, 0
        for rows in signed:
            held.append(rows)
            size += part_row(bands) * len(rows.sketches.flags) + (0 if rows.ids is None else rows.ids.nbytes)
            if signer.largest != largest:
                largest = signer.largest
                room = signer.allowance.signed(bands, signer.arrows.kernel.threads, largest)
            census = signer.census  # a worker may drop it at any moment
            if size + (0 if census is None else census.nbytes) > room:
                parts = SignedParts(Spill(NoParts(), 0), bands, with_ids=source.id is not None)
                parts.extend(chain(_drained(held), signed), signer.allowance)
                return FirstPass(resolved, None, parts, texts, source.malformed, source.warnings, signer.census)
    whole = joined(held or [SignedRows.none(bands, with_ids=source.id is not None)])
    return FirstPass(resolved, whole, None, texts, source.malformed, source.warnings, signer.census)


def _drained(held: list[Some]) -> Iterator[Some]:
    """Yields the items of a list, which is emptied meanwhile, so that they can be freed."""
    held.reverse()
    while held:
        yield held.pop()


class KeepsTexts(Protocol):
    """An object that keeps the texts of the rows that are signed."""

    def keep(self, documents: Documents) -> Any:
        """Keeps the texts of some rows. Called by several threads at the same time."""
        ...

    def place(self, kept: Any, start: int) -> None:
        """Notes the number of the first row of texts that were kept. Called in row order."""
        ...


class Signed(NamedTuple):
    """What a worker makes of a piece of the source."""

    rows: SignedRows
    texts: Any
    """What `texts.keep` returned."""
    nbytes: int
    """The memory that it takes until its rows are used, in bytes."""
    largest: int
    """The size of the largest document, in bytes, or SMALL."""
    batch: int | None
    """The number of the batch in the census; None if it was not counted."""


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
    _lanes: Iterator[Iterable[RowPiece]] | None = None
    """All rows of the source, including those that the survey has read; None if they must be read again."""
    _expected: int = 0
    """The number of rows that the survey expects; 0 without a survey, as in a resumed run."""

    def survey(self) -> Statistics:
        """Computes the statistics of the first rows, while several threads read on.

        What they have read is used when the rows are signed.
        """
        kept = list[RowPiece]()
        with closing(self._read_ahead()) as ahead:
            head = _head(ahead, self.source.column, self.allowance.texts, kept)
            statistics = survey(self.plan, self.source, head, self.arrows, self.progress)
            self._expected = statistics.rows
            if kept:
                self._lanes = chain([kept], ahead.rest())
        return statistics

    def _read_ahead(self) -> ReadAhead[RowPiece]:
        """Starts to read all rows. Within a budget, only one piece is read in advance."""
        allowance, threads = self.allowance, self.arrows.kernel.threads
        is_alone = allowance.user_set or self.source.in_memory
        readers = 1 if is_alone else allowance.readers(self.source, threads)
        most = 0 if is_alone else min(allowance.texts, FEW_TEXTS)
        return ReadAhead(self._read(), _loaded, readers, attrgetter("nbytes"), most)

    def signed(
        self, resolved: ResolvedPlan, texts: KeepsTexts, start: int = 0, *, counting: bool = False
    ) -> Generator[SignedRows, None, None]:
        """Yields the signed rows, starting at row `start`, and adds their texts to `texts`.

        With `counting`, the shingles are counted in `census`, as long as it is not None.
        """
        lanes = iter(self._read(start)) if self._lanes is None or start else self._lanes
        if counting:
            lanes = self._counted(lanes, resolved)
        kernel, allowance = self.arrows.kernel, self.allowance
        made = in_order(
            lanes,
            partial(self._sign, kernel.on_one_thread(), resolved, texts, count()),
            kernel.threads,
            readers=allowance.readers(self.source, kernel.threads),
            bytes_of=attrgetter("nbytes"),
            made_bytes=attrgetter("nbytes"),
            most=allowance.ahead,
            huge=allowance.huge,
        )
        for rows, kept, _, largest, batch in self.readers.enter_context(closing(made)):
            if not len(rows.sketches.flags):
                continue
            texts.place(kept, start)
            if (census := self.census) is not None and batch is not None:  # a worker may drop it at any moment
                census.place(batch, start)
            self.largest = max(self.largest, largest)
            yield rows
            start += len(rows.sketches.flags)
            total = self.source.total_rows()
            if total is None and self._expected:
                total = About.at_least(start, self._expected)
            self.progress("sign", start, total)
            census = self.census
            if census is not None and census.nbytes > allowance.census and not self.spills_census:
                self._spill_census(census)
            if allowance.user_set:
                allowance.tidy()
        if isinstance(texts, TextParts):
            texts.finish()

    def _read(self, start: int = 0) -> Iterable[Iterable[RowPiece]]:
        return self.source.lanes([self.source.column] + ([self.source.id] if self.source.id else []), start)

    def _sign(
        self,
        kernel: Kernel,
        resolved: ResolvedPlan,
        texts: KeepsTexts,
        batches: Iterator[int],
        piece: RowPiece,
    ) -> Signed:
        """Checks that the texts of some rows fit in the budget, signs or counts them, and adds them to `texts`."""
        data = piece.load()
        documents, ids = Documents(data.column(0)), None if self.source.id is None else data.column(self.source.id)
        del data
        size, largest, batch = documents.texts.nbytes, SMALL, None
        if size > self.allowance.unchecked:
            largest = self.allowance.check(kernel, documents, resolved.shingles)
        if self.census is not None and self.allowance.user_set and size > self.allowance.huge:
            self.census = None  # counting would need all shingles of a huge text at once
        census = self.census
        sketches: Sketches | None = None
        if census is not None:
            batch = next(batches)
            try:
                sketches = census.add(documents, resolved.shingles, batch)
            except OSError:  # the disk is full
                self.census = None
        if sketches is None:
            sketches = sketch(kernel, documents, resolved)
        kept = texts.keep(documents)
        nbytes = part_row(sketches.keys.shape[1]) * len(documents) + (0 if ids is None else ids.nbytes)
        nbytes += size if isinstance(kept, Documents) else getattr(kept, "nbytes", 0)
        return Signed(SignedRows(sketches, ids), kept, nbytes, largest, batch)

    def _counted(self, lanes: Iterator[Iterable[RowPiece]], resolved: ResolvedPlan) -> Iterator[Iterable[RowPiece]]:
        """Returns the same lanes, and starts the census with the first rows, which it holds in memory."""
        for lane in lanes:
            rest, loaded, texts = iter(lane), list[RowPiece](), list[pa.Array]()
            rows = size = 0
            for piece in rest:
                data = piece.load()
                loaded.append(Piece([data].pop, data.nbytes))
                texts.append(data.column(0))
                rows, size = rows + data.num_rows, size + data.nbytes
                if rows >= SAMPLED or size >= self.allowance.ahead // 2:
                    break
            if rows:
                documents = Documents(pa.concat_arrays(texts))
                self.census = start_census(self.arrows.kernel, resolved, documents, self._expected)
                return chain([chain(loaded, rest)], lanes)
        return lanes

    def _spill_census(self, census: Census) -> None:
        """Moves most of the census to a temporary file; drops it if that fails."""
        import tempfile  # slow to import, and few runs need it

        self.spills_census = True
        try:
            file = tempfile.TemporaryFile(prefix="lookalike-", buffering=0)  # noqa: SIM115 - lives as long as the census
            census.spill(cast(BinaryIO, file), self.allowance.census // 2)
        except OSError:
            self.census = None


def _loaded(piece: RowPiece) -> RowPiece:
    """Returns the same rows, parsed."""
    data = piece.load()
    return Piece([data].pop, data.nbytes)


def _head(pieces: Iterable[RowPiece], column: str, most: int, kept: list[RowPiece]) -> Iterator[Documents]:
    """Yields documents for the survey, and adds their pieces to `kept` unless they exceed `most` bytes."""
    row = 0
    for piece in pieces:
        data = piece.load()
        most -= data.nbytes
        if most >= 0:
            kept.append(Piece([data].pop, data.nbytes))
        else:
            kept.clear()
        yield Documents(data.column(column), row)
        row += data.num_rows


def sign_batch(kernel: Kernel, batch: Batch, resolved: ResolvedPlan, column: str, id: str | None) -> SignedRows:
    """Cuts and signs the documents of a batch."""
    documents = Documents(batch.data.column(column), batch.start)
    return SignedRows(sketch(kernel, documents, resolved), None if id is None else batch.data.column(id))


def sketch(kernel: Kernel, documents: Documents, resolved: ResolvedPlan) -> Sketches:
    """Cuts and signs documents. For an exact join, all keys are 0."""
    p = resolved.plan
    if p.copies is not None:
        return kernel.hash_texts(documents, resolved.shingles, raw=p.copies == "identical")
    sketches = kernel.sketch(
        documents,
        resolved.shingles,
        sketch=p.sketch,
        hashes=1 if resolved.exact else p.hashes,
        seed=p.seed,
        banding=ONE_KEY if resolved.exact else resolved,
    )
    return replace(sketches, keys=np.zeros_like(sketches.keys)) if resolved.exact else sketches


def joined(batches: Sequence[SignedRows]) -> SignedRows:
    """Combines the rows of one or more batches, in order."""
    names = [field.name for field in fields(Sketches)]
    columns = [np.concatenate([getattr(some.sketches, name) for some in batches]) for name in names]
    ids = None if batches[0].ids is None else pa.concat_arrays([some.ids for some in batches])
    return SignedRows(Sketches(*columns), ids)
