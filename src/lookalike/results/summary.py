"""Summary: what a run read, found and cost. Every number a user may ask about afterwards."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa

from lookalike.notices import Notice


@dataclass(frozen=True)
class Summary:
    """Counts, times and the plan of one run. What was skipped or left out is counted here, never hidden."""

    documents: int = 0
    empty: int = 0
    """Texts without a single shingle: kept, never similar to anything."""
    malformed: int = 0
    """Rows left out under on_error="skip"."""
    short: int = 0
    """Texts of fewer tokens than k: one shingle, the whole text."""
    fallback: int = 0
    """Texts without stop words under stop-word shingles, cut as plain words."""
    exact_copies: int = 0
    """Documents equal to an earlier one after normalising."""
    candidates: int | None = None
    """Distinct candidate pairs, counted between texts that are no copies; None where the goal did not need them all."""
    checked: int = 0
    """Similarities computed: the work that was done, which engines and budgets may do differently for one answer."""
    pairs: int | None = None
    clusters: int | None = None
    """Clusters of two or more."""
    clustered: int | None = None
    """Documents in clusters of two or more."""
    bytes: int = 0
    """Text read, in UTF-8 bytes."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by stage, in the order in which the stages ran."""
    written: int = 0
    """Bytes written to the work folder."""
    disk: int = 0
    """The most bytes that were in the work folder at once."""
    resumed: int = 0
    """Parts that an interrupted run had finished, and this one went on from."""
    memory: int = 0
    """The budget of memory that it ran under, in bytes."""
    spilled: int = 0
    """Bytes that did not fit into it and were kept in files."""
    warnings: tuple[Notice | str, ...] = ()
    plan: str = ""
    """The resolved plan, as TOML."""
    input: str = ""
    """How the data was opened, as JSON (`lookalike.io.source_description`)."""
    verified: str = "exact"
    engine: str = "local"

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())

    def stamp(self, table: pa.Table) -> pa.Table:
        """The table with plan and input in its metadata: they travel with it as Parquet or Arrow."""
        about = {"lookalike.plan": self.plan, "lookalike.verified": self.verified} if self.plan else {}
        if self.input:
            about |= {"lookalike.input": self.input, "lookalike.documents": str(self.documents)}
        return table.replace_schema_metadata({**(table.schema.metadata or {}), **about})

    def to_dict(self) -> dict[str, Any]:
        """JSON types only; `from_dict` is the inverse."""
        warnings = [warning.to_dict() if isinstance(warning, Notice) else warning for warning in self.warnings]
        return {**asdict(replace(self, warnings=())), "warnings": warnings}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Summary:
        warnings = values.get("warnings", ())
        notices = (warning if isinstance(warning, str) else Notice.from_dict(warning) for warning in warnings)
        return cls(**{**values, "warnings": tuple(notices)})
