"""If the files of a saved result are damaged in any way, loading it raises one error that states what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.notices import Notice
from tests.conftest import MISSING
from tests.refusals import refused

TEXTS = [{"id": f"t{i}", "text": f"{word} {word} and so on"} for i, word in enumerate("aabbbc")]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    found = la.find_pairs(TEXTS, id="id")
    assert len(found) == 4
    return found.save(tmp_path / "pairs")


@pytest.fixture
def deduped(tmp_path: Path) -> Path:
    found = la.dedupe(TEXTS, id="id", keep="longest")
    assert len(found) == 3 and found.clusters.survivors is not None
    return found.save(tmp_path / "deduped")


def change(folder: Path, part: str | None = None, **entries: Any) -> None:
    """Sets entries of summary.json, or of one of its parts; ... removes one."""
    about = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    described = about if part is None else about[part]
    for name, value in entries.items():
        if value is ...:
            del described[name]
        else:
            described[name] = value
    (folder / "summary.json").write_text(json.dumps(about), encoding="utf-8")


def put(folder: Path, table: str, column: str, values: Any) -> None:
    """Replaces a column of a table."""
    path = folder / f"{table}.parquet"
    old = pq.read_table(path)
    pq.write_table(old.set_column(old.column_names.index(column), column, pa.array(values)), path)


def damaged(folder: Path, code: str, **values: Any) -> None:
    with refused("damaged-result", path=str(folder)) as caught:
        la.load(str(folder))
    reason = caught.value.values["reason"]
    assert isinstance(reason, Notice) and reason.code == code, reason
    assert values.items() <= reason.values.items(), reason


@pytest.mark.parametrize("cut", [False, True], ids=["deleted", "truncated"])
def test_a_table_that_is_listed_must_be_there_and_whole(pairs: Path, deduped: Path, cut: bool) -> None:
    for folder in (pairs, deduped):
        for path in sorted(folder.glob("*.parquet")):
            bytes = path.read_bytes()
            path.unlink()
            if cut:
                path.write_bytes(bytes[:-10])
            damaged(folder, "table-unreadable" if cut else "table-missing", file=path.name)
            path.write_bytes(bytes)
        la.load(folder)


def test_a_table_that_is_needed_must_be_listed(pairs: Path) -> None:
    change(pairs, tables=["ids"])
    damaged(pairs, "table-not-listed", file="pairs.parquet")


@pytest.mark.parametrize("tables", [None, 3, "pairs", ["../pairs"], [7]])
def test_the_list_of_tables_holds_names(pairs: Path, tables: Any) -> None:
    change(pairs, tables=tables)
    damaged(pairs, "entry-not-as-saved", name="tables")


@pytest.mark.parametrize(
    ("entries", "wrong"),
    [
        ({"rows": "6"}, "rows"),
        ({"rows": -1}, "rows"),
        ({"rows": True}, "rows"),
        ({"rows": 10**30}, "rows"),
        ({"threshold": [0.8]}, "threshold"),
        ({"measure": None}, "measure"),
        ({"greatest_distance": "far"}, "greatest_distance"),
    ],
    ids=str,
)
def test_facts_are_of_their_types(pairs: Path, entries: dict[str, Any], wrong: str) -> None:
    change(pairs, "facts", **entries)
    damaged(pairs, "entry-not-as-saved", name=wrong)


@pytest.mark.parametrize("name", ["threshold", "rows", "measure"])
def test_a_fact_that_is_missing_is_named(pairs: Path, name: str) -> None:
    change(pairs, "facts", **{name: ...})
    damaged(pairs, "summary-lacks-entry", name=name)


@pytest.mark.parametrize("name", ["kind", "tables", "facts", "summary"])
def test_an_entry_that_is_missing_is_named(pairs: Path, name: str) -> None:
    change(pairs, None, **{name: ...})
    damaged(pairs, "summary-lacks-entry", name=name)


def test_a_threshold_that_is_none_is_refused(pairs: Path) -> None:
    change(pairs, "facts", threshold="eighty")
    damaged(pairs, "not-a-share", value="eighty")


def test_the_summary_has_its_types(pairs: Path) -> None:
    change(pairs, "summary", documents="six")
    damaged(pairs, "entry-not-as-saved", name="documents")
    change(pairs, "summary", documents=6, nothing=1)
    damaged(pairs, "result-not-described", kind="Pairs")
    change(pairs, "summary", warnings=...)
    damaged(pairs, "summary-lacks-entry", name="warnings")


@pytest.mark.parametrize("kind", ["Plan", "nothing", "os", "__version__", "Result", 7, None, ["Pairs"]])
def test_a_kind_that_is_no_result_is_refused(pairs: Path, kind: Any) -> None:
    change(pairs, kind=kind)
    damaged(pairs, "no-such-kind-of-result")


@pytest.mark.parametrize(
    ("text", "code"),
    [(b"{", "summary-not-json"), (b'{"format": "\xff"}', "summary-not-json")]
    + [(start * 200_000, "summary-nested-too-deeply") for start in (b"[", b'{"format":')],
    ids=["cut off", "not UTF-8", "lists", "objects"],
)
def test_a_summary_that_is_not_json_is_refused(pairs: Path, text: bytes, code: str) -> None:
    (pairs / "summary.json").write_bytes(text)
    damaged(pairs, code)
    with refused("folder-of-other-files"):
        la.find_pairs(TEXTS).save(pairs, force=True)


@pytest.mark.parametrize("rows", [3, 5, 7])
def test_rows_are_within_the_collection(pairs: Path, rows: int) -> None:
    change(pairs, "facts", rows=rows)
    if rows == 3:
        damaged(pairs, "row-outside", rows=3)
    else:
        damaged(pairs, "table-of-other-length", file="ids.parquet", expected=rows, found=6)


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([0, 0, 2, 2, 2, 900], "row-outside"),
        ([0, 0, 2, 2, 2, -1], "row-outside"),
        ([0, 0, 1, 2, 2, 5], "labels-not-first-rows"),
        (list("001112"), "column-not-as-saved"),
        ([0.0, 0.0, 2.0, 2.0, 2.0, 5.0], "column-not-as-saved"),
        ([0, 0, 2, 2, 2, None], "column-not-as-saved"),
    ],
    ids=str,
)
def test_labels_are_first_rows_of_clusters(deduped: Path, values: list[Any], code: str) -> None:
    put(deduped, "clusters", "label", values)
    damaged(deduped, code)


@pytest.mark.parametrize(
    ("table", "column", "values"),
    [("clusters", "survivor", [0, 0, 2, 2, 2, 6]), ("kept_rows", "row", [0, 2, 6])],
)
def test_other_row_numbers_are_in_range_too(deduped: Path, table: str, column: str, values: list[int]) -> None:
    put(deduped, table, column, values)
    damaged(deduped, "row-outside", file=f"{table}.parquet", column=column, row=6, rows=6)


@pytest.mark.parametrize(("reference", "code"), [(7, "entry-not-as-saved"), (1, "row-outside")])
def test_the_reference_is_part_of_the_clusters(deduped: Path, reference: int, code: str) -> None:
    change(deduped, "facts", reference=reference)
    damaged(deduped, code)


@pytest.mark.parametrize(("table", "code"), [("kept", "table-of-other-length"), ("removed", "rows-lost")])
def test_kept_and_removed_rows_are_all_there(deduped: Path, table: str, code: str) -> None:
    path = deduped / f"{table}.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)
    damaged(deduped, code)


def test_a_column_that_is_missing_is_named(deduped: Path) -> None:
    pq.write_table(pa.table({"other": [0, 2, 5]}), deduped / "kept_rows.parquet")
    damaged(deduped, "column-missing", file="kept_rows.parquet", column="row")


@pytest.mark.parametrize("cut", [False, True], ids=["deleted", "truncated"])
def test_kept_rows_damaged_after_loading_are_noticed(deduped: Path, cut: bool) -> None:
    loaded = la.load(deduped)
    path, again = deduped / "kept.parquet", deduped.parent / "again"
    bytes = path.read_bytes()
    path.unlink()
    if cut:
        path.write_bytes(bytes[:-10])
    for use in (loaded.to_arrow, lambda: loaded.save(again)):
        with refused("damaged-result", path=str(deduped)) as caught:
            use()
        assert caught.value.values["reason"].code == ("table-unreadable" if cut else "table-missing")
    assert not again.exists()


def test_pages_damaged_in_the_middle_of_the_kept_rows_are_noticed(deduped: Path) -> None:
    path = deduped / "kept.parquet"
    bytes = bytearray(path.read_bytes())
    bytes[4:60] = b"\xff" * 56
    path.write_bytes(bytes)
    loaded = la.load(deduped)
    with refused("damaged-result", path=str(deduped)) as caught:
        _ = loaded.kept
    assert caught.value.values["reason"].code == "table-unreadable"


def test_removed_rows_must_have_similarities(deduped: Path) -> None:
    """The table was accepted, and showing the result raised a KeyError or a TypeError."""
    removed = pq.read_table(deduped / "removed.parquet")
    pq.write_table(removed.drop_columns(["similarity"]), deduped / "removed.parquet")
    damaged(deduped, "column-missing", column="similarity")
    for values in ([None] * 3, ["high"] * 3, [1, 1, 1]):
        pq.write_table(removed, deduped / "removed.parquet")
        put(deduped, "removed", "similarity", values)
        damaged(deduped, "column-not-as-saved", column="similarity")


@pytest.mark.parametrize(("table", "column"), [("matches", "score"), ("records", "nearest")])
def test_numbers_of_matched_records_must_be_there(tmp_path: Path, table: str, column: str) -> None:
    """Loading succeeded, and the result raised errors of Arrow."""
    records = [{"name": name, "town": town, "n": n} for n in "123" for name, town in (("anna", "bonn"), ("bob", "ulm"))]
    folder = la.resolve(records, method="points").save(tmp_path / "resolved")
    path = folder / f"{table}.parquet"
    pq.write_table(pq.read_table(path).drop_columns([column]), path)
    damaged(folder, "column-missing", column=column)


def test_metadata_that_is_not_utf8_does_not_matter_to_polars() -> None:
    """Polars ended with a panic."""
    pytest.importorskip("polars", reason=f"{MISSING}polars (pip install polars)")
    table = pa.table({"text": ["a b c", "a b c"]}).replace_schema_metadata({"from": b"\xff"})
    assert la.dedupe(table).to_polars().to_dict(as_series=False) == {"text": ["a b c"]}
