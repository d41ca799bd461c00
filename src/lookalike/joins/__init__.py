"""Finds the similar pairs in collections of sets, strings or vectors. Joins of sets and strings miss no pair.

Fast code: `sources.py` joins opened data, with `sets.py` (native), `blocks.py` (one side of any size), `strings.py` and
`edit_candidates.py` (edit distance). `vectors/` joins vectors, exactly or with a requested recall.
Definitions: `measures.py` (thresholds as fractions), `brute.py` (compares every pair) and `reference.py`, which
`engine="reference"` runs. All fast joins are tested against them.
Teaching: `textbook/` has the length, prefix, position and suffix indexes of MMDS, chapter 3. Each index counts its
candidates.
"""

from lookalike.joins.brute import all_pairs
from lookalike.joins.measures import Measure, distance_measure, similarity_measure
from lookalike.joins.sets import SetPairs, join_sets, nearest_sets
from lookalike.joins.strings import EditPairs, edit_pairs
from lookalike.joins.textbook.base import Found
from lookalike.joins.textbook.length import length
from lookalike.joins.textbook.position import position
from lookalike.joins.textbook.prefix import prefix
from lookalike.joins.textbook.suffix import suffix

__all__ = [
    "EditPairs",
    "Found",
    "Measure",
    "SetPairs",
    "all_pairs",
    "distance_measure",
    "edit_pairs",
    "join_sets",
    "length",
    "nearest_sets",
    "position",
    "prefix",
    "similarity_measure",
    "suffix",
]
