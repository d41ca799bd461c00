"""Frequent pairs of a basket file, found by one of several libraries. The time includes reading the file.

python -m contenders.frequent_pairs LIBRARY FILE SUPPORT [SEPARATOR] [MEMORY] [THREADS]
"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.frequent import Method


def rows(path: str, separator: str | None) -> list[list[str]]:
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)  # noqa: SIM115, PTH123
    with opened as file:
        return [line.rstrip("\n").split(separator) for line in file]


def lookalike(method: Method) -> Callable[..., Any]:
    def run(path: str, support: int, separator: str | None, memory: str, threads: int | None) -> tuple[int, int]:
        from lookalike import frequent_pairs

        found = frequent_pairs(
            path, support=support, separator=separator, method=method, memory=memory, threads=threads
        )
        print(found.report, file=sys.stderr)
        return len(found), found.top(1)[0][2]

    return run


def command(path: str, support: int, separator: str | None, memory: str, threads: int | None) -> tuple[int, int]:
    """Runs the command line, so that its own costs are included."""
    import csv
    import tempfile
    from pathlib import Path

    from lookalike.cli import main

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "pairs.csv")
        sys.argv = ["lookalike", "frequent", path, "--support", str(support), "--memory", memory, "--out", str(out)]
        sys.argv += ["--separator", separator] if separator else []
        sys.argv += ["--threads", str(threads)] if threads else []
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
        with out.open(newline="") as file:
            counts = [int(row["count"]) for row in csv.DictReader(file)]
    return len(counts), counts[0]


def pyfim(algorithm: str) -> Callable[..., Any]:
    def run(path: str, support: int, separator: str | None, memory: str, threads: int | None) -> tuple[int, int]:
        import fim

        found = getattr(fim, algorithm)(rows(path, separator), target="s", supp=-support, zmin=2, zmax=2, report="a")
        return len(found), max(count for _, count in found)

    return run


def efficient_apriori(
    path: str, support: int, separator: str | None, memory: str, threads: int | None
) -> tuple[int, int]:
    from efficient_apriori import itemsets_from_transactions

    baskets = rows(path, separator)
    found, _ = itemsets_from_transactions(baskets, min_support=support / len(baskets), max_length=2)
    return len(found[2]), max(found[2].values())


def mlxtend(path: str, support: int, separator: str | None, memory: str, threads: int | None) -> tuple[int, int]:
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth
    from mlxtend.preprocessing import TransactionEncoder

    baskets = rows(path, separator)
    encoder = TransactionEncoder()
    matrix = encoder.fit(baskets).transform(baskets, sparse=True)
    table = pd.DataFrame.sparse.from_spmatrix(matrix, columns=encoder.columns_)
    found = fpgrowth(table, min_support=support / len(baskets), max_len=2)
    pairs = found[found["itemsets"].map(len) == 2]
    return len(pairs), round(pairs["support"].max() * len(baskets))


LIBRARIES: dict[str, Callable[..., tuple[int, int]]] = {
    "lookalike-command": command,
    "lookalike-apriori": lookalike("apriori"),
    "lookalike-pcy": lookalike("pcy"),
    "lookalike-multihash": lookalike("multihash"),
    "lookalike-multistage": lookalike("multistage"),
    "pyfim-apriori": pyfim("apriori"),
    "pyfim-eclat": pyfim("eclat"),
    "pyfim-fpgrowth": pyfim("fpgrowth"),
    "efficient-apriori": efficient_apriori,
    "mlxtend": mlxtend,
}


MODULES = {
    "lookalike": ["lookalike.api"],
    "pyfim": ["fim"],
    "efficient": ["efficient_apriori"],
    "mlxtend": ["mlxtend.frequent_patterns", "mlxtend.preprocessing", "pandas"],
}
"""Imported before the time measured here begins. The wall time measured from outside includes everything."""


def main() -> None:
    library, path, support, separator, memory, threads, *_ = [*sys.argv[1:], *[""] * 3]
    for module in MODULES[library.partition("-")[0]]:
        importlib.import_module(module)
    began = time.perf_counter()
    found, top = LIBRARIES[library](
        path, int(support), separator or None, memory or "256MiB", int(threads) if threads else None
    )
    print(json.dumps({"pairs": found, "top": top, "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main()
