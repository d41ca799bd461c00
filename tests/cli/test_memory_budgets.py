"""A budget is kept by long documents in every format, measured from outside; and refusals follow the formula.

`benchmarks/memory_budgets.py` is the whole check: 200 rounds, with documents of up to 100 MB.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))
from memory_budgets import MIB, run  # noqa: E402 - a benchmark, not a package

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from /proc")


def test_random_budgets_documents_and_formats() -> None:
    script = str(ROOT / "benchmarks" / "memory_budgets.py")
    command = [sys.executable, script, "--rounds", "3", "--seed", "1005", "--largest", "2000000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accepted" in done.stdout and "refused" in done.stdout


def test_pages_of_long_texts_count_too(tmp_path: Path) -> None:
    """9,000 texts of 50 KB under 512 MiB took up to 727: each thread held a page with all texts of a row group."""
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(9000)]
    text = " ".join(rng.choices(words, k=200_000))
    texts = [text[at : at + 50_000] for at in range(0, 1_000_000, 500)]
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"text": pa.array(texts, pa.large_string())}), path, row_group_size=1000)
    ended = run(["clusters", str(path), "--out", str(tmp_path / "out.jsonl")], 300 * MIB)
    assert ended.code == 0 and ended.peak <= 300 * MIB, ended
    refused = run(["clusters", str(path), "--out", str(tmp_path / "out.jsonl"), "--force"], 150 * MIB)
    assert refused.code == 2 and refused.least is not None and refused.peak < 150 * MIB, refused
