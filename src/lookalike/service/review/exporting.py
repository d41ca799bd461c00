"""Exports the clean corpus: the rows that remain after the run and the decisions."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from lookalike.flow.arrays import Mask
from lookalike.flow.progress import Progress
from lookalike.io.sinks import write_table
from lookalike.service.review.corpus import readable
from lookalike.service.review.marks import ACCEPTED, DISTINCT, STATES
from lookalike.service.review.review import Review

CHUNK = 1 << 20


def kept_rows(review: Review) -> Mask:
    """Returns a mask of the rows that are kept: every row up to the last one that exists has an entry.

    Of an accepted cluster, the survivor and the excluded members are kept; of a distinct one, all members; of another
    one, what the run kept, or its survivor, and the excluded members.
    """
    with review.guard:
        groups, marks = review.groups, review.marks
        kept = review.corpus.kept_by_run(groups)
        gone = set() if review.journal is None else review.journal.gone
        kept[marks.survivors] = True
        accepted, distinct = STATES.index(ACCEPTED), STATES.index(DISTINCT)
        special = np.flatnonzero((marks.state == accepted) | (marks.state == distinct) | (marks.excluded > 0))
        for place in special.tolist():
            members = groups.members(place)
            if marks.state[place] == distinct:
                kept[members] = True
                continue
            if marks.state[place] == accepted:
                kept[members] = False
                kept[marks.survivors[place]] = True
            kept[[*marks.standing(place, gone).excluded]] = True
        return kept


def clean_corpus(review: Review, format: str, progress: Progress) -> tuple[BinaryIO, int]:
    """Writes the kept rows to a temporary file without a name. Returns it, and its size."""
    readable(review.corpus)
    reader = review.corpus.rows_kept(kept_rows(review))
    reader = pa.RecordBatchReader.from_batches(reader.schema, _watched(reader, progress))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"clean.{format}"
        write_table(reader, path, force=False)
        size = path.stat().st_size
        return path.open("rb"), size


def _watched(reader: Any, progress: Progress) -> Iterator[pa.RecordBatch]:
    rows = 0
    for batch in reader:
        yield batch
        rows += len(batch)
        progress("write", rows, None)


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yields the bytes of a file, and closes it."""
    with file:
        while part := file.read(CHUNK):
            yield part
