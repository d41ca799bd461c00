"""Decisions about documents: which are different, which is kept, and which are excluded from their cluster."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from lookalike.choosing.decision_lines import KINDS, MOST_DIFFERENT, Document, InForce, read_decisions
from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows
from lookalike.flow.documents import TEXT
from lookalike.flow.json_text import json_text
from lookalike.io.chained_source import ChainedSource
from lookalike.io.open import open_source
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.requests.option import complete, declared, part
from lookalike.requests.reading import Reading
from lookalike.storage.foreign_errors import writing
from lookalike.text.rules import hash128

MISSING = 2**64 - 1
"""The length of a token that is null."""

BLOCK = 10_000
"""The number of documents whose texts are in memory at a time."""


class Decisions:
    """Writes decisions about documents to a file, for `dedupe(data, decisions=file)`.

    Each call appends one line to the file, which must be new or contain only decisions. A later decision about the same
    documents replaces an earlier one. Pass the same `data` and reading options as to `dedupe`. The texts are read,
    because each decision records the version of the documents that it is about.

    >>> import tempfile
    >>> texts = ["the cat sat on the mat today", "the cat sat on the mat today!"]
    >>> file = tempfile.mkdtemp() + "/decisions.jsonl"
    >>> Decisions(file, texts).different(0, 1, note="the exclamation mark matters")
    """

    def __init__(self, path: str | os.PathLike[str], data: Any, **options: Unpack[Reading]) -> None:
        self.path = Path(path)
        filled = complete("Decisions", declared(Reading), options)
        self._source = open_source(data, **part(filled, Reading))
        self._read = False

    def different(self, *ids: Any, by: str | None = None, note: str | None = None) -> None:
        """Decides that these documents are different from each other: none of them is removed because of another."""
        self._write("different", ids, by, note)

    def keep(self, *ids: Any, by: str | None = None, note: str | None = None) -> None:
        """Decides that these documents are kept in preference to similar documents."""
        self._write("keep", ids, by, note)

    def exclude(self, *ids: Any, by: str | None = None, note: str | None = None) -> None:
        """Decides that these documents are similar to no others. They are kept, and no others are removed because of
        them."""
        self._write("exclude", ids, by, note)

    def undo(self, *ids: Any, by: str | None = None, note: str | None = None) -> None:
        """Withdraws all decisions about each of these documents, and about each pair of them."""
        self._write("undo", ids, by, note)

    def __repr__(self) -> str:
        return f"Decisions({str(self.path)!r} about {self._source.name})"

    def __fspath__(self) -> str:
        return str(self.path)

    def _write(self, kind: str, ids: tuple[Any, ...], by: str | None, note: str | None) -> None:
        for option, value in {"by": by, "note": note}.items():
            if value is not None and not isinstance(value, str):
                raise InvalidOption("decision-not-text", option=option, type=type(value).__name__)
        if kind == "different" and len(ids) > MOST_DIFFERENT:
            raise InvalidOption("too-many-different-ids", most=MOST_DIFFERENT, documents=len(ids))
        least = KINDS[kind]
        if len({*map(str, ids)}) < max(least, len(ids)):
            raise InvalidOption("decision-about-too-few", decision=kind, least=least, ids=ids)
        found = _rows_by_id(self._source, {*map(str, ids)})
        if missing := [id for id in ids if str(id) not in found]:
            raise InvalidOption("no-such-id", value=missing[0])
        texts = read_texts(self._source, np.array([row for rows in found.values() for row in rows], np.int64))
        documents = []
        for id in ids:
            hashes = {document_hash(texts[row]) for row in found[str(id)]}
            if len(hashes) > 1:
                raise InvalidOption("decision-about-repeated-id", id=id)
            documents.append({"id": id if type(id) is int else str(id), "bytes": hashes.pop()})
        line: dict[str, Any] = {"decision": kind, "documents": documents}
        line |= {name: value for name, value in {"by": by, "note": note}.items() if value is not None}
        line["at"] = datetime.now(UTC).isoformat(timespec="seconds")
        if not self._read and self.path.exists():
            read_decisions(self.path)  # so that no decision is appended to another file, such as the data
        self._read = True
        with writing(self.path), self.path.open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # the last line has no end
                    file.write(b"\n")
            file.write(f"{json_text(line)}\n".encode())
            file.flush()
            os.fsync(file.fileno())


@dataclass(frozen=True, eq=False)
class Decided:
    """The decisions that apply to the rows of a source."""

    different: tuple[Rows, Rows] | None
    """Pairs of rows that are different; None if there are none."""
    keep: Rows
    """The number of the line that chose each row; 0 for other rows."""
    alone: Rows | None
    """The rows that are excluded; None if there are none."""
    counts: dict[str, int]
    """The number of decisions that were applied, that are stale, and whose documents were not found."""
    warnings: tuple[Notice, ...]


def document_hash(document: str | Sequence[str | None] | None) -> str:
    """Returns the hash of the bytes of a document as 32 hexadecimal digits (docs/reference/format.md).

    >>> document_hash("a")
    'a031586b5ccf4cbb4d29e1517f880f14'
    """
    if document is None or isinstance(document, str):
        data = (document or "").encode()
    else:
        tokens = [None if token is None else token.encode() for token in document]
        parts = [(MISSING, b"") if token is None else (len(token), token) for token in tokens]
        data = b"".join(length.to_bytes(8, "little") + token for length, token in parts)
    return "".join(f"{number:016x}" for number in hash128(data))


def decided_rows(decisions: InForce, source: Source, rows: int, name: str) -> Decided:
    """Finds the rows that decisions are about. `name` is the name of their file."""
    known = _rows_of(decisions.documents(), source, rows)
    stale = {document for document, found in known.items() if found is None}
    left, right = decisions.different
    of_compared = _states(decisions.compared, known)
    of_pairs = np.maximum(of_compared[left], of_compared[right])
    of_single = _states([*decisions.keep, *decisions.exclude], known)
    number = np.bincount(of_pairs, minlength=3) + np.bincount(of_single, minlength=3)
    counts = {"applied": int(number[APPLIED]), "stale": int(number[STALE]), "not found": int(number[NOT_FOUND])}
    found = [known.get(document) or [] for document in decisions.compared]
    applied = of_pairs == APPLIED
    keep = np.zeros(rows, np.int64)
    for document, line in decisions.keep.items():
        keep[known.get(document) or []] = line
    alone = [row for document in decisions.exclude for row in known.get(document) or ()]
    warnings = tuple(
        Notice(code, path=name, count=count, decisions=len(decisions), id=_first(documents))
        for code, count, documents in (
            ("stale-decisions", counts["stale"], stale),
            ("decisions-not-found", counts["not found"], decisions.documents() - known.keys()),
        )
        if count
    )
    different = _rows_of_pairs(left[applied], right[applied], found) if applied.any() else None
    return Decided(different, keep, np.array(sorted(alone), np.int64) if alone else None, counts, warnings)


APPLIED, NOT_FOUND, STALE = range(3)
"""States of a decision about a document. A decision about two documents has the larger of their states."""


def _states(documents: Sequence[Document], known: Mapping[Document, list[int] | None]) -> Rows:
    """Returns the state of a decision about each document alone."""
    states = ((STALE if known[one] is None else APPLIED) if one in known else NOT_FOUND for one in documents)
    return np.fromiter(states, np.int64, len(documents))


def _rows_of_pairs(left: Rows, right: Rows, rows: Sequence[Sequence[int]]) -> tuple[Rows, Rows]:
    """Returns the pairs of rows of each pair of documents. Several rows can have the same id and bytes."""
    sizes, first = np.array([*map(len, rows)]), np.array([some[0] if some else -1 for some in rows], np.int64)
    several = (sizes[left] > 1) | (sizes[right] > 1)
    ends = [(first[left[~several]], first[right[~several]])]
    for i, j in zip(left[several].tolist(), right[several].tolist(), strict=True):
        ends.append((np.repeat(rows[i], sizes[j]), np.tile(rows[j], sizes[i])))
    one, other = zip(*ends, strict=True)
    return np.concatenate(one), np.concatenate(other)


def _first(documents: Collection[Document]) -> str:
    return min(documents).id


def _rows_of(documents: Collection[Document], source: Source, rows: int) -> dict[Document, list[int] | None]:
    """Returns the rows of each document; None if there are rows with its id, but their texts have changed."""
    by_id = _rows_by_id(source, {document.id for document in documents}, rows)
    wanted = np.unique(np.array([row for found in by_id.values() for row in found], np.int64))
    hashes: dict[int, str] = {}
    for start in range(0, len(wanted), BLOCK):
        texts = read_texts(source, wanted[start : start + BLOCK])
        hashes |= {row: document_hash(text) for row, text in texts.items()}
    source.check_unchanged()
    found: dict[Document, list[int] | None] = {}
    for document in documents:
        if document.id in by_id:
            found[document] = [row for row in by_id[document.id] if hashes[row] == document.bytes] or None
    return found


def _rows_by_id(source: Source, ids: Collection[str], rows: int | None = None) -> dict[str, list[int]]:
    """Returns the rows with these ids. Ids of a reference and of new rows are those of their own source."""
    found: dict[str, list[int]] = defaultdict(list)
    before = 0
    for side in (source.reference, source.new) if isinstance(source, ChainedSource) else (source,):
        here = source.reference_rows if isinstance(source, ChainedSource) and side is source.reference else None
        if side.id is None:  # ids are positions
            total = here if here is not None else _total(side) if rows is None else rows - before
            for id in ids:
                number = id.isascii() and id.isdecimal() and len(id) <= len(str(total))  # thousands of digits fail
                if number and str(int(id)) == id and int(id) < total:
                    found[id].append(before + int(id))
        else:
            for row, id in _with_ids(side, ids):
                found[id].append(before + row)
        before += here or 0
    return found


def _total(source: Source) -> int:
    total = source.total_rows()
    return sum(map(len, source.read([source.column]))) if total is None else total


def _with_ids(source: Source, ids: Collection[str]) -> Iterator[tuple[int, str]]:
    import pyarrow.compute as pc  # not imported at the top: see flow/arrays.py

    assert source.id is not None
    encodable = [id for id in sorted(ids) if id.encode(errors="ignore").decode() == id]  # no id has lone surrogates
    wanted = pa.array(encodable, TEXT)
    for batch in source.read([source.id]):
        here = batch.data.column(0).cast(TEXT)
        for at in np.flatnonzero(pc.is_in(here, value_set=wanted).to_numpy(zero_copy_only=False)).tolist():
            yield batch.start + at, here[at].as_py()
