"""Loads the Unicode tables from tables.txt when they are first used.

`tools/unicode_data.py` generates the file from the Unicode Character Database and documents its format.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

VERSION = "15.0.0"


@dataclass(frozen=True)
class Tables:
    """The pinned Unicode data. Each field is named after its table in the Unicode Character Database."""

    nfkd: dict[int, tuple[int, ...]] = field(default_factory=dict)
    nfkc_casefold: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The NFKC_Casefold mappings, canonically decomposed; default ignorable code points are mapped to nothing."""
    case_folding: dict[int, tuple[int, ...]] = field(default_factory=dict)
    combining_class: dict[int, int] = field(default_factory=dict)
    """The combining class of each code point, if it is not 0."""
    composites: dict[tuple[int, int], int] = field(default_factory=dict)
    class_starts: list[int] = field(default_factory=list)
    class_runs: list[tuple[int, str]] = field(default_factory=list)
    """The last code point and the word class of each run of code points; run i starts at `class_starts[i]`."""

    def word_class(self, cp: int) -> str:
        i = bisect_right(self.class_starts, cp) - 1
        if i < 0 or cp > self.class_runs[i][0]:
            return "other"
        return self.class_runs[i][1]


@cache
def load() -> Tables:
    """Loads the tables of Unicode 15.0.0. The file is read only once."""

    tables = Tables()
    with files("lookalike.text.unicode").joinpath("tables.txt").open(encoding="ascii") as lines:
        for line in lines:
            tag, *fields = line.split()
            if tag == "C":
                tables.class_starts.append(int(fields[0], 16))
                tables.class_runs.append((int(fields[1], 16), fields[2]))
            elif tag == "M":
                for cp in range(int(fields[0], 16), int(fields[1], 16) + 1):
                    tables.combining_class[cp] = int(fields[2])
            elif tag == "D":
                for cp in range(int(fields[0], 16), int(fields[1], 16) + 1):
                    tables.nfkc_casefold[cp] = ()
            elif tag == "P":
                first, second, composite = (int(f, 16) for f in fields)
                tables.composites[first, second] = composite
            elif tag in "NFL":
                mapping = {"N": tables.nfkd, "F": tables.nfkc_casefold, "L": tables.case_folding}[tag]
                cp, *sequence = (int(f, 16) for f in fields)
                mapping[cp] = tuple(sequence)
    return tables
