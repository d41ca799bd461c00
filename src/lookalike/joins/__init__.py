"""The exact road: sets or strings in, every similar pair out, none missed.

`length`, `prefix`, `position` and `suffix` are the indexes of the notes, readable, each with a count of the candidates
it lets through. `join_sets` is the join that people use, native; `edit_pairs` is the one for strings. `all_pairs`
compares everything with everything, and all the others are tested against it.
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
