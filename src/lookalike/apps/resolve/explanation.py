"""Explains why two records match or not: the evidence of each field, in steps that sum to the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.columns import MISSING
from lookalike.apps.resolve.learn import probabilities
from lookalike.apps.resolve.points import POINTS
from lookalike.apps.resolve.resolution import Comparer
from lookalike.display.card import Card
from lookalike.display.cells import FirstRows
from lookalike.io.records import Records

NOTHING = "nothing to compare"
"""The note of a field of which a record has no value."""
BITS = float(np.log(2))
"""The number of nats per bit. Evidence is shown in bits; one more bit doubles the odds."""


@dataclass(frozen=True)
class Step:
    """One step of an explanation: its name, the values of both records, their similarity, and its contribution to the
    score."""

    name: str
    left: str
    right: str
    similarity: float | None
    adds: float
    note: str = ""


@dataclass(frozen=True)
class Explanation:
    """The steps that add up to the score of a pair, measured in bits (method="weights") or in points
    (method="points")."""

    left: Any
    right: Any
    steps: tuple[Step, ...]
    score: float
    threshold: float
    probability: float | None

    @property
    def compared(self) -> list[Step]:
        """The steps without the fields of which a record has no value, which add nothing."""
        return [step for step in self.steps if step.note != NOTHING]

    @property
    def missing(self) -> list[str]:
        """The fields of which at least one of the records has no value."""
        return [step.name for step in self.steps if step.note == NOTHING]

    @property
    def is_match(self) -> bool:
        return self.score >= self.threshold if self.probability is None else self.probability >= self.threshold

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        verdict = "a match" if self.is_match else "no match"
        score = f"score {self.score:.4g}" if self.probability is None else f"probability {self.probability:.4g}"
        return f"Explanation({self.left!r} and {self.right!r}: {verdict}, {score})"

    def _repr_html_(self) -> str:
        title, words = repr(self).removesuffix(")").split("(", 1)
        names = ("name", "left", "right", "similarity", "adds", "note")
        steps = pa.table({name: [getattr(step, name) for step in self.steps] for name in names})
        return Card(title, words, tables=[FirstRows(steps, len(self.steps))]).html()

    def lines(self, width: int = 28) -> list[str]:
        """Returns the steps as lines of text.

        Bars to the right are evidence for a match, bars to the left against it. Fields with nothing to compare are on
        one line.
        """
        most = max([abs(step.adds) for step in self.steps] + [1e-9])
        name = max(len("together"), *(len(step.name) for step in self.steps))
        out = []
        for step in self.compared:
            length = round(abs(step.adds) / most * width / 2)
            left = (" " * (width // 2 - length) + "█" * length) if step.adds < 0 else " " * (width // 2)
            right = "█" * length if step.adds > 0 else ""
            words = step.note or f"{_short(step.left)} | {_short(step.right)}"
            out.append(f"{step.name:<{name}} {step.adds:>+7.1f} {left}│{right:<{width // 2}} {words}".rstrip())
        if self.missing:
            out.append(
                f"{'missing':<{name}} {0:>+7.1f} {'':<{width // 2}}│{'':<{width // 2}} {', '.join(self.missing)}"
            )
        verdict = "a match" if self.is_match else "no match"
        chance = "" if self.probability is None else f", probability {self.probability:.4f}"
        out.append(f"{'together':<{name}} {self.score:>+7.1f}{chance}: {verdict}")
        return out


def explain_pair(
    comparer: Comparer, tables: Sequence[Records], ids: tuple[Any, Any], left: int, right: int
) -> Explanation:
    """Explains the score of two rows. Rows of the second table are numbered after those of the first."""
    a, b = np.array([min(left, right)]), np.array([max(left, right)])
    settings, similarity = comparer.settings, comparer.measure(a, b)[0]
    values = [_values(tables, field.name, field.right, left, right) for field in settings.fields]
    if settings.method == "points" or settings.weights is None:
        steps = [
            Step(field.name, *shown, _known(similar), POINTS * float(np.nan_to_num(similar)))
            for field, shown, similar in zip(settings.fields, values, similarity, strict=True)
        ]
        return Explanation(*ids, tuple(steps), sum(step.adds for step in steps), settings.threshold, None)
    levels = comparer.levels(a, b)
    evidence = settings.weights.evidence(levels)[0]
    steps = [Step("any candidate", "", "", None, settings.weights.prior / BITS, "share of matches among candidates")]
    for number, (field, shown, similar) in enumerate(zip(settings.fields, values, similarity, strict=True)):
        parent = settings.weights.parents[number]
        missing = comparer.columns[number].codes[[left, right]].min() == MISSING
        note = NOTHING if missing else ""
        if not missing and parent >= 0 and np.ptp(settings.weights.u[number], axis=0).max() > 0.2:
            note = f"{_short(shown[0])} | {_short(shown[1])} (given {settings.fields[parent].name})"
        steps.append(Step(field.name, *shown, _known(similar), float(evidence[number]) / BITS, note))
    if len(evidence) > len(settings.fields):
        steps.append(
            Step(
                "rivals", "", "", None, float(evidence[-1]) / BITS, "how near they are, compared with other candidates"
            )
        )
    kinship, sharing = float(settings.weights.kinship(levels)[0]), float(comparer.sharing(a, b)[0])
    if settings.weights.r is not None:
        steps.append(
            Step("relatives", "", "", None, kinship / BITS, "different entities often agree in these fields too")
        )
    before, learned = float(settings.weights.prior + evidence.sum()) + kinship, float(comparer.learned_score(a, b)[0])
    score = float(comparer.calibrated(np.array([learned]))[0])
    if abs(learned - sharing - before) > 1e-9:
        note = "the words they share are common" if learned - sharing < before else "equal in all fields, and rare"
        steps.append(Step("rarity", "", "", None, (learned - sharing - before) / BITS, note))
    if sharing < 0:
        steps.append(Step("copies", "", "", None, sharing / BITS, "equal records of one table share one match"))
    if score != learned:
        steps.append(Step("labels", "", "", None, (score - learned) / BITS, "calibrated by labelled pairs"))
    chance = float(probabilities(np.array([score]))[0])
    return Explanation(*ids, tuple(steps), score / BITS, settings.threshold, chance)


def _values(tables: Sequence[Records], name: str, other: str | None, left: int, right: int) -> tuple[str, str]:
    values = []
    for row in (left, right):
        second = len(tables) > 1 and row >= tables[0].rows
        column = tables[1].columns[other or name] if second else tables[0].columns[name]
        values.append(column[row - tables[0].rows if second else row].as_py() or "")
    return values[0], values[1]


def _known(similarity: float) -> float | None:
    return None if np.isnan(similarity) else float(similarity)


def _short(text: str, most: int = 36) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
