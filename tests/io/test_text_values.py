"""Values for JSON and CSV: any date and any time zone can be written, at any depth, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lookalike as la
from lookalike.io.text_values import text_values

UNITS = ("s", "ms", "us", "ns")
NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-(2**40), 2**40)


@given(st.lists(st.none() | NUMBERS), st.sampled_from(UNITS), st.sampled_from([None, "UTC", "Nowhere/Zone"]))
@example([2**63 - 1, -(2**63) + 1], "ns", "UTC")
@example([None], "s", "Nowhere/Zone")
def test_the_text_of_any_time_says_which_it_is(numbers: list[int | None], unit: str, zone: str | None) -> None:
    """Law: parsing the text gives the same number of units since 1970, in UTC where there is a zone."""
    suffix = {None: "", "UTC": "Z", "Nowhere/Zone": "Z[Nowhere/Zone]"}[zone]
    for number, text in zip(numbers, text_values(times(numbers, unit, zone)), strict=True):
        if number is None:
            assert text is None
        else:
            assert text.endswith(suffix)
            assert np.array(text.removesuffix(suffix), f"datetime64[{unit}]").astype(np.int64) == number


@given(st.lists(st.none() | st.integers(-(2**31), 2**31 - 1)))
def test_the_text_of_any_date_says_which_it_is(days: list[int | None]) -> None:
    texts = text_values(pa.array(days, pa.int32()).view(pa.date32()))
    assert [None if text is None else int(np.datetime64(text, "D").astype(np.int64)) for text in texts] == days


def times(numbers: list[int | None], unit: str, zone: str | None = None) -> pa.Array:
    return pa.array(numbers, pa.int64()).view(pa.timestamp(unit, zone))


SHAPES = ["list", "large_list", "fixed", "list_view", "struct", "map", "dictionary"]


def nested(array: pa.Array, shape: str) -> tuple[pa.Array, Any]:
    """An array of containers of two values each, the second container missing; and the text of its values."""
    texts = text_values(array)
    some, rest = texts[:2], texts[4:6]
    missing = pa.array([False, True, False])
    if shape == "struct":
        fields = [array[0::2], array[1::2]]
        made = pa.StructArray.from_arrays(fields, ["a", "b"], mask=missing)
        return made, [dict(zip("ab", some, strict=True)), None, dict(zip("ab", rest, strict=True))]
    if shape == "map":
        maps = pa.MapArray.from_arrays([0, 2, 4, 6], pa.array(list("abcdef")), array)
        return maps, [list(zip(keys, texts[i : i + 2], strict=True)) for i, keys in ((0, "ab"), (2, "cd"), (4, "ef"))]
    if shape == "dictionary":
        return array.dictionary_encode(), texts
    if shape == "fixed":
        return pa.FixedSizeListArray.from_arrays(array, 2, mask=missing), [some, None, rest]
    if shape == "list_view":
        starts, sizes = pa.array([0, 2, 4], pa.int32()), pa.array([2, 2, 2], pa.int32())
        return pa.ListViewArray.from_arrays(starts, sizes, array, mask=missing), [some, None, rest]
    made = {"list": pa.ListArray, "large_list": pa.LargeListArray}[shape]
    return made.from_arrays([0, 2, 4, 6], array, mask=missing), [some, None, rest]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("zone", [None, "Nowhere/Zone", "Europe/Berlin"])
def test_nested_times_have_the_text_of_other_times(shape: str, zone: str | None) -> None:
    array, expected = nested(times([1, 2**62, None, -1, -(2**62), 0], "us", zone), shape)
    assert text_values(array) == expected
    assert text_values(array.slice(1)) == expected[1:]
    twice = pa.ListArray.from_arrays([0, 1, len(array)], array)
    assert text_values(twice) == [expected[:1], expected[1:]]


def test_other_values_beside_times_stay_as_they_are() -> None:
    rows = [{"when": None, "n": 1, "texts": ["a", None], "flag": True}, None, {"when": None, "n": None, "texts": None}]
    kind = pa.struct({"when": pa.time64("us"), "n": pa.int64(), "texts": pa.list_(pa.string()), "flag": pa.bool_()})
    assert text_values(pa.array(rows, kind)) == pa.array(rows, kind).to_pylist()
    assert text_values(pa.array([[5], None], pa.list_(pa.duration("s")))) == [["5"], None]


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_odd_times_of_parquet_are_kept_in_text_formats(tmp_path: Path, format: str) -> None:
    """Inside lists, such times once ended the run with an unexpected error after all the work."""
    far, unknown = times([2**60, 2**60], "us"), times([0, 0], "ms", "Nowhere/Zone")
    table = pa.table(
        {
            "text": ["the cat sat on the mat", "a dog barked at the moon"],
            "far": pa.ListArray.from_arrays([0, 1, 2], far),
            "zone": pa.StructArray.from_arrays([unknown], ["t"]),
            "long": pa.array([[2**60], [1]], pa.list_(pa.duration("us"))),
            "top": far,
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    result = la.dedupe(tmp_path / "in.parquet", out=tmp_path / f"out.{format}")
    assert result.to_dict()["kept"][0]["far"] == ["38504-08-17 21:30:06.846976"]
    first = (tmp_path / f"out.{format}").read_text().splitlines()[0 if format == "jsonl" else 1]
    if format == "jsonl":
        row = json.loads(first)
        assert row["far"] == [row["top"]] == ["38504-08-17 21:30:06.846976"]
        assert (row["zone"], row["long"]) == ({"t": "1970-01-01 00:00:00.000Z[Nowhere/Zone]"}, [str(2**60)])
    else:
        assert '"[""38504-08-17 21:30:06.846976""]","{""t"": ""1970-01-01 00:00:00.000Z[Nowhere/Zone]""}"' in first
