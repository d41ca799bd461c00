"""Lists of survivor rules: how they are written, what they prefer, and how many removed rows each of them decided."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.io.open import open_source
from lookalike.results.ranking import Ranking
from lookalike.results.rule_keys import check_rules, keys_of
from lookalike.results.rule_parsing import parse_rules
from lookalike.results.survivors import Keep, Rule
from tests.refusals import refused

FOX = "the quick brown fox jumps over the lazy dog near the river bank on a sunny day"
OPTIONS: dict[str, Any] = {"threshold": 0.5, "shingles": "words:2"}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("longest", [Rule("longest")]),
        (" source:clean/* , longest", [Rule("source", "clean/*"), Rule("longest")]),
        ("best:a:b,least:c", [Rule("best", "a:b"), Rule("least", "c")]),
        ("where:a=b=c", [Rule("where", "a", "=", "b=c")]),
        ("where:a!=b", [Rule("where", "a", "!=", "b")]),
        ("where:a>=1,where:a<=2", [Rule("where", "a", ">=", "1"), Rule("where", "a", "<=", "2")]),
        ("where:a=", [Rule("where", "a", "=", "")]),
        ('where:a="x, y",last', [Rule("where", "a", "=", "x, y"), Rule("last")]),
        ('"where:a=x ""y"", z"', [Rule("where", "a", "=", 'x "y", z')]),
        ("longest,longest", [Rule("longest")]),
        ("longest,first", [Rule("longest")]),
        (["where:a=x, y", "best:b,c"], [Rule("where", "a", "=", "x, y"), Rule("best", "b,c")]),
        (("first",), [Rule("first")]),
    ],
)
def test_rules_are_parsed(text: Any, rules: list[Rule]) -> None:
    assert list(Keep.parse(text).rules) == rules
    assert Keep.parse([str(rule) for rule in rules]).rules == tuple(rules)
    assert Keep.parse(Keep(tuple(rules))).rules == tuple(rules)


@pytest.mark.parametrize(
    "text", ["", "best", "best:", "middle", "longest:x", "source:", "longest,", [], [3], 3, ["", "last"]]
)
def test_unknown_rules_are_refused(text: Any) -> None:
    with refused("not-one-of", option="keep"):
        Keep.parse(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("where:a", "where-without-condition"),
        ("where:=a", "where-without-condition"),
        ("where:", "where-without-condition"),
        ('where:a="x', "rule-with-open-quotation"),
        ("first,longest", "rule-never-used"),
        ("longest,last,best:a", "rule-never-used"),
    ],
)
def test_rules_that_make_no_sense_are_refused(text: str, code: str) -> None:
    with refused(code, option="keep"):
        Keep.parse(text)


def matching(condition: str, values: pa.Array) -> list[int]:
    source, rules = (
        open_source(pa.table({"text": ["x"] * len(values), "c": values})),
        parse_rules([f"where:c{condition}"]),
    )
    check_rules(rules, source)
    (key,) = keys_of(rules, source, np.zeros(len(values), np.int64))
    return np.flatnonzero(~key).tolist()


DAY = datetime.date(2024, 2, 3)
NOON = datetime.datetime(2024, 2, 3, 12, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        ("=en", pa.array(["en", "EN", None, " en", "en"]), [0, 4]),
        ("!=en", pa.array(["en", "EN", None, " en"]), [1, 2, 3]),
        ("=", pa.array(["en", "", None]), [1, 2]),
        ("!=", pa.array(["en", "", None]), [0]),
        ("=en", pa.array(["en", "de", None]).dictionary_encode(), [0]),
        ("=en", pa.array(["en", "de"], pa.string_view()), [0]),
        (">=9", pa.array(["9", "10", "8.99", "+9e0", " 11 ", "x", "", None]), [0, 1, 3, 4]),
        ("<=2024-05", pa.array(["2024-01-01", "2024-06-01", None]), [0]),
        ("=3", pa.array([3, 4, None]), [0]),
        ("=3.0", pa.array([3, 4, None]), [0]),
        (">=2.5", pa.array([2, 3, None], pa.uint8()), [1]),
        (">=-1", pa.array([2, 3, None], pa.uint8()), [0, 1]),
        ("=0.1", pa.array([0.1, 0.5], pa.float32()), [0]),
        ("=0.1", pa.array([0.1, 0.5, float("nan")]), [0]),
        ("=", pa.array([0.1, None, float("nan")]), [1, 2]),
        ("!=", pa.array([0.1, None, float("nan")], pa.float32()), [0]),
        ("=TRUE", pa.array([True, False, None]), [0]),
        ("!=true", pa.array([True, False, None]), [1, 2]),
        ("=1.50", pa.array([Decimal("1.50"), Decimal("2.00")]), [0]),
        (">=2024-02-03", pa.array([DAY, DAY - datetime.timedelta(1)]), [0]),
        (">=2024-02-03T12:00", pa.array([NOON, NOON - datetime.timedelta(1)]), [0]),
        ("=x", pa.nulls(2), []),
        ("!=x", pa.nulls(2), [0, 1]),
        ("=", pa.array([[1], None]), [1]),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_conditions_match_values_of_any_type(condition: str, values: pa.Array, expected: list[int]) -> None:
    assert matching(condition, values) == expected


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("=x", pa.array([1])),
        ("=yes", pa.array([True])),
        ("=x", pa.array([[1]])),
        (">=soon", pa.array([DAY])),
        ("=1", pa.array([b"1"])),
    ],
)
def test_values_that_cannot_be_compared_are_refused_before_the_run(condition: str, values: pa.Array) -> None:
    with refused("where-of-another-type", option="keep", column="c"):
        matching(condition, values)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([None, "en", "de"])), max_size=12),
    st.permutations(["longest", "best:score", "least:score", "where:lang=en", "where:score>=1"]),
    st.integers(0, 5),
    st.sampled_from(["first", "last"]),
)
def test_each_rule_breaks_the_ties_of_the_rules_before_it(
    rows: list[tuple[int, int, str | None]], rules: list[str], many: int, last: str
) -> None:
    """The order is that of a sort by tuples."""

    def key(row: int) -> tuple[Any, ...]:
        length, score, lang = rows[row]
        keys = {"longest": -length, "best:score": -score, "least:score": score, "where:lang=en": lang != "en"}
        keys |= {"where:score>=1": score < 1, "first": row, "last": -row}
        return (*(keys[rule] for rule in [*rules[:many], last]), row)

    chosen = Keep.parse([*rules[:many], last]).rules
    columns = {
        "score": pa.array([s for _, s, _ in rows], pa.int64()),
        "lang": pa.array([x for *_, x in rows], pa.string()),
    }
    source = open_source(pa.table({"text": pa.array(["x"] * len(rows), pa.string())} | columns))
    keys = keys_of(chosen, source, np.array([length for length, *_ in rows], np.int64))
    ranking = Ranking(dict(zip(map(str, chosen), keys, strict=True)), len(rows))
    assert ranking.order().tolist() == sorted(range(len(rows)), key=key)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        lines = [[*rows[0]], *([str(value) for value in row.values()] for row in rows)]
        path.write_text("".join(",".join(line) + "\n" for line in lines))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=1)


@pytest.fixture(params=[".jsonl", ".csv", ".parquet"])
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Rows 0 and 1 are in b/clean, rows 2 to 4 in raw, row 5 in spare. All but row 1 are similar."""
    texts = [FOX + " again", "nothing like the others here", FOX, FOX + " and more", FOX, FOX + " again"]
    rows = [{"id": f"d{i}", "text": text, "score": i % 3} for i, text in enumerate(texts)]
    monkeypatch.chdir(tmp_path)
    suffix: str = request.param
    write(tmp_path / f"in/b/clean/x{suffix}", rows[:2])
    write(tmp_path / f"in/raw/y{suffix}", rows[2:5])
    write(tmp_path / f"in/spare/z{suffix}", rows[5:])
    return f"in/**/*{suffix}"


