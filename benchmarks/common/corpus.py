"""A corpus with planted truth: Zipf words, log-normal lengths, a tenth of it edited copies; the same for one seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

VOCABULARY = 50_000
COPIES = 0.1
K = 5


def write(path: Path, documents: int, seed: int = 1) -> Path:
    """Columns id, text, copy_of (row, or null) and similarity (word 5-gram Jaccard to it, exact)."""
    if path.exists():
        return path
    rng = np.random.default_rng(seed)
    words = _vocabulary(rng)
    frequency = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    frequency /= frequency[-1]
    lengths = np.clip(rng.lognormal(5.6, 0.6, documents), 20, 5000).astype(int)
    copies = rng.random(documents) < COPIES
    copies[:100] = False
    schema = pa.schema({"id": pa.string(), "text": pa.string(), "copy_of": pa.int64(), "similarity": pa.float64()})
    originals: list[tuple[int, np.ndarray]] = []  # a window of recent ones to copy from
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with pq.ParquetWriter(unfinished, schema, compression="zstd") as writer:
        for start in range(0, documents, 10_000):
            columns: dict[str, list[object]] = {name: [] for name in schema.names}
            for row in range(start, min(start + 10_000, documents)):
                copied, similarity = None, None
                if copies[row]:
                    copied, source = originals[rng.integers(len(originals))]
                    numbers = _edited(source, rng)
                    similarity = _jaccard(source, numbers)
                else:
                    numbers = np.searchsorted(frequency, rng.random(lengths[row]))
                    originals.append((row, numbers))
                    if len(originals) > 20_000:
                        originals[rng.integers(10_000)] = originals.pop()
                for name, value in zip(
                    schema.names, (f"doc-{row}", " ".join(words[numbers]), copied, similarity), strict=True
                ):
                    columns[name].append(value)
            writer.write_table(pa.table(columns, schema=schema))
    return unfinished.replace(path)


def _vocabulary(rng: np.random.Generator) -> np.ndarray:
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    weight = 1 / np.arange(3, len(letters) + 3)
    return np.array(
        ["".join(rng.choice(letters, n, p=weight / weight.sum())) + str(i % 7) * (i % 5 == 0)
         for i, n in enumerate(rng.integers(2, 11, VOCABULARY))],
        dtype=object,
    )  # fmt: skip


def _edited(numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Half the copies have scattered words changed, half one block; Jaccard between about 0.5 and 1."""
    edited = numbers.copy()
    target = rng.uniform(0.5, 1.0)
    lost = len(numbers) * (1 - target) / (1 + target)  # shingles to lose
    if rng.random() < 0.5:
        edited[rng.choice(len(numbers), int(lost / K), replace=False)] = rng.integers(VOCABULARY, size=int(lost / K))
    else:
        start = rng.integers(max(1, len(numbers) - int(lost)))
        edited[start : start + int(lost)] = rng.integers(VOCABULARY, size=len(edited[start : start + int(lost)]))
    return edited


def _jaccard(a: np.ndarray, b: np.ndarray) -> float:
    one, two = ({tuple(x[i : i + K]) for i in range(len(x) - K + 1)} for x in (a.tolist(), b.tolist()))
    return len(one & two) / len(one | two)
