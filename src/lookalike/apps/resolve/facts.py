"""The counts and times of a run, which can be saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from lookalike.apps.resolve.evaluation import Evaluation
from lookalike.apps.resolve.points import Checked
from lookalike.apps.resolve.trade_off import AtThreshold
from lookalike.notices import Notice
from lookalike.results import restoring


@dataclass(eq=False)
class ResolutionFacts:
    """The counts and times of a run."""

    records: int = 0
    candidates: int = 0
    compared: int = 0
    """The number of distinct pairs that were compared: candidates, and all other pairs in groups that candidates
    connect."""
    predicted: int = 0
    """An upper bound, known in advance, on the number of candidates that lookups by words and trigrams can find."""
    recall: float | None = None
    """An estimated upper bound on the share of matches that are candidates; None if unknown, for example if only words
    were looked up."""
    seconds: dict[str, float] = field(default_factory=dict)
    checked: list[Checked] = field(default_factory=list)
    """Candidates grouped by points, with the estimated share of matches in each group; empty if not checked."""
    evaluation: Evaluation | None = None
    """The precision and recall among labelled pairs; None without labels."""
    thresholds: list[AtThreshold] = field(default_factory=list)
    """What other thresholds would give, as the model expects; empty with points."""
    matching: Notice | None = None
    """How many matches a record may have, and why; None for a single table."""
    warnings: list[Notice] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Returns the counts and times in JSON types; `from_dict` is the inverse."""
        return {
            **vars(self),
            "checked": [asdict(one) for one in self.checked],
            "evaluation": None if self.evaluation is None else asdict(self.evaluation),
            "thresholds": [asdict(step) for step in self.thresholds],
            "matching": None if self.matching is None else self.matching.to_dict(),
            "warnings": [one.to_dict() for one in self.warnings],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ResolutionFacts:
        counts = restoring.checked(values, records=int, candidates=int, compared=int, predicted=int)
        known = restoring.checked(values, recall=float | None, seconds=dict[str, float])
        rows = list[dict[str, Any]]
        lists = restoring.checked(values, checked=rows, thresholds=rows, warnings=rows)
        single = restoring.checked(values, evaluation=dict[str, Any] | None, matching=dict[str, Any] | None)
        group = {"least": float, "pairs": int, "days": float, "valid": float}
        step = {"threshold": float, "pairs": int, "precision": float, "recall": float, "low": float, "high": float}
        pairs = {"labels": int, "matches": int, "reported": int, "right": int, "is_calibrated": bool}
        evaluation, matching = single["evaluation"], single["matching"]
        return cls(
            **counts,
            **known,
            checked=[Checked(**restoring.checked(one, **group)) for one in lists["checked"]],
            evaluation=None if evaluation is None else Evaluation(**restoring.checked(evaluation, **pairs)),
            thresholds=[AtThreshold(**restoring.checked(one, **step)) for one in lists["thresholds"]],
            matching=None if matching is None else Notice.from_dict(matching),
            warnings=[*map(Notice.from_dict, lists["warnings"])],
        )
