"""Digest of an answer: a hash of column names, types and values in order; metadata and chunks do not count."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

DIGITS = 16


def digest(answer: Any) -> str:
    """The number of values in the answer, and the first digits of its hash: "57 values 3fa94c0b12d5e687"."""
    lines = list(canonical(answer))
    hashed = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    values = sum(not line.endswith(":") for line in lines)
    return f"{values} values {hashed}"


def canonical(answer: Any, indent: str = "") -> Iterator[str]:
    """The answer as lines of text, one value per line; a line that ends with a colon is a heading."""
    if isinstance(answer, pa.Table | pa.RecordBatch):
        for name, column in zip(answer.column_names, answer.columns, strict=True):
            yield f"{indent}{name} {type_name(column.type)}:"
            yield from canonical(column.to_pylist(), indent + " ")
    elif isinstance(answer, Mapping):
        for name, value in answer.items():
            yield f"{indent}{name}:"
            yield from canonical(value, indent + " ")
    elif isinstance(answer, list | tuple):
        for value in answer:
            if isinstance(value, list | tuple | Mapping | pa.Table):
                yield f"{indent}-:"
                yield from canonical(value, indent + " ")
            else:
                yield indent + plain(value)
    elif isinstance(answer, np.ndarray):
        yield from canonical(answer.tolist(), indent)
    else:
        yield indent + plain(answer)


def rounded(answer: Any) -> Any:
    """Rounds floats in the answer to nine significant digits, because logarithms differ between processors."""
    if isinstance(answer, pa.Table):
        columns = [rounded(column.to_pylist()) for column in answer.columns]
        return pa.table([pa.array(column, field.type) for column, field in zip(columns, answer.schema, strict=True)],
                        names=answer.column_names)  # fmt: skip
    if isinstance(answer, Mapping):
        return {name: rounded(value) for name, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [rounded(value) for value in answer]
    return float(f"{answer:.9g}") if isinstance(answer, float) else answer


def plain(value: Any) -> str:
    """One value as text. Floats are written as bits, because different floats may be printed alike."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return f"{value!r} {struct.pack('>d', value).hex()}"
    if isinstance(value, str | int | bool | bytes | None):
        return repr(value)
    if hasattr(value, "isoformat"):  # a date or a time
        return str(value.isoformat())
    raise TypeError(f"an answer holds plain values and tables, not {type(value).__name__}")


def type_name(kind: pa.DataType) -> str:
    """The name of an Arrow type. Types that store the same values, such as string and large_string, share a name."""
    if pa.types.is_dictionary(kind):
        return type_name(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "string"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"list<{type_name(kind.value_type)}>"
    return str(kind)
