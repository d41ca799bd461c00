"""lookalike: an embedded index. Similarities are exact, and clusters are kept up to date."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from contenders import index_contender

import lookalike as la


class Contender:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index: la.Index | None = None

    def build(self, corpus: str, documents: int) -> None:
        import pyarrow.parquet as pq

        shutil.rmtree(self.folder, ignore_errors=True)
        self.index = la.Index.create(self.folder, threshold=0.8, shingles="words:5")
        if pq.ParquetFile(corpus).metadata.num_rows == documents:
            self.index.add(corpus, column="text")
        else:
            self.index.add([text for b in index_contender.rows_of(corpus, documents) for text in b["text"].to_pylist()])

    def reopen(self) -> None:
        if self.index is not None:
            self.index.close()
        self.index = la.Index.open(self.folder)

    def nbytes(self) -> int:
        return index_contender.size_of(self.folder)

    @property
    def opened(self) -> la.Index:
        assert self.index is not None
        return self.index

    def query(self, text: str) -> index_contender.Found:
        return [(row, similarity) for _, row, similarity in self.opened.query(text).top()]

    def query_all(self, texts: Sequence[str]) -> Iterable[tuple[int, int, float]]:
        found = self.opened.query(texts)
        return zip(found.left_rows.tolist(), found.right_rows.tolist(), found.similarity.tolist(), strict=True)

    def add(self, text: str, row: int) -> None:
        self.opened.add([text])

    def delete(self, rows: list[int]) -> None:
        self.opened.delete(rows)

    def clusters(self) -> None:
        self.opened.clusters()

    def other_cpu(self) -> float:
        return 0.0


if __name__ == "__main__":
    index_contender.main(Contender)
