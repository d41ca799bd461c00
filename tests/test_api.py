"""The verbs: invalid options, and inputs that change during a run."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.api import compare, dedupe, find_clusters, find_pairs
from tests.refusals import refused

TEXT = "the cat sat on the mat today and slept"
OTHER = "quite another story of dogs that bark"
LIKE: dict[str, Any] = {"threshold": 0.8, "shingles": "words:2"}


def jsonl(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return path


def editing(stage: str, edit: Callable[[], object]) -> Callable[[str, int, int | None], None]:
    """A progress callback that edits the input once, when a stage begins."""
    left = [edit]

    def progress(now: str, done: int, total: int | None) -> None:
        if now == stage and left:
            left.pop()()

    return progress


@pytest.mark.parametrize("stage", ["sign", "keep"])
@pytest.mark.parametrize("name", ["kept.jsonl", "kept"])
def test_an_input_edited_during_the_run_is_refused_and_nothing_is_written(
    tmp_path: Path, stage: str, name: str
) -> None:
    data = jsonl(tmp_path / "a.jsonl", [TEXT, TEXT, OTHER])
    stages: list[str] = []
    find_clusters(data, progress=lambda now, *_: stages.append(now), **LIKE)
    assert stages[-1] == "keep"
    progress = editing(stages[0] if stage == "sign" else stage, lambda: jsonl(data, [TEXT, OTHER, "x" + OTHER]))
    with refused("input-changed", name=str(data)):
        dedupe(data, out=tmp_path / name, progress=progress, **LIKE)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("verb", [find_pairs, find_clusters])
def test_pairs_and_clusters_of_an_edited_input_are_not_returned(tmp_path: Path, verb: Callable[..., Any]) -> None:
    data = jsonl(tmp_path / "a.jsonl", [TEXT, TEXT, OTHER])
    edits = [1]

    def progress(*_: object) -> None:
        if edits:
            edits.pop()
            jsonl(data, [TEXT, OTHER, "x" + OTHER])

    with refused("input-changed"):
        verb(data, progress=progress, **LIKE)


def test_parquet_replaced_by_garbage_is_an_error_of_the_input(tmp_path: Path) -> None:
    data = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": [TEXT, TEXT, OTHER]}), data)
    progress = editing("keep", lambda: data.write_bytes(b"garbage"))
    with refused("input-changed", name=str(data)):
        dedupe(data, out=tmp_path / "k.parquet", progress=progress, **LIKE)
    assert not (tmp_path / "k.parquet").exists()


def test_kept_rows_are_not_read_from_an_input_edited_since(tmp_path: Path) -> None:
    data = jsonl(tmp_path / "a.jsonl", [TEXT, TEXT, OTHER])
    result = dedupe(data, **LIKE)
    assert result.kept["text"].to_pylist() == [TEXT, OTHER]
    jsonl(data, [OTHER, TEXT])
    with refused("input-changed"):
        _ = result.kept


def test_an_input_left_alone_is_written_as_before(tmp_path: Path) -> None:
    data = jsonl(tmp_path / "a.jsonl", [TEXT, TEXT, OTHER])
    dedupe(data, out=tmp_path / "k.jsonl", **LIKE)
    assert (tmp_path / "k.jsonl").read_text(encoding="utf-8").count("\n") == 2


def test_best_compares_the_numbers_of_a_csv_file_as_numbers(tmp_path: Path) -> None:
    data = tmp_path / "a.csv"
    data.write_text(f"text,score\n{TEXT},9\n{TEXT},10\n{TEXT},\n", encoding="utf-8")
    assert dedupe(data, keep="best:score", **LIKE).kept_rows.tolist() == [1]


def test_best_of_a_column_of_nulls_keeps_the_first() -> None:
    rows = [{"text": TEXT, "q": None}, {"text": TEXT, "q": None}]
    assert dedupe(rows, keep="best:q", **LIKE).kept_rows.tolist() == [0]


def test_a_wrong_best_column_is_told_about_keep() -> None:
    with refused("no-column-to-keep-by", column="q", columns=("text",)):
        dedupe([TEXT], keep="best:q")


def test_the_kept_rows_of_an_empty_corpus_have_its_columns(tmp_path: Path) -> None:
    assert dedupe([]).kept.column_names == ["text"]
    table = pa.table({"text": pa.array([], pa.string()), "n": pa.array([], pa.int32())})
    pq.write_table(table, tmp_path / "a.parquet")
    for data in (table, tmp_path / "a.parquet"):
        kept = dedupe(data).kept
        assert (kept.column_names, kept.schema.field("n").type) == (["text", "n"], pa.int32())
    (tmp_path / "a.csv").write_text("text,n\n", encoding="utf-8")
    assert dedupe(tmp_path / "a.csv").kept.column_names == ["text", "n"]
    (tmp_path / "a.jsonl").write_text("", encoding="utf-8")
    assert dedupe(tmp_path / "a.jsonl").kept.column_names == ["text"]


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [
        ("bag", "no", "not-true-or-false"),
        ("transpose", "yes", "not-true-or-false"),
        ("batch_rows", "x", "not-a-whole-number"),
        ("engine", 5, "not-an-engine"),
        ("plan", 5, "not-a-plan"),
        ("work", 5, "not-a-path"),
        ("column", 5, "not-a-column-name"),
        ("id", 5, "not-a-column-name"),
        ("out", 5, "not-a-path"),
    ],
)
def test_options_of_the_wrong_type_are_refused_by_name(option: str, value: Any, code: str) -> None:
    with refused(code) as caught:
        dedupe([TEXT], **{option: value})
    assert caught.value.values.get("option", option) == option


def test_only_texts_and_lists_of_tokens_are_compared() -> None:
    with refused("not-a-text", type="int"):
        compare(1, 2)


def test_dedupe_writes_kept_and_removed_together(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one two three"}\n{"text": "ONE two three"}\n')
    dedupe(tmp_path / "a.jsonl", out=tmp_path / "u.jsonl", removed=tmp_path / "r.jsonl")
    assert (tmp_path / "u.jsonl").read_text() == '{"text": "one two three"}\n'
    assert (
        tmp_path / "r.jsonl"
    ).read_text() == '{"id": 1, "kept": 0, "similarity": 1.0, "how": "same words", "lost": 0, "cluster": 0}\n'
    for _ in range(2):  # also into the folder of the kept rows, and again
        dedupe(tmp_path / "a.jsonl", out=tmp_path / "clean", removed=tmp_path / "clean/gone/r.jsonl", force=True)
        assert (tmp_path / "clean/gone/r.jsonl").read_text() == (tmp_path / "r.jsonl").read_text()
        assert (tmp_path / "clean/a.jsonl").read_text() == (tmp_path / "u.jsonl").read_text()


def test_no_output_takes_the_place_of_what_is_read(tmp_path: Path) -> None:
    for name in ("new", "old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.jsonl").write_text('{"text": "the cat sat on the mat"}\n', encoding="utf-8")
    new, old, kept = (str(tmp_path / name) for name in ("new", "old", "kept.jsonl"))
    for out, removed, against in ((old, None, old), (kept, f"{new}/a.jsonl", None), (kept, f"{old}/a.jsonl", old)):
        with refused("output-is-input"):
            dedupe(new, out=out, removed=removed, against=against, force=True)
    with refused("outputs-collide", first="out", second="removed", path=kept):
        dedupe(new, out=kept, removed=kept, force=True)
    assert [path.read_text() for path in tmp_path.rglob("*.jsonl")] == ['{"text": "the cat sat on the mat"}\n'] * 2


def test_a_dry_run_leaves_the_parts_of_an_interrupted_run_alone(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the cat sat on the mat"}\n' * 3, encoding="utf-8")
    work = la.Work(tmp_path / "work")
    with contextlib.suppress(KeyboardInterrupt), work:
        la.find_pairs(tmp_path / "a.jsonl", work=work)
        raise KeyboardInterrupt
    before = sorted(path.name for path in (tmp_path / "work").iterdir())
    assert before
    la.forecast(tmp_path / "a.jsonl", work=tmp_path / "work", resume=True)
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == before


@pytest.mark.parametrize("other", ["lines", "list", "series", "iterator"])
def test_columns_of_the_first_input_are_not_demanded_of_data_without_columns(tmp_path: Path, other: str) -> None:
    rows = [{"key": 7, "body": "storm in the night"}, {"key": 8, "body": "quiet"}]
    texts = ["calm", "storm in the night"]
    (tmp_path / "lines.txt").write_text("\n".join(texts))

    def second() -> Any:
        made = {"list": texts, "series": polars.Series("x", texts), "iterator": iter(texts)}
        return made.get(other, tmp_path / "lines.txt")

    how: dict[str, Any] = {"column": "body", "id": "key", "shingles": "chars:5"}

    def own(prefix: str) -> dict[str, Any]:
        return {f"{prefix}_format": "lines"} if other == "lines" else {}

    assert la.join(rows, second(), **how, **own("right")).top() == [(7, 1, 1.0)]
    assert la.dedupe(rows, against=second(), **how, **own("against")).kept["key"].to_pylist() == [8]
    assert la.contamination(rows, second(), **how, **own("test")).table["train"].to_pylist() == [7]
    with refused("no-such-column", column="name"):
        la.join(rows, second(), **how, **own("right"), right_id="name")
