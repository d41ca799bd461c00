"""`dedupe` and `find_clusters` by vectors: what is removed is similar to what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import vector_distances
from tests.refusals import refused


def vectors(n: int, seed: int, d: int = 6) -> Any:
    """Points near a few centres, some of them equal."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(1, n // 4), d))
    x = centres[rng.integers(0, len(centres), n)] + rng.normal(0, 0.15, (n, d))
    x[: n // 6] = x[n - n // 6 :]
    return x.astype(np.float32)


def table(x: Any) -> pa.Table:
    n = len(x)
    column = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), x.shape[1])
    names = [f"r{i}" for i in range(n)]
    score = pa.array(range(n), pa.int64())
    return pa.table({"id": pa.array(names, pa.string()), "score": score, "embedding": column})


@given(
    st.integers(0, 60), st.integers(0, 99), st.sampled_from([0.5, 0.9, 0.99]), st.sampled_from(["first", "best:score"])
)
def test_every_removed_row_has_a_kept_one_at_the_threshold(n: int, seed: int, threshold: float, keep: str) -> None:
    x = vectors(n, seed)
    options: Any = {"vectors": "embedding", "threshold": threshold, "recall": 1.0, "keep": keep, "id": "id"}
    found = la.dedupe(table(x), **options)
    kept, removed = found.kept_rows, found.removed.to_pylist()
    assert len(kept) + len(removed) == n == found.read
    cosines = vector_distances.pairwise(x.astype(np.float64), measure="cosine") if n else np.zeros((0, 0))
    names = {f"r{i}": i for i in range(n)}
    for row in removed:
        gone, stays = names[row["id"]], names[row["kept"]]
        assert stays in kept and row["similarity"] >= threshold
        assert abs(row["similarity"] - cosines[gone, stays]) < 1e-9
        assert (row["how"] == "identical") == bool((x[gone] == x[stays]).all())
        assert (stays < gone) if keep == "first" else (stays > gone)
    among = np.triu(cosines[np.ix_(kept, kept)], 1)
    assert not (among >= threshold + 1e-9).any()
    again = la.dedupe(table(x), threads=2, **options)
    assert again.removed.equals(found.removed)


@given(st.integers(0, 60), st.integers(0, 99))
def test_connected_clusters_are_the_components_of_all_pairs(n: int, seed: int) -> None:
    x = vectors(n, seed)
    found = la.find_clusters(table(x), vectors="embedding", threshold=0.95, recall=1.0)
    pairs = la.find_pairs(x, measure="cosine", threshold=0.95, recall=1.0)
    wanted = pairs.clusters()
    assert np.array_equal(found.labels, wanted.labels)


def test_packed_bits_are_deduplicated_by_distance() -> None:
    codes = la.simhash([f"the cat sat on the mat number {i // 2}" for i in range(40)], shingles="words:1")
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(8), 40, [None, pa.py_buffer(codes.tobytes())])
    found = la.dedupe(
        pa.table({"text": ["x"] * 40, "bits": column}), vectors="bits", measure="hamming", distance=1, recall=1.0
    )
    assert 0 < len(found.kept_rows) <= 20
    assert (found.removed["similarity"].to_numpy() >= 1 - 1 / 64).all()
    whole = la.find_clusters(
        pa.table({"text": ["x"] * 40, "bits": column}), vectors="bits", measure="hamming", distance=1, linkage="star"
    )
    assert len(whole) == len(set(found.removed["cluster"].to_pylist()))


def test_no_column_of_texts_is_needed(tmp_path: Path) -> None:
    rows = table(vectors(60, 3))
    numbered = rows.set_column(0, "id", pa.array(range(100, 160)))
    pq.write_table(numbered, tmp_path / "rows.parquet")
    out = tmp_path / "kept.parquet"
    options: Any = {"vectors": "embedding", "threshold": 0.9, "recall": 1.0}
    usual = la.dedupe(rows.append_column("text", pa.array(["x"] * 60)), **options)
    only = numbered.select(["id", "embedding"])
    for data in (
        rows,
        only,
        only.select(["embedding"]),
        only.to_pandas(),
        dict(only.to_pydict()),
        tmp_path / "rows.parquet",
    ):
        found = la.dedupe(data, **options)
        assert found.removed.equals(usual.removed)
        assert found.kept.num_rows == len(usual.kept_rows)
        assert np.array_equal(la.find_clusters(data, **options).labels, la.find_clusters(rows, **options).labels)
    named = la.dedupe(tmp_path / "rows.parquet", id="id", out=out, **options)
    assert pq.read_table(out).equals(numbered.take(pa.array(usual.kept_rows)))
    assert named.removed["id"].to_pylist() == [100 + row for row in usual.removed["id"].to_pylist()]
    assert la.dedupe(only, id="id", **options).removed.equals(named.removed)
    named.save(tmp_path / "saved")
    assert la.load(tmp_path / "saved").kept.equals(named.kept)


def test_protected_rows_stay() -> None:
    x = vectors(40, 1)
    options: Any = {"vectors": "embedding", "threshold": 0.9, "id": "id"}
    usual = la.dedupe(table(x), **options)
    gone = usual.removed["id"][0].as_py()
    safe = la.dedupe(table(x), protect=f"where:id={gone}", **options)
    assert int(gone[1:]) in safe.kept_rows


def test_results_can_be_saved(tmp_path: Path) -> None:
    found = la.dedupe(table(vectors(40, 1)), vectors="embedding", threshold=0.9, id="id")
    found.save(tmp_path / "saved")
    again = la.load(tmp_path / "saved")
    assert isinstance(again, type(found)) and again.removed.equals(found.removed)
    assert repr(again) == repr(found) and str(found.summary)


def test_what_does_not_apply_to_vectors_is_refused() -> None:
    rows = table(vectors(20, 1))
    with refused("not-for-vectors", option="shingles"):
        la.dedupe(rows, vectors="embedding", threshold=0.9, shingles="words:2")
    with refused("not-for-vectors", option="report"):
        la.dedupe(rows, vectors="embedding", threshold=0.9, report="x.html")
    with refused("missing-threshold"):
        la.dedupe(rows, vectors="embedding")
    with refused("not-one-of", option="measure"):
        la.dedupe(rows, vectors="embedding", measure="euclidean", distance=1)
    with refused("only-for-vectors", option="measure"):
        la.dedupe(rows, measure="cosine", column="id")
    with refused("keep-by-length-of-vectors", rule="longest"):
        la.dedupe(rows, vectors="embedding", threshold=0.9, keep="longest")
    with refused("no-such-column", column="nothing", options=("vectors",)):
        la.dedupe(rows, vectors="nothing", threshold=0.9)
    with refused("no-such-column", column="nothing", options=("id",)):
        la.dedupe(rows, vectors="embedding", threshold=0.9, id="nothing")
    with refused("not-a-vector-column", column="id", option="vectors"):
        la.dedupe(rows, vectors="id", threshold=0.9)
    with refused("vectors-not-in-a-table"):
        la.dedupe(vectors(20, 1), vectors="embedding", threshold=0.9)
    found = la.dedupe(rows, vectors="embedding", threshold=0.9)
    with refused("report-of-vectors"):
        found.report("x.html")
    with refused("audit-of-vectors"):
        la.audit(found, rows)
    with refused("memory-too-small"):
        la.dedupe(rows, vectors="embedding", threshold=0.9, memory="1MiB")
