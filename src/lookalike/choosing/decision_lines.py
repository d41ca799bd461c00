"""The file format of decisions: one JSON object per line, about documents that are named by id and byte hash.

docs/reference/decisions.md describes the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from lookalike.errors import MalformedInput
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief, reading

KINDS = {"different": 2, "keep": 1, "exclude": 1, "undo": 1}
"""The decisions, and the minimum number of documents of each."""

_HASH = re.compile("[0-9a-fA-F]{32}")


class Document(NamedTuple):
    """A document: its id as text, and the hash of its bytes as 32 hexadecimal digits."""

    id: str
    bytes: str


Pair = tuple[Document, Document]


@dataclass(eq=False)
class InForce:
    """The decisions that are in force after the last line, each with the number of its line."""

    different: dict[Pair, int] = field(default_factory=dict)
    keep: dict[Document, int] = field(default_factory=dict)
    exclude: dict[Document, int] = field(default_factory=dict)

    def add(self, kind: str, documents: list[Document], line: int) -> None:
        """Adds a decision. It replaces earlier ones about the same documents."""
        pairs = [(one, other) if one < other else (other, one) for one, other in combinations(documents, 2)]
        if kind in ("different", "undo"):
            for pair in pairs:
                self.different.pop(pair, None)
        if kind == "different":
            self.different |= dict.fromkeys(pairs, line)
            return
        for document in documents:
            self.keep.pop(document, None)
            self.exclude.pop(document, None)
        if kind != "undo":
            getattr(self, kind).update(dict.fromkeys(documents, line))

    def documents(self) -> set[Document]:
        return {*self.keep, *self.exclude, *(document for pair in self.different for document in pair)}

    def __len__(self) -> int:
        return len(self.different) + len(self.keep) + len(self.exclude)


def read_decisions(path: Path) -> InForce:
    """Reads a file of decisions. Raises an error that names the line if a line is malformed."""
    found = InForce()
    with reading(str(path)):
        for number, line in enumerate(_lines(path), 1):
            if line.strip():
                try:
                    found.add(*_parsed(line), number)
                except _Malformed as malformed:
                    raise MalformedInput(
                        "malformed-decision", path=path, line=number, reason=malformed.reason
                    ) from None
    return found


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for number, line in enumerate(file):
            yield line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line


class _Malformed(Exception):
    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.reason = Notice(code, **values)


def _parsed(line: bytes) -> tuple[str, list[Document]]:
    """Returns the kind and the documents of a line."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _Malformed("decision-not-json", reason=brief(error)) from None
    if not isinstance(entry, dict) or entry.get("decision") not in [*KINDS]:
        value = entry.get("decision") if isinstance(entry, dict) else entry
        raise _Malformed("unknown-decision", allowed=tuple(KINDS), value=value)
    kind, given = entry["decision"], entry.get("documents")
    if not isinstance(given, list) or len(given) < KINDS[kind]:
        raise _Malformed("decision-without-documents", decision=kind, least=KINDS[kind], value=given)
    documents = [_document(one) for one in given]
    if len({*documents}) < len(documents):
        raise _Malformed("decision-repeats-document", id=max(documents, key=documents.count).id)
    return kind, documents


def _document(value: Any) -> Document:
    if isinstance(value, dict):
        id, hashed = value.get("id"), value.get("bytes")
        whole = isinstance(id, int) and not isinstance(id, bool)
        if (whole or isinstance(id, str)) and isinstance(hashed, str) and _HASH.fullmatch(hashed):
            return Document(str(id), hashed.lower())
    raise _Malformed("decision-document", value=value)
