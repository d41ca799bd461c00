"""Normalises texts and splits them into words, using a pinned Unicode version (docs/reference/format.md, section 1).

The Unicode tables of Python, pyarrow and operating systems differ in hundreds of code points, and signatures must not
depend on them. The project therefore has its own tables, in `tables.txt`. This package applies them in plain Python, as
the definition that the native kernel is tested against.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from lookalike.text.unicode.tables import Tables, load

__all__ = ["is_space", "normalize", "normalize_with_offsets", "word_class", "word_spans", "words"]

Piece = tuple[int, int, int]
"""A code point, and the start and end of the range of the original text that it came from."""

# Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
HANGUL_S, HANGUL_L, HANGUL_V, HANGUL_T = 0xAC00, 0x1100, 0x1161, 0x11A7
L_COUNT, V_COUNT, T_COUNT = 19, 21, 28
S_COUNT = L_COUNT * V_COUNT * T_COUNT


def normalize(text: str, *, nfkc: bool = True, fold: bool = True) -> str:
    """Normalises a text to NFKC (`nfkc`), to case-folded form (`fold`), or with both to NFKC_Casefold.

    >>> normalize("Ｓtraße ﬁn"), normalize("Straße", nfkc=False), normalize("ﬁn É", fold=False)
    ('strasse fin', 'strasse', 'fin É')
    """
    return "".join(chr(cp) for cp, _, _ in _pieces(text, nfkc, fold))


def normalize_with_offsets(text: str, *, nfkc: bool = True, fold: bool = True) -> tuple[str, list[tuple[int, int]]]:
    """Returns the normalised text and, for each of its code points, the range of the original text that it came from.

    One code point may become several (ﬁ → f, i), several may become one (e + ◌́ → é), and soft hyphens disappear.

    >>> normalize_with_offsets("ﬁé")
    ('fié', [(0, 1), (0, 1), (1, 2)])
    """
    pieces = _pieces(text, nfkc, fold)
    return "".join(chr(cp) for cp, _, _ in pieces), [(start, end) for _, start, end in pieces]


@lru_cache(maxsize=1 << 16)
def word_class(cp: int) -> str:
    """Returns the word class of a code point: space, word, solo, mark or other.

    >>> [word_class(ord(c)) for c in " a字\u0301!"]
    ['space', 'word', 'solo', 'mark', 'other']
    """
    return load().word_class(cp)


def is_space(cp: int) -> bool:
    """True if a code point has the property White_Space. (Python's `str.isspace` is true for four more code points.)"""
    return word_class(cp) == "space"


def words(text: str) -> list[str]:
    """Returns the words of a normalised text, in order.

    >>> words("don't panic: 東京 2 km")
    ['don', 't', 'panic', '東', '京', '2', 'km']
    """
    return [text[start:end] for start, end in word_spans(text)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Returns the start and end of each word of a normalised text."""
    spans: list[tuple[int, int]] = []
    opened_by: str | None = None
    for i, character in enumerate(text):
        kind = word_class(ord(character))
        if kind in ("space", "other"):
            opened_by = None
            continue
        joins = opened_by is not None and (kind == "mark" or (kind == "word" and opened_by != "solo"))
        if joins:
            spans[-1] = (spans[-1][0], i + 1)
        else:
            spans.append((i, i + 1))
            opened_by = kind
    return spans


def _pieces(text: str, nfkc: bool, fold: bool) -> list[Piece]:
    tables = load()
    if not nfkc:
        mapping = tables.case_folding if fold else {}
        return list(_mapped(text, mapping))
    mapping = tables.nfkc_casefold if fold else tables.nfkd
    return _composed(_ordered(_mapped(text, mapping), tables), tables)


def _mapped(text: str, mapping: dict[int, tuple[int, ...]]) -> Iterator[Piece]:
    """Yields the code points of the text, each replaced by its mapping. A mapping may be empty."""
    for i, character in enumerate(text):
        cp = ord(character)
        for mapped in mapping.get(cp, (cp,)):
            yield mapped, i, i + 1


def _ordered(pieces: Iterator[Piece], tables: Tables) -> list[Piece]:
    """Puts the pieces in canonical order: each run of combining marks is stably sorted by combining class."""
    ordered: list[Piece] = []
    run: list[Piece] = []
    for piece in pieces:
        if tables.combining_class.get(piece[0], 0):
            run.append(piece)
            continue
        ordered += sorted(run, key=lambda mark: tables.combining_class[mark[0]])
        run = []
        ordered.append(piece)
    return ordered + sorted(run, key=lambda mark: tables.combining_class[mark[0]])


def _composed(pieces: list[Piece], tables: Tables) -> list[Piece]:
    """Composes the pieces canonically: each is combined with the last starter, unless a piece between blocks it."""
    composed: list[Piece] = []
    starter: int | None = None  # index of the last starter in `composed`
    last_class = 0
    for cp, start, end in pieces:
        combining = tables.combining_class.get(cp, 0)
        adjacent = starter is not None and starter == len(composed) - 1
        if starter is not None and (adjacent or last_class < combining):
            first, first_start, first_end = composed[starter]
            joined = _compose(first, cp, tables)
            if joined is not None:
                composed[starter] = (joined, min(first_start, start), max(first_end, end))
                continue
        composed.append((cp, start, end))
        last_class = combining
        if combining == 0:
            starter = len(composed) - 1
    return composed


def _compose(first: int, second: int, tables: Tables) -> int | None:
    if HANGUL_L <= first < HANGUL_L + L_COUNT and HANGUL_V <= second < HANGUL_V + V_COUNT:
        return HANGUL_S + ((first - HANGUL_L) * V_COUNT + (second - HANGUL_V)) * T_COUNT
    is_lv = HANGUL_S <= first < HANGUL_S + S_COUNT and (first - HANGUL_S) % T_COUNT == 0
    if is_lv and HANGUL_T < second < HANGUL_T + T_COUNT:
        return first + (second - HANGUL_T)
    return tables.composites.get((first, second))
