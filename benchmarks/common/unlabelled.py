"""All corpora of a folder that have texts, sets or records: each is a list of documents, and how to split them."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

SEPARATORS = "|%,"
"""A CSV file is separated by the first of these that is in its first line."""


@dataclass(frozen=True)
class Corpus:
    name: str
    documents: list[str] | list[list[str]]
    options: dict[str, Any] = field(default_factory=dict)
    """Options that say how documents are split into shingles."""


def corpora(data: Path) -> Iterator[Corpus]:
    """The corpora of a folder that contains text/, sets/, records/ and vectors/."""
    yield from _tables(data / "text")
    yield from _files(data / "text")
    yield from _sets(data / "sets")
    for path in sorted((data / "records").rglob("*.csv")):
        yield from _columns(path, data / "records")
    for path in sorted((data / "vectors").rglob("words*.txt")):
        yield Corpus(path.name, path.read_text(encoding="utf-8").splitlines())


def of_files(paths: list[Path], column: str) -> Iterator[Corpus]:
    """One column of each Parquet file."""
    for path in paths:
        yield Corpus(path.name, pq.read_table(path, columns=[column])[column].to_pylist())


def _tables(folder: Path) -> Iterator[Corpus]:
    """Each column of texts and, if there are two of them, both of each pair together."""
    for path in sorted(folder.glob("*.parquet")):
        for column in ("text", "sentence1", "sentence2"):
            if column in pq.read_schema(path).names:
                texts = pq.read_table(path, columns=[column])[column].to_pylist()
                yield Corpus(path.name if column == "text" else f"{path.name}, {column}", texts)
    yield from (corpus for path in sorted(folder.glob("*.csv")) for corpus in _columns(path, folder))


def _files(folder: Path) -> Iterator[Corpus]:
    """Programs, and declarations in many languages: whole texts, and one line per document."""
    programs = [path.read_text(errors="replace") for path in sorted(folder.rglob("*.java"))]
    if programs:
        yield Corpus("Java programs", programs)
    for path in sorted(folder.rglob("udhr*.zip")):
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".txt"))
            texts = [archive.read(name).decode("utf-8-sig") for name in names]
        yield Corpus(path.name, texts)
        yield Corpus(f"{path.name}, lines", [line for text in texts for line in text.splitlines()])


def _sets(folder: Path) -> Iterator[Corpus]:
    """Baskets, molecules as texts, and molecules as sets of bits."""
    for path in sorted(folder.glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as lines:
            yield Corpus(path.name, [[item for item in row if item] for row in csv.reader(lines)])
    for path in sorted(folder.glob("*.dat.gz")):
        with gzip.open(path, "rt") as lines:
            yield Corpus(path.name, [line.split() for line in lines])
    for path in sorted(folder.glob("*.smi")):
        molecules = [line.split("\t")[0] for line in path.read_text().splitlines()]
        yield Corpus(path.name, molecules)
        yield Corpus(f"{path.name}, chars:5", molecules, {"shingles": "chars:5", "case": "keep"})
    for path in sorted(folder.glob("*_packed.npy")):
        bits = np.unpackbits(np.load(path), axis=1)
        yield Corpus(path.name, [[str(bit) for bit in np.flatnonzero(row)] for row in bits])


def _columns(path: Path, folder: Path) -> Iterator[Corpus]:
    """Each column in which most values have a letter (except the first, which contains ids), and whole records."""
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    heading = text.split("\n", 1)[0]
    separator = next((mark for mark in SEPARATORS if mark in heading), ",")
    names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    rows = [[*row, *[""] * (len(names) - len(row))] for row in rows]
    kept = [at for at in range(1, len(names)) if _has_letters([row[at] for row in rows])]
    place = path.relative_to(folder).as_posix()
    for at in kept:
        yield Corpus(f"{place}, {names[at].strip().rpartition('#')[2]}", [row[at] for row in rows])
    if len(kept) > 1:
        yield Corpus(f"{place}, records", [" ".join(row[at] for at in range(1, len(names))) for row in rows])


def _has_letters(values: list[str]) -> bool:
    given = [value for value in values if value.strip()]
    return 2 * sum(any(sign.isalpha() for sign in value) for value in given) > max(1, len(given))
