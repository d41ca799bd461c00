"""A saved result is the same result when it is opened again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lookalike import Clusters, Pairs, Summary, open_result, save_result
from lookalike.errors import MalformedInput, NoInput
from lookalike.flow.threshold import Threshold
from tests.refusals import refused


@pytest.mark.parametrize("ids", [None, pa.array(["x", "y", "z"])])
def test_pairs_survive_saving(tmp_path: Path, ids: pa.Array | None) -> None:
    pairs = Pairs(
        np.array([0]), np.array([2]), np.array([0.875]), Threshold("0.8"), 3, ids, Summary(documents=3, plan="a")
    )
    again = open_result(save_result(pairs, tmp_path / "result"))
    assert isinstance(again, Pairs)
    assert list(again) == list(pairs) and again.threshold == pairs.threshold and again.summary == pairs.summary
    assert len(again.rethreshold(0.9)) == 0


def test_clusters_survive_saving(tmp_path: Path) -> None:
    clusters = Clusters(np.array([0, 0, 2]), np.array([1, 1, 2]), summary=Summary(documents=3, warnings=("careful",)))
    again = open_result(save_result(clusters, tmp_path / "result"))
    assert isinstance(again, Clusters)
    assert again.to_arrow() == clusters.to_arrow() and again.summary == clusters.summary


def test_saving_does_not_overwrite_unless_told(tmp_path: Path) -> None:
    clusters = Clusters(np.array([0, 1]))
    save_result(clusters, tmp_path / "r")
    with refused("output-exists"):
        save_result(clusters, tmp_path / "r")
    save_result(clusters, tmp_path / "r", force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["r"], "nothing temporary is left"


def test_opening_what_is_no_result_or_is_damaged_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoInput, match=r"no summary\.json"):
        open_result(tmp_path)
    folder = save_result(Clusters(np.array([0, 1])), tmp_path / "r")
    (folder / "clusters.parquet").write_bytes(b"PAR1")
    with pytest.raises(MalformedInput, match="damaged"):
        open_result(folder)
    (folder / "summary.json").write_bytes(b'{"version": "\xff"}')
    with pytest.raises(MalformedInput, match="damaged"):
        open_result(folder)
