"""Corpora that people wrote, from the files of a folder, as Parquet files with a column named text."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from common import build_files

Documents = list[str] | list[list[str]]


@dataclass(frozen=True)
class Natural:
    """A file or folder, how to read its documents, and how they are shingled."""

    place: str
    documents: Callable[[Path], Documents]
    shingles: str = "words:5"

    def write(self, name: str, data: Path) -> Path:
        """Path of a Parquet file, which is written on first use."""
        return build_files.written_once(f"natural-{name}.parquet", partial(self._write, data))

    def _write(self, data: Path, path: Path) -> None:
        pq.write_table(pa.table({"text": self.documents(data / self.place)}), path)


def _columns(*names: str) -> Callable[[Path], Documents]:
    """Reads all texts in some columns of a Parquet file."""
    return lambda path: [text for name in names for text in pq.read_table(path, columns=[name])[name].to_pylist()]


def _csv_columns(*names: str) -> Callable[[Path], Documents]:
    """Reads all texts in some columns of a CSV file."""

    def read(path: Path) -> Documents:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            records = list(csv.DictReader(lines))
        return [record[name] for name in names for record in records]

    return read


def _baskets(path: Path) -> Documents:
    with path.open(newline="", encoding="utf-8") as lines:
        return [[item for item in row if item] for row in csv.reader(lines)]


def _numbers(path: Path) -> Documents:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.split() for line in lines]


def _programs(path: Path) -> Documents:
    return [file.read_text(encoding="utf-8", errors="replace") for file in sorted(path.rglob("*.java"))]


def _first_fields(path: Path) -> Documents:
    return [line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()]


NATURAL = {
    "package descriptions": Natural("text/debian_descriptions.parquet", _columns("text")),
    "licences": Natural("text/scancode_licenses.parquet", _columns("text")),
    "revisions of licences": Natural("text/spdx_revisions.parquet", _columns("text")),
    "Japanese sentences": Natural("text/jglue_jsts.parquet", _columns("sentence1", "sentence2"), "chars:5"),
    "Korean questions": Natural("text/kor_pair_train.csv", _csv_columns("question1", "question2"), "chars:5"),
    "Java programs": Natural("text/java_plagiarism", _programs, "symbols:5"),
    "molecules": Natural("sets/smiles_ok.smi", _first_fields, "chars:5"),
    "groceries": Natural("sets/groceries.csv", _baskets, "auto"),
    "retail": Natural("sets/retail.dat.gz", _numbers, "auto"),
}
