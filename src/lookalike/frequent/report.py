"""Report on the passes of pair counting: the numbers of items, pairs and buckets, and the memory of the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from lookalike.io.baskets import Baskets
from lookalike.notices import Notice
from lookalike.notices.readable import in_words
from lookalike.results.restoring import checked


@dataclass(frozen=True)
class Pass:
    """The counts, table sizes and time of one pass over all baskets."""

    name: str
    counts: dict[str, int] = field(default_factory=dict)
    """Named counts, such as distinct and frequent items."""
    bytes: dict[str, int] = field(default_factory=dict)
    """The maximum size of each table during the pass, in bytes."""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def lines(self) -> tuple[str, str]:
        """Returns the counts with the time, and the sizes of the tables, in words."""
        counts = (f"{count:,} {what.removesuffix('s') if count == 1 else what}" for what, count in self.counts.items())
        tables = (f"{what} {in_words(size)}" for what, size in self.bytes.items())
        return f"{', '.join(counts)}; {self.seconds:.2f} s", ", ".join(tables)

    def __str__(self) -> str:
        return f"{self.name}: {'; '.join(self.lines())}"


@dataclass(frozen=True)
class Report:
    """The records of all passes, and notes about them."""

    method: str
    memory: int
    passes: tuple[Pass, ...]
    notes: tuple[Notice, ...] = ()
    """The reasons for additional passes, and warnings from reading, such as skipped baskets."""

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.passes)

    def to_dict(self) -> dict[str, Any]:
        notes = [note.to_dict() for note in self.notes]
        return {**asdict(replace(self, notes=())), "notes": notes}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Report:
        """The inverse of `to_dict`."""
        known = checked(values, method=str, memory=int, passes=list[dict[str, Any]], notes=list[dict[str, Any]])
        kinds = {"name": str, "counts": dict[str, int], "bytes": dict[str, int], "seconds": float}
        passes = tuple(Pass(**checked(one, **kinds)) for one in known["passes"])
        return cls(known["method"], known["memory"], passes, tuple(map(Notice.from_dict, known["notes"])))

    def __str__(self) -> str:
        head = f"{self.method}, {len(self.passes)} passes, memory {in_words(self.memory)}"
        return "\n".join([head, *map(str, self.passes), *(f"note: {note}" for note in self.notes)])


def notes_of(baskets: Baskets) -> tuple[Notice, ...]:
    """Returns the warnings from reading the baskets, including one about the number of skipped baskets."""
    skipped = baskets.malformed
    counted = (Notice("baskets-skipped", count=skipped.count), *skipped.first) if skipped.count else ()
    return (*counted, *baskets.warnings)
