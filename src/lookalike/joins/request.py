"""The validated request for a join: a measure, its threshold or distance, and the number of neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.errors import InvalidOption
from lookalike.flow import Shingling, parse_shingling
from lookalike.flow.checks import check_one_of, check_whole
from lookalike.flow.threshold import Threshold
from lookalike.joins.measures import (
    SET_MEASURES,
    Hamming,
    Measure,
    Shared,
    check_count,
    check_distance,
    similarity_measure,
)
from lookalike.joins.sets import STEPS
from lookalike.joins.strings import STRING_MEASURES
from lookalike.planning.plan import Plan

MEASURES = (*SET_MEASURES, *STRING_MEASURES)
DISTANCES = (Hamming.name, *STRING_MEASURES)
DEFAULT_THRESHOLD = "0.8"
DEFAULT_SUM_BAG_THRESHOLD = "0.4"
"""Half of `DEFAULT_THRESHOLD`, because sum-bag similarity is half of Dice similarity."""


NOT_OF_STRINGS = {"shingles", "whitespace", "bag", "bits"}
"""Options for shingles that do not apply to strings, which are compared character by character."""


@dataclass(frozen=True)
class JoinRequest:
    """The request for a join: a measure, a minimum similarity (`threshold`) or maximum distance, and `top`.

    `top` is the number of nearest rows to find. For `shared`, the threshold is a count. The default threshold is 0.8
    (`sum-bag`: 0.4). With `top` but no threshold, the nearest rows are found at any similarity above 0.
    """

    measure: str = "jaccard"
    threshold: Threshold | int | None = None
    distance: int | None = None
    top: int | None = None

    @classmethod
    def of(cls, measure: Any, threshold: Any, distance: Any, top: Any) -> JoinRequest:
        """Checks values that come from the user, and creates the request. Raises an error if they are invalid."""
        check_one_of("measure", measure, MEASURES)
        if top is not None:
            check_whole("top", top, 1)
        if measure in DISTANCES:
            if threshold is not None:
                raise InvalidOption("threshold-of-a-distance", measure=measure)
            if distance is None:
                raise InvalidOption("missing-distance", measure=measure)
            return cls(measure, None, check_distance(distance), top)
        if distance is not None:
            raise InvalidOption("distance-of-a-similarity", measure=measure)
        if measure == Shared.name:
            if threshold is None and top is None:
                raise InvalidOption("missing-shared-count")
            return cls(measure, None if threshold is None else check_count(threshold), None, top)
        if threshold is None and top is None:
            threshold = DEFAULT_SUM_BAG_THRESHOLD if measure == "sum-bag" else DEFAULT_THRESHOLD
        request = cls(measure, None if threshold is None else Threshold(threshold), None, top)
        if request.of_sets:
            request.measures()  # raises an error for a sum-bag threshold above 1/2, before any data is read
        return request

    def shingling(self, options: Mapping[str, Any]) -> Shingling:
        """Returns the shingling for the join, with the given options for cutting texts.

        For edit distances, texts are cut into single characters and, by default, neither case-folded nor normalized.
        """
        cutting = dict(options)
        if not self.of_sets:
            if excess := sorted(cutting.keys() & NOT_OF_STRINGS):
                raise InvalidOption("not-for-strings", measure=self.measure, option=excess[0])
            cutting = {"shingles": "chars:1", "case": "keep", "normalize": "none"} | cutting
        elif self.measure == "sum-bag":
            cutting = {"bag": True} | cutting
        return parse_shingling(Plan.from_options(None, "pairs", cutting).shingles)

    @property
    def of_sets(self) -> bool:
        return self.measure in SET_MEASURES

    def measures(self) -> list[Measure]:
        """Returns the measure with its bound.

        With `top` but no threshold, returns it at several decreasing thresholds.
        """
        if self.distance is not None:
            return [Hamming(self.distance)]
        if self.threshold is not None:
            return [similarity_measure(self.measure, self.threshold)]
        if self.measure == Shared.name:
            return [Shared(1)]
        steps = [step for step in STEPS if self.measure != "sum-bag" or Threshold(step) <= Threshold("0.5")]
        return [similarity_measure(self.measure, step) for step in steps]

    def __str__(self) -> str:
        limits = []
        if self.threshold is not None:
            limits.append(f"{self.threshold} or more")
        if self.distance is not None:
            limits.append(f"{self.distance} or less")
        if self.top is not None:
            limits.append("the nearest of each" if self.top == 1 else f"the {self.top} nearest of each")
        measure = self.measure if self.distance is None else f"{self.measure} distance"
        return f"{measure} of {', '.join(limits)}"

    def to_dict(self) -> dict[str, Any]:
        """Returns the options that are set, in the form saved with a result. Decimal thresholds become strings."""
        threshold = self.threshold if isinstance(self.threshold, int | None) else str(self.threshold)
        options = {"measure": self.measure, "threshold": threshold, "distance": self.distance, "top": self.top}
        return {name: value for name, value in options.items() if value is not None}
