"""The file format of decisions: one JSON object per line, about documents that are named by id and byte hash.

docs/reference/decisions.md describes the format.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lookalike.errors import MalformedInput
from lookalike.flow.arrays import Rows
from lookalike.flow.preference import pair_numbers
from lookalike.io.misread import not_in_utf8
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief, reading

KINDS = {"different": 2, "keep": 1, "exclude": 1, "undo": 1, "skip": 1}
"""The decisions, and the minimum number of documents of each."""

MOST_DIFFERENT = 5_000
"""The maximum number of documents that one line can declare to be different: more would be millions of pairs."""

_HASH = re.compile("[0-9a-fA-F]{32}")


class Line(NamedTuple):
    """One line: a decision about documents or, if `undoes` is not empty, the withdrawal of whole steps."""

    number: int
    kind: str
    documents: list[Document]
    step: str
    """The name of the step that the line belongs to. Lines that were written together have the same."""
    undoes: list[str]
    entry: dict[str, Any]
    """The line as it is in the file."""


class Document(NamedTuple):
    """A document: its id as text, and the hash of its bytes as 32 hexadecimal digits."""

    id: str
    bytes: str


@dataclass(frozen=True, eq=False)
class InForce:
    """The decisions that are in force after the last line."""

    keep: dict[Document, int]
    """The documents with the decision `keep`, each with the number of its line."""
    exclude: dict[Document, int]
    compared: list[Document]
    """The documents that lines declared to be different from each other, or that they withdrew."""
    different: tuple[Rows, Rows]
    """The pairs that are different, by the positions of their documents in `compared`."""

    def documents(self) -> set[Document]:
        compared = (self.compared[i] for i in np.unique(np.concatenate(self.different)).tolist())
        return {*self.keep, *self.exclude, *compared}

    def __len__(self) -> int:
        return len(self.different[0]) + len(self.keep) + len(self.exclude)


@dataclass(eq=False)
class Lines:
    """The decisions of the lines that have been read.

    Pairs of documents are stored as numbers, line by line, since a single line can declare millions of pairs.
    """

    keep: dict[Document, int] = field(default_factory=dict)
    exclude: dict[Document, int] = field(default_factory=dict)
    _numbers: dict[Document, int] = field(default_factory=dict)
    """The number of each document that is in a pair."""
    _pairs: list[tuple[bool, Rows]] = field(default_factory=list)
    """Of each line about pairs: whether it declared them to be different, or withdrew that; and the pairs."""
    _count: int = 0

    def add(self, kind: str, documents: list[Document], line: int) -> None:
        """Adds a decision. It replaces earlier ones about the same documents."""
        if kind in ("different", "undo"):
            numbers = [self._numbers.setdefault(document, len(self._numbers)) for document in documents]
            self._add_pairs(kind == "different", np.array(numbers, np.int64))
        if kind in ("different", "skip"):
            return
        for document in documents:
            self.keep.pop(document, None)
            self.exclude.pop(document, None)
        if kind != "undo":
            getattr(self, kind).update(dict.fromkeys(documents, line))

    def _add_pairs(self, different: bool, numbers: Rows) -> None:
        if different or len(numbers) * (len(numbers) - 1) // 2 <= self._count:
            one, other = np.triu_indices(len(numbers), 1)
            pairs = pair_numbers(numbers[one], numbers[other])
        else:  # many documents have few pairs to withdraw
            pairs = np.concatenate([np.zeros(0, np.int64), *(pairs for _, pairs in self._pairs)])
            pairs = pairs[np.isin(pairs >> 32, numbers) & np.isin(pairs & 0xFFFFFFFF, numbers)]
        self._pairs.append((different, pairs))
        self._count += len(pairs)

    def in_force(self) -> InForce:
        """Returns the decisions that no later line replaced."""
        pairs = np.concatenate([np.zeros(0, np.int64), *(pairs for _, pairs in self._pairs)])
        sizes = np.array([len(pairs) for _, pairs in self._pairs], np.int64)
        different = np.repeat(np.array([different for different, _ in self._pairs], np.bool_), sizes)
        order = np.argsort(pairs, kind="stable")  # equal pairs stay in the order of their lines
        pairs = pairs[order]
        last = np.ones(len(pairs), dtype=np.bool_)
        last[:-1] = pairs[1:] != pairs[:-1]
        pairs = pairs[last & different[order]]
        return InForce(self.keep, self.exclude, [*self._numbers], (pairs >> 32, pairs & 0xFFFFFFFF))


def read_decisions(path: Path) -> InForce:
    """Reads a file of decisions. Raises an error that names the line if a line is malformed."""
    lines = read_lines(path)
    gone, found = withdrawn(lines), Lines()
    for line in lines:
        if line.number not in gone and not line.undoes:
            found.add(line.kind, line.documents, line.number)
    return found.in_force()


def read_lines(path: Path) -> list[Line]:
    """Reads the lines of a file of decisions, including those that later lines withdraw."""
    with reading(str(path)):
        return parse_lines(_lines(path), path)


def parse_lines(lines: Iterable[bytes], path: Path) -> list[Line]:
    """Parses lines. `path` is the name of their file, for errors."""
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_parsed(line, number))
            except _Malformed as malformed:
                raise MalformedInput("malformed-decision", path=path, line=number, reason=malformed.reason) from None
    return found


def withdrawn(lines: Sequence[Line]) -> set[int]:
    """Returns the numbers of the lines that later lines withdraw.

    The last lines are read first, because a withdrawal has no effect if a later line withdraws it.
    """
    steps: set[str] = set()
    gone: set[int] = set()
    for line in reversed(lines):
        if line.step in steps:
            gone.add(line.number)
        else:
            steps.update(line.undoes)
    return gone


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for number, line in enumerate(file):
            yield line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line


class _Malformed(Exception):
    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.reason = Notice(code, **values)


def _parsed(line: bytes, number: int) -> Line:
    """Parses a line."""
    try:
        entry = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise _Malformed("decision-not-utf8", reason=not_in_utf8(error)) from None
    except (ValueError, RecursionError) as error:
        raise _Malformed("decision-not-json", reason=brief(error)) from None
    if not isinstance(entry, dict):
        raise _Malformed("decision-not-an-object", value=entry)
    if entry.get("decision") not in [*KINDS]:
        raise _Malformed("unknown-decision", allowed=tuple(KINDS), value=entry.get("decision"))
    kind, given, step = entry["decision"], entry.get("documents"), entry.get("step", f"line-{number}")
    if not isinstance(step, str) or not step:
        raise _Malformed("decision-step", value=step)
    if kind == "undo" and "steps" in entry:
        steps = entry["steps"]
        if not isinstance(steps, list) or not steps or not all(isinstance(one, str) and one for one in steps):
            raise _Malformed("decision-steps", value=steps)
        return Line(number, kind, [], step, steps, entry)
    if not isinstance(given, list) or len(given) < KINDS[kind]:
        raise _Malformed("decision-without-documents", decision=kind, least=KINDS[kind], value=given)
    if kind == "different" and len(given) > MOST_DIFFERENT:
        raise _Malformed("too-many-different", most=MOST_DIFFERENT, documents=len(given))
    documents = [_document(one) for one in given]
    if len({*documents}) < len(documents):
        raise _Malformed("decision-repeats-document", id=Counter(documents).most_common(1)[0][0].id)
    return Line(number, kind, documents, step, [], entry)


def _document(value: Any) -> Document:
    if isinstance(value, dict):
        id, hashed = value.get("id"), value.get("bytes")
        whole = isinstance(id, int) and not isinstance(id, bool)
        if (whole or isinstance(id, str)) and isinstance(hashed, str) and _HASH.fullmatch(hashed):
            return Document(str(id), hashed.lower())
    raise _Malformed("decision-document", value=value)
