"""Lance: a table with a MINHASHLSH index. Similarities are estimates, and a query returns the nearest rows.

A table of Lance has no single inserts without a new version, so an add appends one row. The index is not optimized
between adds, because its users do that from time to time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
from contenders import index_contender
from lance.query import MinHashQuery

SETTINGS = {"num_hashes": 128, "num_bands": 16, "shingle_size": 5}
TOP = 10


class Contender:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table: Any = None

    def build(self, corpus: str, documents: int) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        schema = pa.schema({"id": pa.int64(), "text": pa.string()})
        reader = pa.RecordBatchReader.from_batches(schema, index_contender.rows_of(corpus, documents))
        self.table = lance.write_dataset(reader, str(self.folder))
        self.table.create_scalar_index("text", "MINHASHLSH", name="text_index", **SETTINGS)

    def reopen(self) -> None:
        self.table = lance.dataset(str(self.folder))

    def nbytes(self) -> int:
        return index_contender.size_of(self.folder)

    def query(self, text: str) -> index_contender.Found:
        nearest = MinHashQuery(text, "text")
        found = self.table.to_table(nearest=nearest, limit=TOP, columns=["id", "_distance"])
        return [(row["id"], 1 - row["_distance"]) for row in found.to_pylist()]

    def query_all(self, texts: Sequence[str]) -> Iterable[tuple[int, int, float]]:
        for number, text in enumerate(texts):
            for row, similarity in self.query(text):
                yield number, row, similarity

    def add(self, text: str, row: int) -> None:
        self.table.insert(pa.table({"id": [row], "text": [text]}))

    def delete(self, rows: list[int]) -> None:
        self.table.delete(f"id IN ({', '.join(map(str, rows))})")

    def other_cpu(self) -> float:
        return 0.0


if __name__ == "__main__":
    index_contender.main(Contender)
