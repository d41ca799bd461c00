"""Saves a result over an older one, killed at a moment of its own: `python saving.py N FOLDER` ends by SIGKILL just
before the N-th step that changes or syncs anything on the disk, and with 0 lives.
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
