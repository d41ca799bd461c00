"""A saved result under review. Texts are read by row from the input that the result recorded, if it is unchanged."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.choosing.decision_lines import Document
from lookalike.engines.stages.arrows import KernelArrows
from lookalike.errors import InputError, InvalidOption, LookalikeError
from lookalike.flow import Documents
from lookalike.flow.arrays import Mask, Rows, ids_of, take
from lookalike.flow.progress import Progress
from lookalike.io.open import reopen
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.notices.readable import printable
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped, KeptRows
from lookalike.results.pairs import Pairs
from lookalike.results.ranking import INPUT_ORDER
from lookalike.results.saved import ABOUT, load
from lookalike.service.review.corpus import Known, Name, Similarities, readable, spread
from lookalike.service.review.groups import Groups
from lookalike.service.review.recorded import Recorded
from lookalike.storage.budget import Budget

PER_BYTE = 10
"""The bytes of memory that the set of a text takes per byte of the text: one 8-byte element per character at most."""

MOST_AT_ONCE = 200_000

CHECKED = 1000
"""The maximum number of recorded similarities that are computed again, to find out whether the input has changed."""


def is_saved_result(path: str) -> bool:
    """True if a path is the folder of a saved result rather than an index."""
    try:
        return (Path(path).expanduser() / ABOUT).is_file()
    except (OSError, ValueError, RuntimeError):
        return False


class ResultCorpus:
    """The documents of a saved result of `dedupe`, `find_clusters` or `find_pairs`."""

    changed = False

    def __init__(self, path: str | os.PathLike[str], *, memory: int | str | None = None) -> None:
        self.result = load(Path(path))
        found = self.result
        if not isinstance(found, Deduped | Clusters | Pairs) or getattr(found, "noun", "documents") != "documents":
            raise InvalidOption("result-not-reviewable", name=os.fspath(path), kind=type(found).__name__)
        self.kind = type(found).__name__
        self.name = printable(Path(os.fspath(path)).resolve().name)
        self.clusters: Clusters
        if isinstance(found, Pairs):
            self.clusters = found.clusters()
        else:
            self.clusters = found.clusters if isinstance(found, Deduped) else found
        self.reference = found.reference if isinstance(found, Deduped) else 0
        self.summary = found.summary
        self.documents = len(self.clusters.labels)
        self.recorded = Recorded(found, self.clusters)
        self.plan = ResolvedPlan.from_toml(self.summary.plan) if self.summary.plan else None
        digest = hashlib.sha256(str(Path(path).resolve()).encode(errors="surrogatepass"))
        digest.update(self.clusters.labels.tobytes())
        self.identity = digest.hexdigest()[:16]
        self.missing: Notice | None = None
        self._source: Source | None = None
        self._reading = RLock()
        self._open()
        mean = self.summary.bytes // max(1, self.summary.documents) + 1
        free = max(64 << 20, Budget.of(memory).free() // 4)
        self.at_once = max(1000, min(MOST_AT_ONCE, free // (PER_BYTE * mean)))

    def _open(self) -> None:
        """Opens the recorded input, or notes why it cannot be read."""
        if self.reference:
            self.missing = Notice("review-with-reference")
            return
        if not self.summary.input or '"paths"' not in self.summary.input:
            self.missing = Notice("review-input-not-recorded")
            return
        try:
            source, warnings = reopen(self.summary.input)
            total = source.total_rows()
        except LookalikeError:
            self.missing = Notice("review-input-missing")
            return
        if warnings or total not in (None, self.documents):
            self.missing = Notice("review-input-changed")
            return
        self._source = source

    def input_changed(self) -> None:
        """Notes that the input is not the one of the result: from now on, only scores are shown."""
        self.missing = Notice("review-input-changed")

    @property
    def source(self) -> Source:
        readable(self)
        assert self._source is not None
        return self._source

    def groups(self, progress: Progress) -> Groups:
        rows = np.arange(self.documents, dtype=np.int64)
        return Groups.of(rows, self.clusters.labels, self.clusters.survivors)

    def known(self, groups: Groups) -> Known:
        return self.recorded.of_clusters(groups)

    def ids(self, rows: Rows) -> list[Name]:
        return [id if isinstance(id, int) and not isinstance(id, bool) else str(id) for id in self._ids(rows)]

    def names(self, rows: Rows) -> pa.Array:
        return ids_of(self.clusters.ids, rows).cast(pa.large_string())

    def _ids(self, rows: Rows) -> list[Any]:
        self._check(rows)
        return list(ids_of(self.clusters.ids, rows).to_pylist())

    def _check(self, rows: Rows) -> None:
        outside = rows[(rows < 0) | (rows >= self.documents)]
        if len(outside):
            raise InvalidOption("no-such-document-row", row=int(outside[0]))

    def texts(self, rows: Rows) -> dict[int, Any]:
        self._check(rows)
        source = self.source
        try:
            with self._reading:
                found = read_texts(source, rows)
                source.check_unchanged()
        except LookalikeError:
            found = {}
        if len(found) < len(np.unique(rows)):
            self.input_changed()
            readable(self)
        return found

    def blocks(self, rows: Rows) -> Iterator[tuple[Rows, pa.Array]]:
        source, at = self.source, 0
        for documents in source.documents():
            stop = int(np.searchsorted(rows, documents.start + len(documents)))
            if stop > at:
                here = rows[at:stop]
                yield here, take(documents.texts, here - documents.start)
            at = stop
        try:
            source.check_unchanged()
        except InputError:
            self.input_changed()
            readable(self)

    def sample(self, size: int) -> Rows:
        return spread(np.arange(self.documents, dtype=np.int64), size)

    def search(self, text: str, top: int, progress: Progress) -> tuple[list[tuple[int, float]], int]:
        plan, kernel = self.plan, default()
        assert plan is not None
        best: list[tuple[int, float]] = []
        read = 0
        for documents in self.source.documents():
            texts = documents.texts
            query = pa.array([text.split() if documents.has_tokens else text], texts.type)
            sets = kernel.shingle(Documents(pa.concat_arrays([query, texts])), plan.shingles)
            right = np.arange(1, len(sets), dtype=np.int64)
            shared = kernel.intersections(sets, np.zeros(len(right), np.int64), right)
            total = sets.sizes[0] + sets.sizes[1:] - shared
            similar = np.flatnonzero(shared)
            values = (shared[similar] / total[similar]).tolist()
            best += zip((similar + documents.start).tolist(), values, strict=True)
            best = sorted(best, key=lambda found: (-found[1], found[0]))[:top]
            read += len(documents)
            progress("search", read, self.documents)
        return best, read

    def kept_by_run(self, groups: Groups) -> Mask:
        kept = np.ones(self.documents, np.bool_)
        if isinstance(self.result, Deduped):
            kept[:] = False
            kept[self.result.kept_rows + self.reference] = True
            return kept
        kept[groups.rows] = False
        kept[groups.survivors] = True
        return kept

    def rows_kept(self, kept: Mask) -> pa.RecordBatchReader:
        return KeptRows(self.source, kept).reader()

    def failed(self, error: LookalikeError) -> None:
        """Notes that the input could not be read as it was when the result was made."""
        if error.code != "shutting-down":
            self.input_changed()

    def check(self, progress: Progress) -> None:
        """Reads the whole input once, and compares its size, its ids and some similarities with those of the result."""
        size = count = 0
        import pyarrow.compute as pc  # not imported at the top: see flow/arrays.py

        source, ids = self.source, self.clusters.ids
        columns = [source.column] + ([source.id] if source.id is not None else [])
        same = True
        for batch in source.read(columns):
            if source.id is not None and ids is not None:
                expected = ids.slice(batch.start, len(batch)).cast(pa.large_string())
                same &= batch.data.column(source.id).cast(pa.large_string()).equals(expected)
            texts = batch.data.column(source.column)
            if pa.types.is_large_string(texts.type) or pa.types.is_string(texts.type):
                size += pc.sum(pc.binary_length(texts)).as_py() or 0
            count += len(batch)
            progress("check the input", count, self.documents)
        texts_known = self.summary.bytes and size
        if not same or count != self.documents or (texts_known and size != self.summary.bytes):
            self.input_changed()
        elif self.plan is not None and self.summary.verified == "exact":
            left, right, recorded = self.recorded.pairs()
            at = np.unique(np.linspace(0, len(left) - 1, min(len(left), CHECKED)).astype(np.int64))
            if len(at) and not np.allclose(self.compared(np.arange(self.documents), left[at], right[at]), recorded[at]):
                self.input_changed()

    def compared(self, rows: Rows, left: Rows, right: Rows) -> Similarities:
        assert self.plan is not None
        return KernelArrows(default()).measure(self.plan, self.source, rows[left], rows[right])

    def rows_of(self, documents: Sequence[Document]) -> dict[str, list[int]]:
        import pyarrow.compute as pc  # not imported at the top: see flow/arrays.py

        names = [*dict.fromkeys(document.id for document in documents)]
        ids = self.clusters.ids
        found: dict[str, list[int]] = {}
        if ids is None:
            for name in names:
                if name.isascii() and name.isdecimal() and len(name) < 19 and str(int(name)) == name:
                    row = int(name) + self.reference
                    if row < self.documents:
                        found[name] = [row]
            return found
        encodable = [name for name in names if name.encode(errors="ignore").decode() == name]
        here = ids.cast(pa.large_string())
        at = np.flatnonzero(
            pc.is_in(here, value_set=pa.array(encodable, pa.large_string())).to_numpy(zero_copy_only=False)
        )
        for row, name in zip(at.tolist(), take(here, at).to_pylist(), strict=True):
            found.setdefault(name, []).append(row)
        return found

    @property
    def input_name(self) -> str | None:
        """The names of the input files, without folders; None if they were not recorded."""
        try:
            paths = json.loads(self.summary.input or "{}").get("paths") or []
            names = [printable(Path(path).name) for path in paths]
        except (ValueError, TypeError, AttributeError):
            return None
        return ", ".join(names[:3]) + (" …" if len(names) > 3 else "") if names else None

    @property
    def rules(self) -> list[str]:
        """The rules that chose survivors, as far as the result records them."""
        return [rule for rule in self.summary.kept_by if rule != INPUT_ORDER]

    def close(self) -> None:
        """Nothing has to be released."""