@pytest.mark.parametrize(
    ("keep", "kept", "counts"),
    [
        ("source:in/raw/*", "d2", {"source:in/raw/*": 2, "input order": 2}),
        ("source:raw", "d2", {"source:raw": 2, "input order": 2}),
        ("source:./in/raw/", "d2", {"source:./in/raw/": 2, "input order": 2}),
        ("source:y.*,longest", "d3", {"source:y.*": 2, "longest": 2, "input order": 0}),
        (
            "source:z.*,source:*/raw/*,longest",
            "d5",
            {"source:z.*": 4, "source:*/raw/*": 0, "longest": 0, "input order": 0},
        ),
        (
            "source:*/raw/*,best:score,shortest",
            "d2",
            {"source:*/raw/*": 2, "best:score": 2, "shortest": 0, "input order": 0},
        ),
        ("where:score=2,source:spare", "d5", {"where:score=2": 3, "source:spare": 1, "input order": 0}),
        ("least:score,last", "d3", {"least:score": 3, "last": 1, "input order": 0}),
    ],
)
def test_rules_prefer_files_and_values(folder: str, keep: str, kept: str, counts: dict[str, int]) -> None:
    for linkage in ("connected", "star"):
        result = la.dedupe(folder, id="id", keep=keep, linkage=linkage, **OPTIONS)
        assert set(result.kept["id"].to_pylist()) == {kept, "d1"}
        assert result.summary.kept_by == counts and sum(counts.values()) == result.removed.num_rows
        assert not result.warnings


