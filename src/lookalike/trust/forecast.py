"""Forecast: the expected results, time, memory and disk of a run. `dry_run.py` makes it."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.notices import Notice
from lookalike.notices.naming import Naming
from lookalike.notices.readable import in_words
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.restoring import checked
from lookalike.results.result import Result
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables

NOT_FORECAST = ("forecast", "keep", "write", "audit", "report")
"""The stages of a run whose time is not forecast."""

FIGURES = ("documents", "empty", "same_words", "bytes", "candidates", "pairs", "memory", "disk", "seconds")


@dataclass(frozen=True, repr=False)
class Forecast(Result):
    """The expected results and costs of a run. Counts and sizes of documents are exact; other values are estimates."""

    plan: ResolvedPlan
    documents: int
    empty: int
    same_words: int
    bytes: int
    """The total size of the texts, in bytes."""
    candidates: int | None
    """The number of candidate pairs, not counting pairs of texts with the same words in the same order; None for an
    exact join."""
    pairs: int
    """The number of similar pairs, including pairs of texts with the same words in the same order."""
    memory: int
    """The peak memory of the run, in bytes."""
    disk: int
    """The total size of temporary files, in bytes."""
    seconds: float
    warnings: tuple[Notice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the forecast in JSON types, with the plan as TOML and warnings as sentences."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return values | {"plan": self.plan.to_toml(), "warnings": [str(warning) for warning in self.warnings]}

    @property
    def summary(self) -> Summary:
        """The counts of the documents that were read, without estimates."""
        return Summary(
            documents=self.documents,
            empty=self.empty,
            same_words=self.same_words,
            bytes=self.bytes,
            warnings=self.warnings,
            plan=self.plan.to_toml(),
        )

    def to_arrow(self) -> pa.Table:
        """Returns a table with one row, and one column for each number of the forecast."""
        kinds = dict.fromkeys(FIGURES, pa.int64()) | {"seconds": pa.float64()}
        return pa.table({name: pa.array([getattr(self, name)], kind) for name, kind in kinds.items()})

    def tables(self) -> dict[str, pa.Table]:
        return {"forecast": self.to_arrow()}

    def _facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in FIGURES}

    def _stored(self) -> dict[str, pa.Table]:
        return self.tables()

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Forecast:
        kinds = dict.fromkeys(FIGURES, int) | {"candidates": int | None, "seconds": float}
        return cls(plan=ResolvedPlan.from_toml(summary.plan), warnings=summary.warnings, **checked(facts, **kinds))

    def compared_with(self, summary: Summary) -> list[tuple[str, str, str]]:
        """Returns the name, the predicted value and the actual value of each figure that the run measured, as text."""
        candidates = "none" if self.candidates is None else f"about {rounded(self.candidates):,}"
        lines = [("same words", f"{self.same_words:,}", f"{summary.same_words:,}")]
        if summary.candidates is not None:
            lines.append(("candidates", candidates, f"{summary.candidates:,}"))
        if summary.pairs is not None:
            lines.append(("similar pairs", f"about {rounded(self.pairs):,}", f"{summary.pairs:,}"))
        if summary.disk or summary.spilled:
            lines.append(("disk", f"about {in_words(self.disk)}", in_words(summary.disk or summary.spilled)))
        if summary.peak:
            lines.append(("memory at the peak", f"about {in_words(self.memory)}", in_words(summary.peak)))
        search = sum(seconds for stage, seconds in summary.seconds.items() if stage not in NOT_FORECAST)
        return [*lines, ("time of the search", f"about {_duration(self.seconds)}", _duration(search))]

    def __repr__(self) -> str:
        return f"Forecast(about {rounded(self.pairs):,} pairs of {self.documents:,} documents, by {self.plan.method})"

    def __str__(self) -> str:
        return self.text()

    def text(self, naming: Naming | None = None) -> str:
        """Returns the forecast as text. `naming` determines how warnings name options (default: as in Python)."""
        text = "".join(f"{name:<11}{words}\n" for name, words in self._lines())
        return text + "".join(f"{_wrapped('warning', warning.render(naming))}\n" for warning in self.warnings)

    def _card(self) -> Card:
        return dataclasses.replace(self._heading(), counts=(), facts=[("plan", repr(self.plan)), *self._lines()])

    def _lines(self) -> list[tuple[str, str]]:
        counts = f"{self.documents:,}, of which {self.same_words:,} with the same words and {self.empty:,} empty"
        return [
            ("documents", counts),
            ("candidates", "none: an exact join" if self.candidates is None else f"about {rounded(self.candidates):,}"),
            ("pairs", f"about {rounded(self.pairs):,}"),
            ("memory", f"about {in_words(self.memory)} at the peak"),
            ("disk", f"about {in_words(self.disk)} of temporary files" if self.disk else "no temporary files"),
            ("time", f"about {_duration(self.seconds)} on this machine"),
        ]


def _wrapped(name: str, words: str) -> str:
    return textwrap.fill(words, 80, initial_indent=f"{name:<11}", subsequent_indent=" " * 11, break_on_hyphens=False)


def rounded(x: float) -> int:
    """Rounds a number to two significant figures."""
    unit = 10 ** max(0, len(str(round(x))) - 2)
    return int(round(x / unit) * unit)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds:.1g} s"
    if seconds < 120:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
