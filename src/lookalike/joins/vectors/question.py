"""What vectors are asked: a measure by name, with its threshold or its distance. Checked here, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lookalike.errors import InvalidOption
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
    """The name of a measure; with a hyphen, too, which is easier to type."""
    name = measure.replace("-", " ") if isinstance(measure, str) else measure
    if name not in MEASURES:
        raise InvalidOption(f"the measure of vectors must be one of {', '.join(MEASURES)}, got {measure!r}")
    return str(name)


def measure_of(measure: Any, threshold: Any, distance: Any) -> Measure:
    """The measure with its bound, of the arguments of a call; what cannot be is refused."""
    name = check_name(measure)
    if name in DISTANCES:
        if threshold is not None:
            raise InvalidOption(f"{name} is a distance: say distance=2, the greatest that counts, not threshold")
        if distance is None:
            raise InvalidOption(f"{name} needs a distance, the greatest that counts, such as distance=2")
        return DISTANCES[name](distance)
    if distance is not None:
        raise InvalidOption(f"{name} is a similarity: say threshold=0.8, the least that counts, not distance")
    if threshold is None:
        raise InvalidOption(f"{name} needs a threshold, the least similarity that counts, such as threshold=0.8")
    return SIMILARITIES[name](threshold)
