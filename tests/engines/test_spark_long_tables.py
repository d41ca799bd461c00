"""Long tables on Spark: the same answers as on one machine, from partial signatures that are merged by minimum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.spark.long_tables import merged_signatures
from lookalike.flow import Shingles
from lookalike.kernel import Cpu
from lookalike.planning.resolve import Statistics
from tests.engines.spark_answers import LONG, digest, purchases, rows_of
from tests.refusals import refused

PLAN = la.Plan(hashes=16, bands=4, rows=4).resolve(Statistics(documents=1, tokens=True))


@given(
    st.lists(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 60), max_size=40)), max_size=4), max_size=5),
    st.sampled_from(["fast", "classic"]),
)
def test_parts_of_sets_give_the_signatures_of_whole_sets(parts: list[list[tuple[bool, set[int]]]], sketch: Any) -> None:
    """Some parts are signed, and others are lists of elements; an element may be in several parts."""
    kernel, resolved = Cpu(), replace(PLAN, plan=replace(PLAN.plan, sketch=sketch))

    def sign(some: set[int]) -> list[int]:
        values = np.array(sorted(some), np.uint64)
        sets = Shingles(np.array([0, len(values)]), values)
        return list(kernel.sign(sets, sketch=sketch, hashes=16, seed=resolved.plan.seed)[0].tolist())

    listed = [(number, signed, some) for number, of_set in enumerate(parts) for signed, some in of_set]
    values = pa.array(
        [sign(some) if signed else sorted(some) for _, signed, some in listed], pa.large_list(pa.uint64())
    )
    numbers = np.array([number for number, _, _ in listed], np.int64)
    signed = np.array([signed for _, signed, _ in listed], bool)
    found = merged_signatures(kernel, resolved, numbers, signed, values, len(parts))
    assert found.tolist() == [sign(set().union(*(some for _, some in of_set))) for of_set in parts]


@pytest.mark.spark
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("hashes", [4, 64])
def test_signatures_are_those_of_the_sets(
    spark_session: Any, monkeypatch: pytest.MonkeyPatch, transpose: bool, hashes: int
) -> None:
    """With 4 hashes, nearly all partial sets are sent as signatures; with 64, as lists."""
    from lookalike.engines import spark as las

    table = purchases()
    asked: dict[str, Any] = {"column": "item", "basket": "customer", "transpose": transpose}
    df = spark_session.createDataFrame(table).repartition(5)
    found = las.signatures(df, plan=la.Plan(hashes=hashes, bands=1, rows=1), **asked)
    assert found.columns == ["item" if transpose else "customer", "signature"]
    there = {row[0]: np.array(row[1]).view(np.uint64).tolist() for row in found.collect()}
    here = la.signatures(table, hashes=hashes, **asked)
    assert there == dict(zip(here["id"].to_pylist(), here["signature"].to_pylist(), strict=True))


@pytest.mark.spark
def test_every_function_takes_long_tables(spark_session: Any) -> None:
    from lookalike.engines import spark as las

    table = purchases()
    df = spark_session.createDataFrame(table).repartition(3)
    local = la.find_pairs(table, **LONG)
    assert len(local) > 20
    pairs = las.pairs(df, **LONG).collect()
    assert digest(pairs) == digest(rows_of(local.to_arrow(), "left", "right", "similarity"))
    assert las.candidates(df, **LONG).count() == local.summary.candidates
    clusters = las.clusters(df, **LONG).select("id", "size", "representative").collect()
    assert len(clusters) == len(set(table["customer"].to_pylist()))
    here, there = la.dedupe(table, keep="longest", **LONG), las.dedupe(df, keep="longest", **LONG)
    removed = there.removed.select("id", "kept", "similarity").collect()
    assert digest(removed) == digest(rows_of(here.removed, "id", "kept", "similarity")) and len(removed)
    assert there.kept.schema == df.schema
    gone = set(here.removed["id"].to_pylist())
    kept = [repr(row) for row in rows_of(table, "customer", "item") if row[0] not in gone]  # some items are missing
    assert sorted(repr(tuple(row)) for row in there.kept.collect()) == sorted(kept)


@pytest.mark.spark
def test_lists_are_transposed(spark_session: Any) -> None:
    from lookalike.engines import spark as las

    table = pa.table({"who": ["a", "b", "c"], "items": [["x", "y"], ["x", "y", "z"], ["z", None]]})
    df = spark_session.createDataFrame(table)
    asked: dict[str, Any] = {"column": "items", "id": "who", "transpose": True}
    found = las.pairs(df, plan=la.Plan(threshold=0.9), **asked)
    assert (
        [tuple(row) for row in found.collect()] == la.find_pairs(table, threshold=0.9, **asked).top() == [("x", "y", 1)]
    )


@pytest.mark.spark
def test_what_cannot_be_a_long_table_is_refused(spark_session: Any) -> None:
    from lookalike.engines import spark as las

    df = spark_session.createDataFrame(pa.table({"id": [1], "item": ["a"], "price": [0.5]}))
    with refused("items-of-another-type", column="price", type="double"):
        las.pairs(df, column="item", basket="price")
    with refused("basket-and-id"):
        las.pairs(df, column="item", basket="id", id="id")
    with refused("rows-without-order", shingles="tokens:2"):
        las.pairs(df, column="item", basket="id", plan=la.Plan(shingles="tokens:2"))
    with refused("frames-need-ids"):
        las.pairs(df, column="item")
    with refused("transposed-lists-need-ids"):
        las.clusters(df, column="item", transpose=True)
    with refused("signatures-of-partial-sets", shingles="tokens:1"):
        las.signatures(df, column="item", basket="id", plan=la.Plan(shingles=la.Tokens(1, bag=True)))
