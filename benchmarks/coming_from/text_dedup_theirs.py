"""text-dedup: its MinHash script, with the configuration of its README, a threshold of 0.8 and its exact check."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def deduplicate(folder: str, out: str) -> None:
    with tempfile.TemporaryDirectory() as work:
        shutil.copy(Path(__file__).with_suffix(".toml"), f"{work}/config.toml")
        Path(work, "crawl").symlink_to(folder)
        caches = {**os.environ, "HF_HOME": f"{work}/cache"}  # its caches would make the second run quicker
        subprocess.run([sys.executable, "-m", "text_dedup.minhash"], cwd=work, env=caches, check=True)
        shutil.move(f"{work}/clean", out)
