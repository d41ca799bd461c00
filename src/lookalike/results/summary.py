"""Summary: the counts, times and plan of one run. Overview: the counts of a result that people are shown."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.notices import Notice
from lookalike.notices.readable import in_words

if TYPE_CHECKING:
    from lookalike.display.card import Card


BYTES = ("bytes", "memory", "peak", "spilled", "written", "disk")
"""The entries that are sizes in bytes."""


SAME = {
    "words": "the same words",
    "symbols": "the same words and symbols",
    "chars": "the same characters",
    "tokens": "the same tokens",
}
"""What documents with the "same words" have in common after normalization, by kind of shingles."""


@dataclass(frozen=True, repr=False)
class Summary:
    """The counts, times and plan of one run, including counts of everything that was skipped."""

    documents: int = 0
    indexed: int = 0
    """The number of documents of the index, if the run had one as its reference. `documents` includes only those that
    share a bucket with an input document."""
    empty: int = 0
    """The number of texts without any shingle. They are kept and match nothing."""
    malformed: int = 0
    """The number of malformed rows that were skipped (on_error="skip")."""
    short: int = 0
    """The number of texts with fewer than k tokens. Their only shingle is the whole text."""
    fallback: int = 0
    """The number of texts without stop words. They are split into shingles of plain words instead."""
    same_words: int = 0
    """The number of documents with the same words in the same order as an earlier document, including identical
    documents."""
    candidates: int | None = None
    """The number of candidate pairs; None if the run did not need to count them. Texts with the same words in the same
    order count as one document, so there may be more pairs than candidates."""
    checked: int = 0
    """The number of similarities that were computed. This number depends on the engine and the memory budget; the
    result does not."""
    pairs: int | None = None
    clusters: int | None = None
    """The number of clusters of two or more documents."""
    clustered: int | None = None
    """The number of documents in clusters of two or more."""
    kept_by: dict[str, int] = field(default_factory=dict)
    """The number of removed documents per survivor rule. A document is counted under the first rule that distinguishes
    it from the document kept in its place. Empty if survivors were chosen only by input order."""
    decisions: dict[str, int] = field(default_factory=dict)
    """The numbers of decisions that were applied, of decisions that are stale, and of decisions whose documents were
    not found."""
    bytes: int = 0
    """The size of the texts that were read, in bytes of UTF-8."""
    seconds: dict[str, float] = field(default_factory=dict)
    """The wall time of each stage in seconds, in the order of the stages. The stages after the search (keep, write and
    report) are included."""
    written: int = 0
    """The number of bytes written to the work folder."""
    disk: int = 0
    """The peak size of the work folder, in bytes."""
    resumed: int = 0
    """The number of finished parts of an interrupted run that this run reused."""
    memory: int = 0
    """The memory budget, in bytes."""
    peak: int = 0
    """The peak memory of the process up to the end of the search, in bytes."""
    spilled: int = 0
    """The number of bytes that were written to temporary files because they exceeded the memory budget."""
    warnings: tuple[Notice, ...] = ()
    """The warnings about the run."""
    shingles: str = ""
    """The kind of shingles, such as words:5; if the plan specifies auto, the kind that was chosen."""
    plan: str = ""
    """The resolved plan, as TOML."""
    input: str = ""
    """A description of how the data was opened, as JSON."""
    verified: str = "exact"
    engine: str = "local"

    def __repr__(self) -> str:
        counts = {"pair": self.pairs, "cluster": self.clusters, "with the same words": self.same_words}
        counts |= {"empty": self.empty, "malformed": self.malformed}
        parts = [f"{count:,} {_plural(noun) if count != 1 else noun}" for noun, count in counts.items() if count]
        found = f": {', '.join(parts)}" if parts else ""
        return f"Summary({counted(self.documents, 'document')}{found}; {self.total_seconds:.2f} s)"

    def __str__(self) -> str:
        return self._card().text()

    def _repr_html_(self) -> str:
        return self._card().html()

    def _card(self) -> Card:
        """Returns a card of all entries that are not empty, except the plan and the input, which are long."""
        from lookalike.display.card import Card

        facts = [
            (name.replace("_", " "), f"{value:,}" if isinstance(value, int) else str(value))
            for name, value in self.to_dict().items()
            if value and name not in ("seconds", "warnings", "plan", "input", "kept_by", "decisions", *BYTES)
        ]
        facts += [("kept by rule", self.kept_by_rule)] if self.kept_by else []
        facts += [("decisions", self.decisions_in_words)] if self.decisions else []
        facts += [(name, in_words(getattr(self, name))) for name in BYTES if getattr(self, name)]
        facts += [(f"{name} (seconds)", f"{spent:.3f}") for name, spent in self.seconds.items()]
        words = repr(self).removeprefix("Summary(").removesuffix(")")
        return Card("Summary", words, facts=facts, notes=[str(warning) for warning in self.warnings])

    @property
    def kept_by_rule(self) -> str:
        """`kept_by` in words, such as "longest 31, input order 4"."""
        return ", ".join(f"{rule} {count:,}" for rule, count in self.kept_by.items())

    @property
    def decisions_in_words(self) -> str:
        """`decisions` in words, such as "12 applied, 1 stale, 0 not found"."""
        return ", ".join(f"{count:,} {state}" for state, count in self.decisions.items())

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())

    def stamp(self, table: pa.Table) -> pa.Table:
        """Returns the table with the plan and a description of the input in its metadata. Parquet and Arrow files keep
        this metadata."""
        about = {"lookalike.plan": self.plan, "lookalike.verified": self.verified} if self.plan else {}
        if self.input:
            about |= {"lookalike.input": self.input, "lookalike.documents": str(self.documents)}
        return table.replace_schema_metadata({**(table.schema.metadata or {}), **about})

    def to_dict(self) -> dict[str, Any]:
        """Returns the summary in JSON types; `from_dict` is the inverse."""
        warnings = [warning.to_dict() for warning in self.warnings]
        return {**asdict(replace(self, warnings=())), "warnings": warnings}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Summary:
        return cls(**{**values, "warnings": tuple(map(Notice.from_dict, values["warnings"]))})


@dataclass(frozen=True)
class Overview:
    """The counts of a result, as shown in the terminal and in the report."""

    documents: int
    copies: int
    """The number of documents with the same words as an earlier one; after removal, as the one kept in their place."""
    near: int
    """The number of near-duplicates: documents that would be removed and do not have the same words as the kept one."""
    clusters: int
    clustered: int
    sizes: tuple[tuple[int, int], ...]
    """Pairs of a cluster size, two or more, and the number of clusters of that size."""
    largest: tuple[int, ...]
    """The sizes of the five largest clusters, or of all if there are fewer."""
    pairs: int | None = None
    kept: int | None = None
    removed: int | None = None
    reference: int | None = None
    """The number of reference documents; None if there is no reference."""
    known: int | None = None
    """The number of documents that were removed because a reference document was kept in their place."""
    below: int | None = None
    """The number of removed documents whose similarity to the one kept in their place is below the threshold."""
    identical: int | None = None
    """The number of removed documents with the same bytes as the one kept in their place; None if not compared."""
    lost: int | None = None
    """The number of characters of removed documents in shingles that the one kept in their place lacks."""

    @property
    def distinct(self) -> int:
        """The number of documents that remain if one per cluster is kept."""
        return self.documents - self.copies - self.near


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Formats a count with its noun, which is in the plural unless the count is 1 (default: with an s).

    >>> counted(1, "document"), counted(2000, "document"), counted(3, "query", "queries")
    ('1 document', '2,000 documents', '3 queries')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def _plural(noun: str) -> str:
    return {"empty": noun, "malformed": noun, "with the same words": noun}.get(noun, f"{noun}s")
