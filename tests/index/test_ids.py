"""Ids: what can be one, the largest and smallest ones, and those that the index assigns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.errors import InvalidOption
from lookalike.index.ids import as_ids
from tests.index.laws import PLAN
from tests.index.test_changes import refused
from tests.postgres_server import Server

LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (7, [7]), ("a", ["a"]), ("", [""]), ([], []), ({1: "x"}, [1]), (range(2), [0, 1]),
        (np.int64(7), [7]), (np.array(7), [7]), (np.array(["a", "b"]), ["a", "b"]), ([np.str_("a"), "b"], ["a", "b"]),
        (pa.scalar(7), [7]), (pa.chunked_array([[1], [2]]), [1, 2]), (pa.array([1], pa.uint64()), [1]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]), (pa.array([], pa.null()), []),
        (iter([-(2**63), LARGEST]), [-(2**63), LARGEST]),
    ],
)  # fmt: skip
def test_ids_can_be_given_in_many_ways(given: Any, expected: list[Any]) -> None:
    assert as_ids(given).to_pylist() == expected


@pytest.mark.parametrize(
    "given",
    [
        None, 1.5, True, b"x", [None], [1.0], [[1]], 2**63, [-(2**63) - 1], np.float64(1), np.array([1.0]),
        pa.scalar(None), pa.array([0, None]), pa.array([1.0]), pa.array([True]), pa.array([b"x"]),
        pa.array([2**63], pa.uint64()),
    ],
)  # fmt: skip
def test_what_cannot_be_an_id_is_one_sentence(given: Any) -> None:
    """Some of these were errors of Arrow or Python; the bytes were read as numbers, and floats in Arrow as strings."""
    refused("not-an-id", InvalidOption, lambda: as_ids(given))


def test_ids_of_two_types_and_lone_surrogates_are_refused() -> None:
    refused("ids-of-two-types", InvalidOption, lambda: as_ids(["a", 1]))
    refused("ids-of-two-types", InvalidOption, lambda: as_ids([1, "a"]))
    refused("surrogate-in-id", InvalidOption, lambda: as_ids(["a", "\ud800"]))


@pytest.mark.parametrize("documents", [1, 300])
@pytest.mark.parametrize("backend", ["embedded", "postgres"])
def test_the_largest_integer_can_be_an_id(
    tmp_path: Path, request: pytest.FixtureRequest, backend: str, documents: int
) -> None:
    """The next id to assign was one more, which SQLite could not store. PostgreSQL failed at the next large add."""
    path = str(tmp_path / "x.index")
    if backend == "postgres":
        server: Server = request.getfixturevalue("postgres_server")
        path = server.address()
    with la.Index.create(path, **PLAN) as ix:
        ids = [LARGEST, -(2**63), *range(2, documents)][: max(2, documents)]
        ix.add({"id": ids, "text": [f"text {id} {id}" for id in ids]}, id="id")
        assert ix.query(f"text {LARGEST} {LARGEST}").top() == [(0, LARGEST, 1.0)]
        many = [f"another text {n}" for n in range(documents)]
        for _ in range(2):
            refused("no-more-ids", InvalidOption, lambda: ix.add(many))
        refused("no-more-ids", InvalidOption, lambda: ix.add_if_new("one two three four"))
        ix.add({"id": range(1000, 1000 + documents), "text": many}, id="id")
        assert ix.add({"id": [LARGEST], "text": ["new"]}, id="id").replaced == 1
        assert len(ix) == len(ids) + documents
        ix.verify()


def test_the_integers_before_the_largest_are_assigned(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add({"id": [LARGEST - 3], "text": ["one two three"]}, id="id")
        assert ix.add(["four five", "six seven"]).ids.to_pylist() == [LARGEST - 2, LARGEST - 1]
        refused("no-more-ids", InvalidOption, lambda: ix.add(["eight nine"]))


def test_short_signatures_fit_in_a_page(tmp_path: Path) -> None:
    """With more than 4,040 hashes, the first add of many documents ended with an error of Python."""
    path = tmp_path / "x.index"
    refused("not-in-whole-range", InvalidOption, lambda: la.Index.create(path, **PLAN, texts=False, hashes=4041))
    with la.Index.create(path, **PLAN, texts=False, hashes=4040) as ix:
        ix.add([f"a text with the number {n}" for n in range(300)])
        ix.verify()
        assert ix.query("a text with the number 7").top(1) == [(0, 7, 1.0)]
