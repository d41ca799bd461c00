"""Loads tables that other libraries read on demand: Polars LazyFrame, pyarrow.dataset, Hugging Face datasets.

These libraries are not imported here. A table is recognised by the module that defines its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.errors import InputError, InvalidOption
from lookalike.storage.foreign_errors import brief


def loaded(data: Any) -> Any:
    """Loads a table of one of these libraries into memory; returns any other data unchanged."""
    package = type(data).__module__.partition(".")[0]
    if package == "datasets" and isinstance(data, Mapping):
        raise InvalidOption("several-splits", splits=tuple(map(str, data)), first=str(next(iter(data), "train")))
    if package == "pyspark" and hasattr(data, "toArrow"):
        raise InvalidOption("spark-frame")
    if is_dataset(data) and data.format["type"] == "custom":
        raise InvalidOption("dataset-with-transform")
    try:
        if package == "polars" and hasattr(data, "collect_schema") and hasattr(data, "collect"):
            return data.collect()
        if type(data).__module__ == "pyarrow._dataset" and hasattr(data, "to_table"):  # a Dataset or a Scanner
            return data.to_table()
        if is_dataset(data):  # the PyCapsule interface of a dataset ignores its index of selected rows
            return data.with_format("arrow", columns=data.format["columns"])[:]
    except Exception as error:  # a query raises the errors of its library
        reason = f"{type(error).__name__}: {brief(error)}"
        raise InputError("table-not-loaded", type=type(data).__name__, reason=reason) from None
    return data


def is_dataset(data: Any) -> bool:
    """True for a Hugging Face dataset, unless it is a stream, which is an iterable of dictionaries."""
    return type(data).__module__.partition(".")[0] == "datasets" and hasattr(data, "num_rows") and hasattr(data, "map")
