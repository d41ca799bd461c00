"""A misspelt option is an error of type checkers, before anything runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOUND = """
import lookalike as la
la.find_pairs(["a"], threshold=0.8, hashes=64, column=None)
la.find_pairs([[1.0]], measure="cosine", threshold=0.9, recall=0.9)
la.find_clusters(["a"], keep="longest", method="lsh")
la.dedupe("a.jsonl", out="b.jsonl", against=["c"], force=True)
la.join(["a"], ["b"], measure="levenshtein", distance=2, right_column="b")
la.nearest([[1.0]], top=3)
la.audit("a.parquet", sample=10)
la.contamination(["a"], ["b"], test_column="b")
la.forecast(["a"], goal="clusters", memory="1GiB")
la.frequent_pairs([["a"]], support=2)
la.compare("a", "b", shingles="chars:3")
la.resolve_plan(["a"], la.Plan(), column="b")
"""
WRONG = [
    'la.find_pairs(["a"], thresold=0.8)',
    'la.find_pairs(["a"], hashes="many")',
    'la.find_clusters(["a"], method="fast")',
    'la.dedupe(["a"], num_perm=64)',
    'la.join(["a"], meassure="edit")',
    "la.nearest([[1.0]], k=3)",
    'la.audit("a.parquet", samples=10)',
    'la.contamination(["a"], ["b"], on_error="stop")',
    'la.forecast(["a"], gaol="pairs")',
    'la.frequent_pairs([["a"]])',
    'la.compare("a", "b", ignore_common=0.5)',
    'la.resolve_plan(["a"], la.Plan(), colum="b")',
]
CHECKERS = {
    "mypy": ["--no-error-summary", f"--cache-dir={ROOT / '.mypy_cache'}"],
    "basedpyright": ["--level", "error"],
}


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_accepts_what_is_sound_and_sees_each_mistake(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker)
    file = tmp_path / "calls.py"
    file.write_text(SOUND + "\n".join(WRONG) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", checker, *CHECKERS[checker], str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    seen = set(map(int, re.findall(r"calls\.py:(\d+):.* error: ", done.stdout)))
    first = SOUND.count("\n") + 1
    assert seen == set(range(first, first + len(WRONG))), done.stdout + done.stderr
