"""datatrove: its MinHash pipeline. Signatures and buckets use one process per core, clusters a single process."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from contenders import text_contender
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.utils.hashing import HashConfig
from datatrove.utils.text import TextNormConfig
from datatrove.utils.word_tokenizers import WordTokenizer

BANDS, ROWS = 20, 5  # with 16 × 6, as in lookalike, the recall was slightly lower than lookalike's
WORKERS = os.cpu_count() or 1
WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")


class Words(WordTokenizer):  # type: ignore[misc]
    """A simple tokenizer. Those of datatrove do much more, and split words differently from all other contenders."""

    def __init__(self, job: text_contender.Job) -> None:
        super().__init__()
        self.job = job

    def word_tokenize(self, text: str) -> list[str]:
        if self.job.words == "spaces":
            return text.split(" ")
        words = WORD.findall(text)
        return words if len(words) >= self.job.k else words + ["_"] * (self.job.k - len(words))

    def sent_tokenize(self, text: str) -> list[str]:
        return [text]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]


class Column:
    """Every worker reads its share of the row groups; datatrove's own reader assigns whole files to workers."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        file = pq.ParquetFile(self.path)
        groups = np.array_split(np.arange(file.num_row_groups), world_size)[rank].tolist()
        for batch in file.iter_batches(row_groups=groups, columns=["text"]) if groups else ():
            for text in batch.column(0).to_pylist():
                yield Document(text=text or "", id="")


def find(job: text_contender.Job) -> pa.Table:
    config = MinhashConfig(
        n_grams=job.k,
        num_buckets=BANDS,
        hashes_per_bucket=ROWS,
        norm_config=TextNormConfig(job.words != "spaces", False, False, False, False),
        hash_config=HashConfig(precision=32, hash_fc="xxhash"),
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        signed, paired, clustered = (str(folder / part) for part in ("signed", "paired", "clustered"))
        sign = MinhashDedupSignature(signed, config, language=Words(job))
        steps = [
            ([Column(job.path), sign], WORKERS),
            ([MinhashDedupBuckets(signed, paired, config=config)], BANDS),
            ([MinhashDedupCluster(paired, clustered, config=config, save_cluster_id=True)], 1),
        ]
        for number, (pipeline, tasks) in enumerate(steps):
            log = str(folder / f"log{number}")
            LocalPipelineExecutor(pipeline, tasks, WORKERS, logging_dir=log, start_method="fork").run()
        return pa.table({"cluster": _labels(job.path, Path(clustered))})


def _labels(path: str, clustered: Path) -> np.ndarray:
    """The cluster number of every row; rows without a cluster get a unique number."""
    file = pq.ParquetFile(path)
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    shares = [int(share.sum()) for share in np.array_split(np.array(sizes), WORKERS)]
    starts = np.cumsum([0, *shares])
    labels = np.arange(starts[-1])
    for rank, start in enumerate(starts[:-1]):
        part = clustered / f"{rank:06d}.clusters"
        if part.exists():
            rows, clusters = np.frombuffer(part.read_bytes(), dtype=np.uint32).reshape(-1, 2).T.astype(np.int64)
            labels[start + rows] = starts[-1] + clusters
    return labels


if __name__ == "__main__":
    text_contender.main(find, f"{BANDS}×{ROWS}, unchecked")
