"""A result as a folder: summary.json, plan.toml, pairs.parquet or clusters.parquet. Open it again and ask on."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import MalformedInput, NoInput, OutputError, OutputExists
from lookalike.flow.threshold import Threshold
from lookalike.results import Clusters, Pairs, Summary

VERSION = 1


FILES = {"pairs.parquet", "clusters.parquet", "ids.parquet", "plan.toml", "summary.json"}


def save_result(result: Pairs | Clusters, folder: str | Path, *, force: bool = False) -> Path:
    """Writes the folder under another name first, then renames it: it is there whole or not at all."""
    target = Path(folder)
    if target.exists() and not force:
        raise OutputExists.at(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            _write(result, building)
            if target.exists():
                _check_ours(target)
                shutil.rmtree(target)
            building.chmod(0o755)
            building.replace(target)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"the result cannot be written to {target}: {error.strerror or error}") from None
    return target


def _check_ours(folder: Path) -> None:
    others = sorted({path.name for path in folder.iterdir()} - FILES) if folder.is_dir() else [folder.name]
    if others:
        raise OutputError(
            f"{folder} holds {others[0]}, which is no part of a result; move it away or choose another folder: force "
            "replaces results, it does not delete other files"
        )


def open_result(folder: str | Path) -> Pairs | Clusters:
    """The pairs or clusters that `save_result` wrote."""
    path = Path(folder)
    if not (path / "summary.json").is_file():
        raise NoInput(f"{path} is not a result folder: it has no summary.json")
    try:
        about = json.loads((path / "summary.json").read_text(encoding="utf-8"))
        if about["version"] != VERSION:
            raise MalformedInput(f"{path} is a result of version {about['version']}, this lookalike reads {VERSION}")
        summary = Summary.from_dict(about["summary"])
        ids = pq.read_table(path / "ids.parquet")["id"].combine_chunks() if about["ids"] else None
        if about["kind"] == "pairs":
            table = pq.read_table(path / "pairs.parquet")
            similarity = None if summary.verified == "none" else table["similarity"].to_numpy()
            left, right = table["left"].to_numpy(), table["right"].to_numpy()
            return Pairs(left, right, similarity, Threshold(about["threshold"]), about["rows"], ids, summary)
        table = pq.read_table(path / "clusters.parquet")
        return Clusters(table["label"].to_numpy(), table["survivor"].to_numpy(), ids, summary)
    except (KeyError, TypeError, ValueError, pa.ArrowException, OSError) as error:
        raise MalformedInput(f"the result folder {path} is damaged: {error}") from None


def _write(result: Pairs | Clusters, folder: Path) -> None:
    """Tables hold row numbers; ids stand once, beside them."""
    about = {"version": VERSION, "summary": result.summary.to_dict(), "ids": result.ids is not None}
    if isinstance(result, Pairs):
        about |= {"kind": "pairs", "threshold": str(result.threshold), "rows": result.rows}
        similarity = np.zeros(len(result)) if result.similarity is None else result.similarity
        table = pa.table({"left": result.left_rows, "right": result.right_rows, "similarity": similarity})
        pq.write_table(table, folder / "pairs.parquet", compression="zstd")
    else:
        about |= {"kind": "clusters"}
        survivors = result.labels if result.survivors is None else result.survivors
        table = pa.table({"label": result.labels, "survivor": survivors})
        pq.write_table(table, folder / "clusters.parquet", compression="zstd")
    if result.ids is not None:
        pq.write_table(pa.table({"id": result.ids}), folder / "ids.parquet", compression="zstd")
    (folder / "plan.toml").write_text(result.summary.plan, encoding="utf-8")
    (folder / "summary.json").write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")
