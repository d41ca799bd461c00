"""Generates native/core/unicode_tables.h from src/lookalike/text/unicode/tables.txt: arrays for C++ and GPUs.

    python tools/unicode_header.py

`stage1` and `stage2` map a code point to a record of `characters`, which contains all that the kernel needs: word
class, combining class, and the offsets of its mappings in `sequences` (first the length, then the code points). The
record has each mapping twice, decomposed and composed. Most characters do not combine with their neighbours; for these
the composed mapping is the final result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/lookalike/text/unicode/tables.txt"
TARGET = ROOT / "native/core/unicode_tables.h"

CODE_POINTS = 0x110000
BLOCK = 128
CLASSES = {"other": 0, "space": 1, "word": 2, "solo": 3, "mark": 4}
SECOND, FOLD_STARTS, KEEP_STARTS = 1, 2, 4  # flags of a record, explained in native/core/text.h

Sequence = tuple[int, ...]


@dataclass
class Rules:
    """The lines of tables.txt, by kind."""

    classes: dict[int, int] = field(default_factory=dict)
    ccc: dict[int, int] = field(default_factory=dict)
    keep: dict[int, Sequence] = field(default_factory=dict)
    fold: dict[int, Sequence] = field(default_factory=dict)
    lower: dict[int, Sequence] = field(default_factory=dict)
    pairs: dict[tuple[int, int], int] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Rules:
        rules = cls()
        for line in path.read_text(encoding="ascii").splitlines():
            kind, *rest = line.split()
            if kind == "C":
                rules.classes.update(dict.fromkeys(_span(rest), CLASSES[rest[2]]))
            elif kind == "M":
                rules.ccc.update(dict.fromkeys(_span(rest), int(rest[2])))
            elif kind == "D":
                rules.fold.update(dict.fromkeys(_span(rest), ()))
            elif kind == "P":
                first, second, composite = _code_points(rest)
                rules.pairs[first, second] = composite
            elif kind in "NFL":
                mapping = {"N": rules.keep, "F": rules.fold, "L": rules.lower}[kind]
                mapping[int(rest[0], 16)] = _code_points(rest[1:])
        return rules

    @cached_property
    def seconds(self) -> frozenset[int]:
        """The code points that can combine with a preceding one. Hangul vowels and final consonants combine by rule."""
        return frozenset((*(second for _, second in self.pairs), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3)))

    def is_second(self, cp: int) -> bool:
        return cp in self.seconds

    def compose(self, sequence: Iterable[int]) -> Sequence:
        """Puts a sequence in canonical order and composes it (Unicode 15, section 3.11)."""
        out: list[int] = []
        starter, last = -1, 0
        for cp in self._ordered(sequence):
            ccc = self.ccc.get(cp, 0)
            adjacent = starter == len(out) - 1
            if starter >= 0 and (adjacent or last < ccc) and (made := self._pair(out[starter], cp)):
                out[starter] = made
                continue
            if ccc == 0:
                starter = len(out)
            last = ccc
            out.append(cp)
        return tuple(out)

    def _ordered(self, sequence: Iterable[int]) -> list[int]:
        cps, run = [], []
        for cp in sequence:
            if self.ccc.get(cp, 0):
                run.append(cp)
            else:
                cps += [*sorted(run, key=lambda c: self.ccc[c]), cp]
                run = []
        return cps + sorted(run, key=lambda c: self.ccc[c])

    def _pair(self, first: int, second: int) -> int | None:
        if 0x1100 <= first <= 0x1112 and 0x1161 <= second <= 0x1175:
            return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
        if 0xAC00 <= first <= 0xD7A3 and (first - 0xAC00) % 28 == 0 and 0x11A8 <= second <= 0x11C2:
            return first + second - 0x11A7
        return self.pairs.get((first, second))


@dataclass
class Pool:
    """Sequences of code points, each stored once. Offset 0 means that a code point maps to itself."""

    values: list[int] = field(default_factory=lambda: [0])
    offsets: dict[Sequence, int] = field(default_factory=dict)

    def add(self, cp: int, sequence: Sequence) -> int:
        if sequence == (cp,):
            return 0
        if sequence not in self.offsets:
            self.offsets[sequence] = len(self.values)
            self.values += [len(sequence), *sequence]
        return self.offsets[sequence]


def records(rules: Rules, pool: Pool) -> Iterator[tuple[int, ...]]:
    """Returns one record per code point, with the fields of `Character` in order."""
    special = rules.fold.keys() | rules.keep.keys() | rules.lower.keys() | rules.ccc.keys()
    for cp in range(CODE_POINTS):
        word_class = rules.classes.get(cp, 0)
        if cp not in special and not rules.is_second(cp):
            yield (0, 0, 0, 0, 0, word_class, 0, FOLD_STARTS | KEEP_STARTS)
            continue
        fold, keep = rules.fold.get(cp, (cp,)), rules.keep.get(cp, (cp,))
        flags = SECOND * rules.is_second(cp)
        for flag, mapped in ((FOLD_STARTS, fold), (KEEP_STARTS, keep)):
            if mapped and not rules.ccc.get(mapped[0]) and not rules.is_second(mapped[0]):
                flags |= flag
        yield (
            pool.add(cp, fold), pool.add(cp, rules.compose(fold)),
            pool.add(cp, keep), pool.add(cp, rules.compose(keep)),
            pool.add(cp, rules.lower.get(cp, (cp,))),
            word_class, rules.ccc.get(cp, 0), flags,
        )  # fmt: skip


def header(rules: Rules) -> Iterator[str]:
    pool = Pool()
    numbers: dict[tuple[int, ...], int] = {}
    index = [numbers.setdefault(record, len(numbers)) for record in records(rules, pool)]
    blocks: dict[tuple[int, ...], int] = {}
    stage1 = [blocks.setdefault(tuple(index[i : i + BLOCK]), len(blocks)) for i in range(0, CODE_POINTS, BLOCK)]
    if len(pool.values) > 0xFFFF or len(numbers) > 0xFFFF:
        raise SystemExit("the tables are too large for 16-bit offsets")
    pairs = sorted(rules.pairs.items())
    version = SOURCE.read_text(encoding="ascii").split(";")[0].removeprefix("# ")
    yield f"// {version}; made from src/lookalike/text/unicode/tables.txt by tools/unicode_header.py. Do not edit."
    yield "#pragma once"
    yield '#include "base.h"'
    yield "namespace lookalike {"
    yield f"inline constexpr u32 kBlock = {BLOCK};"
    yield "struct Character {"
    yield "    u16 fold, folded;  // NFKC_Casefold: decomposed, and composed"
    yield "    u16 keep, kept;    // NFKC: decomposed, and composed"
    yield "    u16 lower;         // full case folding alone"
    yield "    u8 word_class, ccc, flags;"
    yield "};"
    yield from _array("u8", "kAsciiClass", [rules.classes.get(cp, 0) for cp in range(128)])
    yield from _array("u16", "kStage1", stage1)
    yield from _array("u16", "kStage2", [number for block in blocks for number in block])
    yield from _array("Character", "kCharacters", ["{" + ",".join(map(str, r)) + "}" for r in numbers])
    yield from _array("u32", "kSequences", pool.values)
    yield from _array("u64", "kPairs", [f"{first << 32 | second:#x}" for (first, second), _ in pairs])
    yield from _array("u32", "kComposites", [composite for _, composite in pairs])
    yield "}  // namespace lookalike"


def _array(kind: str, name: str, values: Iterable[int | str]) -> Iterator[str]:
    words = [str(value) for value in values]
    yield f"LK_TABLE {kind} {name}[{len(words)}] = {{"
    line = ""
    for word in words:
        if len(line) + len(word) > 118:
            yield line
            line = ""
        line += word + ","
    yield line + "};"


def _span(rest: list[str]) -> range:
    return range(int(rest[0], 16), int(rest[1], 16) + 1)


def _code_points(words: list[str]) -> Sequence:
    return tuple(int(word, 16) for word in words)


def main() -> None:
    TARGET.write_text("\n".join(header(Rules.read(SOURCE))) + "\n", encoding="ascii")
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
