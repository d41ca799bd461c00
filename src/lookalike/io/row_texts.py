"""Reads the texts of selected rows of a source."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import take
from lookalike.flow.distinct import distinct
from lookalike.io.source import Source

FAR = 50_000
"""If two requested rows are further apart than this, a new read is faster than reading the rows between them."""


def read_texts(source: Source, rows: npt.NDArray[np.int64]) -> dict[int, Any]:
    """Reads the texts (or token lists) of the given rows, and returns them by row number. Long gaps are skipped."""
    wanted = distinct(rows)
    texts: dict[int, Any] = {}
    for run in np.split(wanted, np.flatnonzero(np.diff(wanted) > FAR) + 1) if len(wanted) else []:
        for documents in source.documents(int(run[0]), int(run[-1]) + 1):
            here = run[(run >= documents.start) & (run < documents.start + len(documents))]
            texts.update(zip(here.tolist(), take(documents.texts, here - documents.start).to_pylist(), strict=True))
    return texts
