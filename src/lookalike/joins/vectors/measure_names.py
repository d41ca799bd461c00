"""Names of the vector measures, and checks of their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_one_of
from lookalike.joins.vectors.bits import BitJaccard, HammingBits
from lookalike.joins.vectors.dense import Cosine, Euclidean
from lookalike.joins.vectors.measures import Measure
from lookalike.joins.vectors.weights import WeightedJaccard

SIMILARITIES: dict[str, Callable[[Any], Measure]] = {
    "cosine": Cosine,
    "jaccard": BitJaccard,
    "weighted jaccard": WeightedJaccard,
}
DISTANCES: dict[str, Callable[[Any], Measure]] = {"euclidean": Euclidean, "hamming": HammingBits}
MEASURES = (*SIMILARITIES, *DISTANCES)
ON_BITS = ("jaccard", "hamming")


def check_name(measure: Any) -> str:
    """Returns the name of the measure, with hyphens replaced by spaces. Raises an error if it is unknown."""
    name = measure.replace("-", " ") if isinstance(measure, str) else measure
    check_one_of("measure", name, MEASURES)
    return str(name)


def measure_of(measure: Any, threshold: Any, distance: Any) -> Measure:
    """Creates the measure with its bound from values given by the user. Raises an error if they are invalid."""
    name = check_name(measure)
    if name in DISTANCES:
        if threshold is not None:
            raise InvalidOption("threshold-of-a-distance", measure=name)
        if distance is None:
            raise InvalidOption("missing-distance", measure=name)
        return DISTANCES[name](distance)
    if distance is not None:
        raise InvalidOption("distance-of-a-similarity", measure=name)
    if threshold is None:
        raise InvalidOption("missing-threshold", measure=name)
    return SIMILARITIES[name](threshold)
