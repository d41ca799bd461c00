"""lookalike: the same corpus without near-duplicates, for text_dedup_theirs.py."""

from __future__ import annotations

import subprocess
import sys


def deduplicate(folder: str, out: str) -> None:
    options = ["--threshold", "0.8", "--shingles", "words:5", "--quiet"]
    subprocess.run([sys.executable, "-m", "lookalike", "dedupe", folder, *options, "--out", out], check=True)
