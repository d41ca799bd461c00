"""Reads a source and cuts its texts into sets, one table at a time. Only the ids are kept in memory."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import closing
from operator import attrgetter

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Documents, Shingles, Shingling
from lookalike.flow.arrays import characters, code_shares
from lookalike.flow.progress import Progress
from lookalike.io.source import Piece, Source
from lookalike.io.workers import in_order
from lookalike.joins.reference import Definitions
from lookalike.kernel import default
from lookalike.planning.resolve import SURVEYED, Statistics


class Cutting:
    """The sets of a source. `tables` can be read once; `rows`, `empty` and the ids refer to the tables read so far."""

    def __init__(
        self,
        source: Source,
        shingles: Shingling,
        *,
        threads: int = 1,
        progress: Progress,
        stage: str = "read",
        reference: Definitions | None = None,
    ) -> None:
        """Prepares to read the source. If `reference` is given, texts are cut by the code of the reference engine."""
        self.source = source
        self.shingles = shingles
        self.threads = threads
        self.progress = progress
        self.stage = stage
        """The name of the stage in progress reports. It can be changed while tables are read."""
        self.reference = reference
        self.rows = 0
        self.empty = 0
        self._ids: list[pa.Array] = []

    def tables(self) -> Generator[Shingles, None, None]:
        """Yields tables of the sets of consecutive rows.

        The caller must close the generator, because threads read ahead.
        """
        columns = [self.source.column] + ([self.source.id] if self.source.id else [])
        lanes = self.source.lanes(columns)
        with closing(
            in_order(lanes, self._cut, self.threads, bytes_of=attrgetter("nbytes"), made_bytes=_size_of)
        ) as tables:
            for ids, sets in tables:
                if ids is not None:
                    self._ids.append(ids)
                sets = Shingles(sets.offsets, sets.values, self.rows)
                self.rows += len(sets)
                self.empty += int(np.count_nonzero(sets.sizes == 0))
                self.progress(self.stage, self.rows, self.source.total_rows())
                yield sets

    def take_ids(self) -> pa.Array | None:
        """Returns the ids of the rows read since the last call; None if rows are identified by position."""
        if self.source.id is None:
            return None
        ids, self._ids = self._ids, []
        return pa.concat_arrays(ids) if ids else pa.array([], pa.large_string())

    def _cut(self, piece: Piece[pa.RecordBatch]) -> tuple[pa.Array | None, Shingles]:
        data = piece.load()
        documents = Documents(data.column(self.source.column))
        ids = data.column(self.source.id) if self.source.id else None
        return ids, self.sets(documents, ids)

    def sets(self, documents: Documents, ids: pa.Array | None) -> Shingles:
        """Cuts these documents into sets, on one thread, because several threads call this method at the same time.

        Subclasses override it to cut some documents differently.
        """
        if self.reference is not None:
            return self.reference.shingle(documents, self.shingles)
        return default(1).shingle(documents, self.shingles)


def _size_of(cut: tuple[pa.Array | None, Shingles]) -> int:
    return int(cut[1].values.nbytes)


def surveyed(sides: Mapping[str, Source], *, is_open: bool) -> Statistics:
    """Computes the statistics of the first rows of the left side or, if these are all empty, of the right side.

    `is_open` is True if the shingles are "auto". Then an error is raised if one side has texts and the other has lists
    of tokens, because the shingles that `auto` chooses would not match any token.
    """
    seen = {side: _survey(source) for side, source in sides.items()}
    with_text = {side: facts for side, facts in seen.items() if facts.tokens or facts.median_characters}
    if is_open and len({facts.tokens for facts in with_text.values()}) == 2:
        lists, texts = sorted(with_text, key=lambda side: not with_text[side].tokens)
        raise InvalidOption("texts-against-tokens", texts=texts, tokens=lists)
    return next(iter(with_text.values()), Statistics())


def _survey(source: Source) -> Statistics:
    rows, lengths = 0, [np.zeros(0, np.int64)]
    code: list[float] = []
    tokens = False
    for documents in source.documents(0, SURVEYED):
        tokens = documents.has_tokens
        if not tokens:
            lengths.append(characters(documents.texts))
            code += code_shares(documents.texts, rows)
        rows += len(documents)
    return Statistics.of_lengths(rows, None if tokens else np.concatenate(lengths), code)