def test_files_of_a_folder_of_texts_and_of_a_tokenizer(tmp_path: Path) -> None:
    for name, text in {"a/1.txt": FOX, "b/2.txt": FOX, "b/3.txt": "another text", "c/4.txt": FOX}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for more in ({}, {"tokenizer": str.split, "shingles": "tokens"}):
        result = la.dedupe(tmp_path, keep="source:b/*", **(OPTIONS | more))
        assert result.kept["path"].to_pylist() == ["b/2.txt", "b/3.txt"]
    (tmp_path / "a/0.txt").write_bytes(b"\xff\xfe\xff")
    skipping = la.dedupe(tmp_path, keep="source:b/*", on_error="skip", **OPTIONS)
    assert skipping.kept["path"].to_pylist() == ["b/2.txt", "b/3.txt"]


def test_the_reference_comes_before_all_rules(folder: str) -> None:
    against = [{"id": "old", "text": FOX}]
    result = la.dedupe(folder, id="id", keep=["source:raw", "where:score=0"], against=against, **OPTIONS)
    assert result.kept["id"].to_pylist() == ["d1"]
    assert result.summary.kept_by == {"reference": 5, "source:raw": 0, "where:score=0": 0, "input order": 0}
    plain = la.dedupe(folder, id="id", against=against, **OPTIONS)
    assert plain.summary.kept_by == {} and plain.removed.equals(result.removed)


def test_what_cannot_be_is_refused_before_the_run(folder: str) -> None:
    with refused("glob-without-files", option="keep", glob="clean"):
        la.dedupe(folder, keep=["longest", "source:clean"])
    with refused("rows-without-files", option="keep", glob="clean/*", name="the list given"):
        la.dedupe([FOX], keep="source:clean/*")
    with refused("no-column-to-keep-by", option="keep", rule="where:lang=en", column="lang"):
        la.find_clusters(folder, keep="longest,where:lang=en")


def test_a_condition_without_rows_is_a_warning(folder: str) -> None:
    result = la.dedupe(folder, id="id", keep="where:id=d9,longest", **OPTIONS)
    assert [(warning.code, warning.values["rule"]) for warning in result.warnings] == [
        ("rule-without-rows", "where:id=d9")
    ]
    assert result.summary.kept_by["where:id=d9"] == 0
