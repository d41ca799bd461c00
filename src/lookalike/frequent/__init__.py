"""Frequent pairs: items that often occur in the same basket.

Fast code: `passes.py` implements A-Priori, PCY, multihash and multistage within a memory budget. Definitions:
`definitions.py` has naive counting, A-Priori and PCY in a few lines each; `reference.py` runs A-Priori for
`engine="reference"`.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Unpack

from lookalike.flow.byte_sizes import bytes_of
from lookalike.flow.checks import check_one_of, check_threads
from lookalike.flow.progress import Progress
from lookalike.frequent.budget import CountingBudget
from lookalike.frequent.pairs import FrequentPairs
from lookalike.frequent.passes import METHODS, TABLES, Method, count_pairs
from lookalike.frequent.reference import count_by_definition
from lookalike.frequent.report import Pass, Report
from lookalike.frequent.support import Support
from lookalike.io.baskets import open_baskets

ENGINES = ("local", "reference")


class BasketOptions(TypedDict, total=False):
    """Options for reading baskets."""

    column: str | None
    """Column of the items: one list per row or, with `basket`, one item per row (default: items)."""
    basket: str | None
    """Column that names the basket of each item, in a table with one item per row."""
    separator: str | None
    """Separator between items of a basket file (default: white space; comma in .csv, tab in .tsv), or between
    fields."""
    quote: str | None
    """Quotation mark around fields of a CSV file, or "none" (default: the double quote)."""
    encoding: str | None
    """Encoding of text files (default: UTF-8)."""
    transpose: bool
    """Swap items and baskets: each item becomes the set of the baskets that contain it."""
    format: str | None
    """Format of the data: baskets, parquet, jsonl, csv or tsv (default: detected from the file name)."""
    on_error: Literal["fail", "skip"]


def find_frequent_pairs(
    data: Any,
    *,
    support: int | float | str,
    method: Method | Literal["auto"] = "auto",
    memory: int | str = "256MiB",
    threads: int | None = None,
    engine: str = "local",
    progress: Progress | None = None,
    **reading: Unpack[BasketOptions],
) -> FrequentPairs:
    """Opens the baskets and finds their frequent pairs. The options are those of `lookalike.frequent_pairs`."""
    check_one_of("method", method, ("auto", *METHODS))
    workers = check_threads(threads)
    wanted = Support(support)
    allowed = bytes_of(memory)
    check_one_of("engine", engine, ENGINES)
    baskets = open_baskets(data, **reading)
    if engine == "reference":
        return count_by_definition(baskets, wanted)
    if method == "auto":
        method = "pcy" if baskets.bytes > allowed else "apriori"
    budget = CountingBudget.of(allowed, hashing=TABLES[method] > 0, data=baskets.bytes)
    return count_pairs(baskets, wanted, method=method, budget=budget, threads=workers, progress=progress)


__all__ = ["METHODS", "BasketOptions", "FrequentPairs", "Method", "Pass", "Report", "Support", "find_frequent_pairs"]
