"""How quickly an index in PostgreSQL takes and finds documents.

    python benchmarks/index_postgres.py 'postgresql://user@/database?host=/folder#bench' [DOCUMENTS]

The index must not exist; it is removed at the end. Texts have about 2 KB, and a fifth of them are near-copies. Prints
documents per second of two bulk adds (the second one into an index that is not empty), percentiles of single queries
and adds, and the bytes per document.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import psycopg

import lookalike as la

SINGLE = 1000
"""The number of single queries and adds."""


def texts(count: int, seed: int) -> list[str]:
    """Texts of about 330 words each, of which every fifth is one of those before, with one other word."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array([f"w{n:x}" for n in range(60_000)])
    made: list[str] = []
    for n in range(count):
        if n % 5 == 4:
            words = made[int(rng.integers(len(made)))].split()
            words[int(rng.integers(len(words)))] = "other"
        else:
            words = vocabulary[rng.integers(0, len(vocabulary), 330)].tolist()
        made.append(" ".join(words))
    return made


def times(call: Callable[[str], object], some: list[str]) -> str:
    """The percentiles of the time of a call, in milliseconds."""
    seconds = []
    for text in some:
        began = time.perf_counter()
        call(text)
        seconds.append(time.perf_counter() - began)
    p50, p99 = np.percentile(np.array(seconds) * 1000, [50, 99])
    return f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, longest {max(seconds) * 1000:.1f} ms"


def main() -> None:
    address, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    server, _, name = address.partition("#")
    with la.Index.create(address, threshold=0.8, seed=1) as ix:
        try:
            half = count // 2
            first, second = texts(half, 1), texts(half, 2)
            for data in (first, second):
                began = time.perf_counter()
                ix.add(data)
                seconds = time.perf_counter() - began
                print(f"bulk add of {len(data):,}: {seconds:.1f} s, {len(data) / seconds:,.0f} documents/s", flush=True)
            rng = np.random.default_rng(3)
            some = [first[i] for i in rng.integers(0, half, SINGLE)]
            times(ix.query, some[:50])
            print("single queries:", times(ix.query, some), flush=True)
            print("single adds:", times(lambda text: ix.add([text]), texts(SINGLE, 4)), flush=True)
            print("add_if_new, new:", times(ix.add_if_new, texts(SINGLE, 5)[::2]), flush=True)
            print("single queries after them:", times(ix.query, some), flush=True)
            began = time.perf_counter()
            ix.query(some)
            print(f"a batch of {SINGLE}: {SINGLE / (time.perf_counter() - began):,.0f} queries/s")
            print(f"bytes per document: {ix.info()['bytes'] / len(ix):,.0f}")
        finally:
            with psycopg.connect(server, autocommit=True) as connection:
                connection.execute(f'DROP SCHEMA "{name}" CASCADE'.encode())


if __name__ == "__main__":
    main()
