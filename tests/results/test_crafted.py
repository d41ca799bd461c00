"""If any number or entry of a saved result is replaced, loading raises one of our errors or returns a working
result."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.errors import LookalikeError, MalformedInput
from tests.contracts.test_results import RESULTS
from tests.crafting import crafted

KINDS = dict(reversed(RESULTS.values()))
"""One result of each class."""


def use(folder: Path) -> Exception | None:
    """Loads a result and uses its tables and summary. Returns the error that is not ours, if there is one."""
    try:
        result = la.load(folder)
    except MalformedInput:
        return None
    except Exception as error:
        return error
    try:
        result.tables(), result.to_dict(), repr(result), str(result), result.summary
    except LookalikeError:
        return None
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_crafted_numbers_in_tables_are_refused(kind: type, tmp_path: Path) -> None:
    saved = KINDS[kind]().save(tmp_path / "saved")
    wrong = []
    for path in sorted(saved.glob("*.parquet")):
        table, whole = pq.read_table(path), path.read_bytes()
        for place, field in enumerate(table.schema):
            if not pa.types.is_integer(field.type) or not table.num_rows:
                continue
            for value in (-1, 2**62 if field.type.bit_width == 64 else 100):
                column = [*table.column(place).to_pylist()[:-1], value]
                pq.write_table(table.set_column(place, field, pa.array(column, field.type)), path)
                if (error := use(saved)) is not None:
                    wrong.append((path.name, field.name, value, repr(error)))
        path.write_bytes(whole)
    assert not wrong


@pytest.mark.parametrize("kind", KINDS)
def test_crafted_facts_are_refused(kind: type, tmp_path: Path) -> None:
    saved = KINDS[kind]().save(tmp_path / "saved")
    about = json.loads((saved / "summary.json").read_text(encoding="utf-8"))
    wrong = []
    parts = ("facts", "summary") if kind is la.Pairs else ("facts",)  # all results have the same kind of summary
    for part in parts:
        for path, value, other in crafted(about[part]):
            (saved / "summary.json").write_text(json.dumps(about | {part: other}), encoding="utf-8")
            if (error := use(saved)) is not None:
                wrong.append((part, path, value, repr(error)))
    assert not wrong
