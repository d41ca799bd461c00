"""Generates src/lookalike/text/unicode/tables.txt, the pinned Unicode rules, from the Unicode Character Database.

    python tools/unicode_data.py /usr/share/unicode      # Debian's package `unicode-data`, 15.0.0

Both implementations of the text rules use this file: `lookalike.text.unicode` (plain Python) reads it, and
`tools/unicode_header.py` converts it to `native/core/unicode_tables.h`. A different Unicode version changes signatures,
so it also needs a new version of the signature format (docs/reference/format.md).

The file has one record per line, with code points in hexadecimal:

    C first last class       word class of a code point: space, word, solo or mark (all others separate words)
    M first last ccc         canonical combining class, if it is not zero
    N cp  seq                NFKD of the code point, if it differs (Hangul syllables are algorithmic)
    F cp  seq                NFKC_Casefold of the code point, canonically decomposed, if it differs
    D first last             code points that NFKC_Casefold removes (default ignorables)
    L cp  seq                full case folding, if it differs
    P first second cp        primary composites: first + second → cp
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

VERSION = "15.0.0"

# Scripts written without spaces between words: each letter is a word.
SOLO_SCRIPTS = frozenset(
    "Han Hiragana Katakana Bopomofo Thai Lao Khmer Myanmar Tai_Tham Tai_Le New_Tai_Lue Tai_Viet "
    "Tangut Nushu Khitan_Small_Script".split()
)
# Shared by Hiragana and Katakana, so their script is Common in the Scripts file.
SOLO_EXTRA = frozenset({0x30FC, 0xFF70})


def records(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        body = line.split("#", 1)[0].strip()
        if body:
            yield [field.strip() for field in body.split(";")]


def span(field: str) -> range:
    first, _, last = field.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def sequence(field: str) -> list[int]:
    return [int(cp, 16) for cp in field.split()]


class Ucd:
    """The parts of the Unicode Character Database that the text rules need."""

    def __init__(self, folder: Path) -> None:
        header = (folder / "CaseFolding.txt").read_text(encoding="utf-8").splitlines()[0]
        if VERSION not in header:
            raise SystemExit(f"expected the files of Unicode {VERSION} in {folder}, found {header!r}")
        self.category: dict[int, str] = {}
        self.ccc: dict[int, int] = {}
        self.decomposition: dict[int, tuple[bool, list[int]]] = {}
        self._characters(folder / "UnicodeData.txt")
        self.script = {cp: f[1] for f in records(folder / "Scripts.txt") for cp in span(f[0])}
        self.spaces = {cp for f in records(folder / "PropList.txt") if f[1] == "White_Space" for cp in span(f[0])}
        self.fold = {span(f[0])[0]: sequence(f[2]) for f in records(folder / "CaseFolding.txt") if f[1] in ("C", "F")}
        self.nfkc_fold: dict[int, list[int]] = {}
        self.no_composition: set[int] = set()
        for fields in records(folder / "DerivedNormalizationProps.txt"):
            if fields[1] == "NFKC_CF":
                self.nfkc_fold.update((cp, sequence(fields[2])) for cp in span(fields[0]))
            elif fields[1] == "Full_Composition_Exclusion":
                self.no_composition.update(span(fields[0]))

    def _characters(self, path: Path) -> None:
        first = None
        for line in path.read_text(encoding="utf-8").splitlines():
            fields = line.split(";")
            cp = int(fields[0], 16)
            cps = range(first if first is not None else cp, cp + 1)
            first = cp if fields[1].endswith(", First>") else None
            for c in cps:
                self.category[c] = fields[2]
            if int(fields[3]):
                self.ccc[cp] = int(fields[3])
            if fields[5]:
                tag, _, rest = fields[5].rpartition("> ")
                self.decomposition[cp] = (bool(tag), sequence(rest))

    def decompose(self, cp: int, *, compatibility: bool) -> list[int]:
        tagged, parts = self.decomposition.get(cp, (False, []))
        if not parts or (tagged and not compatibility):
            return [cp]
        return [d for part in parts for d in self.decompose(part, compatibility=compatibility)]

    def word_class(self, cp: int) -> str | None:
        category = self.category.get(cp, "Cn")
        if cp in self.spaces:
            return "space"
        if category[0] == "M":
            return "mark"
        if category[0] not in "LN" and category != "Pc":
            return None
        solo = self.script.get(cp) in SOLO_SCRIPTS and category != "Nd"
        return "solo" if solo or cp in SOLO_EXTRA else "word"


def runs(values: dict[int, object]) -> Iterator[tuple[int, int, object]]:
    """Returns the runs of consecutive code points with equal values, as (first, last, value)."""
    start = previous = None
    for cp in sorted(values):
        if previous is not None and (cp != previous + 1 or values[cp] != values[previous]):
            yield start, previous, values[previous]  # type: ignore[misc]
            start = cp
        if start is None:
            start = cp
        previous = cp
    if previous is not None:
        yield start, previous, values[previous]  # type: ignore[misc]


def show(cps: Iterable[int]) -> str:
    return " ".join(f"{cp:X}" for cp in cps)


def tables(ucd: Ucd) -> Iterator[str]:
    yield f"# Unicode {VERSION}; made by tools/unicode_data.py, which says what the lines mean"
    classes = {cp: c for cp in ucd.category if (c := ucd.word_class(cp))}
    for first, last, value in runs(classes):  # type: ignore[arg-type]
        yield f"C {first:X} {last:X} {value}"
    for first, last, value in runs(ucd.ccc):  # type: ignore[arg-type]
        yield f"M {first:X} {last:X} {value}"
    for cp in sorted(ucd.decomposition):
        yield f"N {cp:X} {show(ucd.decompose(cp, compatibility=True))}"
    for cp, folded in sorted(ucd.nfkc_fold.items()):
        if folded:
            yield f"F {cp:X} {show(d for f in folded for d in ucd.decompose(f, compatibility=False))}"
    # Code points that NFKC_Casefold keeps must be decomposed too, because only decomposed marks can be reordered.
    for cp in sorted(ucd.decomposition.keys() - ucd.nfkc_fold.keys()):
        if (parts := ucd.decompose(cp, compatibility=False)) != [cp]:
            yield f"F {cp:X} {show(parts)}"
    for first, last, _ in runs({cp: 0 for cp, folded in ucd.nfkc_fold.items() if not folded}):
        yield f"D {first:X} {last:X}"
    for cp, folded in sorted(ucd.fold.items()):
        yield f"L {cp:X} {show(folded)}"
    for cp, (tagged, parts) in sorted(ucd.decomposition.items()):
        if not tagged and len(parts) == 2 and cp not in ucd.no_composition:
            yield f"P {show(parts)} {cp:X}"


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "src/lookalike/text/unicode/tables.txt"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(tables(Ucd(Path(sys.argv[1])))) + "\n", encoding="ascii")
    print(f"{target}: {target.stat().st_size:,} bytes")
