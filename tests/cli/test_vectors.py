"""lookalike pairs and lookalike nearest on vectors: what they write and what they refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def files(lookalike: Run, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((60, 8)).astype(np.float32)
    x[30:] = x[:30] * 2 + np.float32(0.01)
    np.save(tmp_path / "v.npy", x)
    np.save(tmp_path / "q.npy", x[:3] * 5)
    np.save(tmp_path / "bits.npy", np.packbits(x > 0, axis=1))
    lists = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 8)
    pq.write_table(pa.table({"id": [f"r{i}" for i in range(60)], "v": lists}), tmp_path / "v.parquet")


def test_near_vectors_are_paired(lookalike: Run) -> None:
    ran = lookalike("pairs", "v.npy", "--measure", "cosine", "--threshold", "0.99")
    assert ran.code == 0
    assert [(row["left"], row["right"]) for row in ran.rows] == [(i, i + 30) for i in range(30)]
    assert "vectors          60 from v.npy" in ran.err and "pairs            30 by cosine of 0.99 or more" in ran.err
    assert "how              " in ran.err and "on one core" in ran.err


def test_a_table_of_pairs_carries_ids_distances_and_the_question(lookalike: Run) -> None:
    asked = ("--measure", "euclidean", "--distance", "4", "--id", "id", "--recall", "1")
    assert lookalike("pairs", "v.parquet", *asked, "--out", "near.parquet").code == 0
    near = pq.read_table("near.parquet")
    assert near.column_names == ["left", "right", "distance"] and near["left"][0].as_py().startswith("r")
    rules = near.schema.metadata[b"lookalike.join"].decode()
    assert rules == 'measure = "euclidean"\ndistance = 4.0\nrecall = 1.0\nmethod = "exact"\n'
    assert near.equals(
        la.find_pairs(Path("v.parquet"), measure="euclidean", distance=4, id="id", recall=1.0).to_arrow()
    )


@pytest.mark.parametrize(
    "asked", [("--measure", "hamming", "--distance", "1"), ("--measure", "jaccard", "--threshold", ".9")]
)
def test_packed_bits_are_paired(lookalike: Run, asked: tuple[str, ...]) -> None:
    rows = lookalike("pairs", "bits.npy", *asked, "-q").rows
    assert {(i, i + 30) for i in range(30)} & {(row["left"], row["right"]) for row in rows}


def test_the_nearest_of_each_query_come_first(lookalike: Run) -> None:
    ran = lookalike("nearest", "v.npy", "q.npy", "--top", "2")
    assert [row["left"] for row in ran.rows] == [0, 0, 1, 1, 2, 2]
    assert [row["right"] for row in ran.rows][::2] == [0, 1, 2]
    assert "left             3 from q.npy" in ran.err and "right            60 from v.npy" in ran.err
    assert "pairs            6 by cosine, the 2 nearest of each" in ran.err
    named = lookalike("nearest", "v.parquet", "q.npy", "--id", "id", "--top", "1", "-q")
    assert [(row["left"], row["right"]) for row in named.rows] == [(0, "r0"), (1, "r1"), (2, "r2")]
    assert len(lookalike("nearest", "v.parquet", "--top", "3", "--measure", "euclidean", "-q").rows) == 180


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        (("pairs", "v.npy"), 2, "vectors-without-measure", {}),
        (
            ("pairs", "v.npy", "--measure", "cosine", "--threshold", ".9", "--engine", "spark"),
            2,
            "not-for-vectors",
            {"option": "engine"},
        ),
        (
            ("pairs", "v.npy", "--measure", "cosine", "--threshold", ".9", "--on-error", "skip"),
            2,
            "not-for-vectors",
            {"option": "on_error"},
        ),
        (("pairs", "v.npy", "--measure", "cosine"), 2, "missing-threshold", {"measure": "cosine"}),
        (("pairs", "v.npy", "--measure", "cosine", "--threshold", "95"), 2, "cosine-out-of-range", {"meant": 0.95}),
        (("pairs", "v.npy", "--measure", "euclidean", "--distance", "0"), 2, "not-positive", {"option": "distance"}),
        (("pairs", "v.npy", "--measure", "hamming", "--distance", "3"), 3, "not-packed-bits", {"name": "v.npy"}),
        (
            ("pairs", "v.npy", "--measure", "cosine", "--threshold", ".9", "--shingles", "words:3"),
            2,
            "not-for-vectors",
            {"option": "shingles"},
        ),
        (
            ("pairs", "v.npy", "--measure", "cosine", "--threshold", ".9", "--work", "w"),
            2,
            "not-for-vectors",
            {"option": "work"},
        ),
        (
            ("pairs", "v.npy", "--measure", "cosine", "--threshold", ".9", "--out", "v.parquet"),
            4,
            "output-exists",
            {"path": "v.parquet"},
        ),
        (("pairs", "v.parquet", "--distance", "1", "--out", "x.txt"), 2, "unknown-output-format", {"path": "x.txt"}),
        (("nearest", "v.npy", "bits.npy"), 3, "dimensions-differ", {"left": 8, "right": 1}),
        (("nearest", "v.npy", "--top", "0"), 2, "not-in-whole-range", {"option": "top", "value": 0}),
        (("nearest", "-", "-"), 2, "standard-input-twice", {}),
        (("nearest", "v.npy", "--query-id", "id"), 2, "no-second-input", {"option": "query_id"}),
        (("nearest", "none.npy"), 3, "no-such-file", {"path": "none.npy"}),
        (
            ("join", "bits.npy", "--measure", "hamming", "--distance", "1", "--right-id", "id"),
            2,
            "no-second-input",
            {"option": "right_id"},
        ),
        (
            ("join", "bits.npy", "bits.npy", "--measure", "hamming", "--distance", "1", "--right-id", "id"),
            2,
            "array-has-no-columns",
            {"option": "right_id"},
        ),
        (
            ("dedupe", "v.parquet", "--vectors", "w", "--threshold", ".9", "--out", "x.parquet"),
            3,
            "no-such-column",
            {"column": "w", "options": ("vectors",)},
        ),
        (("nearest", ""), 2, "empty-input", {}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: tuple[str, ...], code: int, refused: str, values: dict[str, object]
) -> None:
    lookalike(*arguments).refused(code, refused, values)


def test_files_of_bits_are_joined(lookalike: Run) -> None:
    ran = lookalike("join", "bits.npy", "bits.npy", "--measure", "hamming", "--distance", "1")
    wanted = la.join("bits.npy", "bits.npy", measure="hamming", distance=1)
    assert ran.code == 0 and len(ran.rows) == len(wanted) >= 60
    assert ran.rows[0] == {"left": 0, "right": 0, "similarity": 1.0, "distance": 0}
    assert "left             60 from bits.npy" in ran.err
    alone = lookalike("join", "bits.npy", "--measure", "hamming", "--distance", "1", "--quiet")
    assert len(alone.rows) == len(la.find_pairs("bits.npy", measure="hamming", distance=1))
    lookalike("join", "bits.npy", "--measure", "hamming").refused(2, "missing-distance", {})


def test_rows_are_deduplicated_by_their_vectors(lookalike: Run, tmp_path: Path) -> None:
    asked = ("v.parquet", "--vectors", "v", "--threshold", "0.99", "--id", "id")
    ran = lookalike("dedupe", *asked, "--out", "kept.parquet")
    assert ran.code == 0, ran.err
    assert pq.read_table("kept.parquet").num_rows == 30
    removed = pq.read_table("kept.parquet.removed.parquet").to_pylist()
    assert [(row["id"], row["kept"]) for row in removed] == [(f"r{i + 30}", f"r{i}") for i in range(30)]
    assert "similar          cosine of the column v: 0.99 or more" in ran.err
    clusters = lookalike("clusters", *asked)
    assert clusters.code == 0 and len(clusters.rows) == 60
    lookalike("dedupe", *asked, "--forecast", "--out", "k.parquet").refused(
        2, "not-for-vectors", {"option": "forecast"}
    )
