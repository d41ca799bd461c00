"""Reads lists of ids from files, and converts them to the type of ids that an index has."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.errors import InvalidOption, NoSuchColumn

ID = "id"


def read_ids(path: str) -> list[str]:
    """Reads ids from the column `id` of a table, or from the lines of any other file or of standard input."""
    from lookalike.io.files import SUFFIXES, TABLES, format_of
    from lookalike.io.open import Paths, open_source
    from lookalike.io.records import read_records

    if format_of(path, SUFFIXES) in TABLES:
        records = read_records(path)
        if ID not in records.columns:
            raise NoSuchColumn("no-column-of-ids", name=records.name, columns=list(records.columns))
        return [name for name in records.columns[ID].to_pylist() if name is not None]
    lines = (line for batch in open_source(Paths([path]), format="lines").documents() for line in batch.texts)
    return [name for line in lines if (name := str(line).strip())]


def ids_of_type(names: Sequence[str], kind: str | None) -> list[str] | list[int]:
    """Converts ids to integers if those of the index are."""
    if kind != "int":
        return list(names)
    ids = []
    for name in names:
        try:
            ids.append(int(name))
        except ValueError:
            raise InvalidOption("index-ids-of-another-type", own="integers", given="strings", first=name) from None
    return ids
