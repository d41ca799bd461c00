"""Saves a result over an older one and is killed meanwhile: `python saving.py N FOLDER` ends by SIGKILL just before the
N-th step that changes or syncs anything on the disk (0: never).
"""

from __future__ import annotations

import sys

import numpy as np

from lookalike.results.clusters import Clusters
from lookalike.results.summary import Summary
from tests.storage.replacing import die_at

if __name__ == "__main__":
    moment, folder = sys.argv[1:]
    new = Clusters(np.array([0, 0, 0]), summary=Summary(documents=3))
    die_at(int(moment))
    new.save(folder, force=True)
