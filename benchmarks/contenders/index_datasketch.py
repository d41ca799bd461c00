"""datasketch: MinHashLSH in memory (a Python dictionary), without texts. Similarities are estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import xxhash
from contenders import index_contender
from datasketch import MinHash, MinHashLSH

HASHES, BANDS, ROWS, K = 128, 16, 6, 5


class Contender:
    storage: dict[str, Any] | None = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = self.empty()
        self.scheme = MinHash(num_perm=HASHES, hashfunc=xxhash.xxh32_intdigest)
        self.signed: dict[int, MinHash] = {}

    def empty(self) -> MinHashLSH:
        return MinHashLSH(num_perm=HASHES, params=(BANDS, ROWS), storage_config=self.storage)

    def sign(self, text: str) -> MinHash:
        words = text.split(" ")
        made = self.scheme.copy()
        made.update_batch([" ".join(run).encode() for run in zip(*(words[i:] for i in range(K)), strict=False)])
        return made

    def build(self, corpus: str, documents: int) -> None:
        with self.index.insertion_session() as session:
            for batch in index_contender.rows_of(corpus, documents):
                for row, text in zip(batch["id"].to_pylist(), batch["text"].to_pylist(), strict=True):
                    self.signed[row] = self.sign(text)
                    session.insert(row, self.signed[row], check_duplication=False)

    def reopen(self) -> None:
        """Does nothing: the index is in memory only."""

    def nbytes(self) -> int:
        return 0

    def query(self, text: str) -> index_contender.Found:
        asked = self.sign(text)
        return [(row, asked.jaccard(self.signed[row])) for row in self.index.query(asked)]

    def query_all(self, texts: Sequence[str]) -> Iterable[tuple[int, int, float]]:
        for number, text in enumerate(texts):
            for row, similarity in self.query(text):
                yield number, row, similarity

    def add(self, text: str, row: int) -> None:
        self.signed[row] = self.sign(text)
        self.index.insert(row, self.signed[row], check_duplication=False)

    def delete(self, rows: list[int]) -> None:
        for row in rows:
            self.index.remove(row)

    def other_cpu(self) -> float:
        return 0.0


if __name__ == "__main__":
    index_contender.main(Contender)
