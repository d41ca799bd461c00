"""Normalising follows the Unicode standard, for every code point and for marks in any order."""

from __future__ import annotations

from importlib.resources import files

import unicodedata2
from hypothesis import assume, given
from hypothesis import strategies as st

from lookalike.planning.plan import UNICODE
from lookalike.text.unicode import normalize, normalize_with_offsets
from lookalike.text.unicode.tables import VERSION, load

MARKS = "\u0301\u0300\u0323\u0307\u0308\u0345\u031b\u0327\u093c\u0f71\u0f72\u302a\u3099\U0001d165"
BASES = "aeoAEOsſαΑωḋṩqạ가각ᄀ각ᅡᆨカか①ﬁﬃ½ǆΆẛﾡﾲ\u00ad\u200d\ufdfa"
tricky = st.text(st.one_of(st.sampled_from(MARKS), st.sampled_from(BASES), st.characters(exclude_categories=["Cs"])))


def test_the_tables_are_of_the_version_that_the_test_compares_with() -> None:
    assert unicodedata2.unidata_version == VERSION == UNICODE
    header = files("lookalike.text.unicode").joinpath("tables.txt").read_text(encoding="ascii").splitlines()[0]
    assert f"Unicode {VERSION};" in header


def test_nfkc_follows_the_standard_for_every_code_point() -> None:
    """There are 1,112,064 code points, including unassigned ones."""
    differ = [
        hex(cp)
        for cp in range(0x110000)
        if not 0xD800 <= cp < 0xE000 and normalize(chr(cp), fold=False) != unicodedata2.normalize("NFKC", chr(cp))
    ]
    assert differ == []


@given(tricky)
def test_nfkc_follows_the_standard_for_marks_in_any_order(text: str) -> None:
    assert normalize(text, fold=False) == unicodedata2.normalize("NFKC", text)


@given(tricky)
def test_nfkc_casefold_is_the_composed_form_of_the_mapped_characters(text: str) -> None:
    """Definition R5 of the standard (toNFKC_Casefold), composed by another implementation."""
    mapping = load().nfkc_casefold
    mapped = "".join(chr(cp) for c in text for cp in mapping.get(ord(c), (ord(c),)))
    assert normalize(text) == unicodedata2.normalize("NFC", mapped)


@given(tricky)
def test_nfkc_casefold_of_nfkc_equals_its_own_case_folding_in_ascii(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    assert normalize(plain) == plain.lower() == normalize(plain, nfkc=False)


@given(tricky)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    for options in ({}, {"fold": False}, {"nfkc": False}, {"nfkc": False, "fold": False}):
        once = normalize(text, **options)
        assert normalize(once, **options) == once


@given(tricky)
def test_equivalent_texts_become_equal(text: str) -> None:
    """The exception is the Greek iota subscript, a mark that folds to a letter: its position among marks matters."""
    assume("\u0345" not in unicodedata2.normalize("NFD", text))
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert normalize(unicodedata2.normalize(form, text)) == normalize(text)


@given(tricky)
def test_without_either_rule_the_text_stays_as_it_is(text: str) -> None:
    assert normalize(text, nfkc=False, fold=False) == text


def test_the_documented_examples_of_the_standard() -> None:
    """UAX #15, figures 3 to 6, and the case folding of CaseFolding.txt."""
    assert normalize("\u212b", fold=False) == "\u00c5"  # ANGSTROM SIGN is a singleton
    assert normalize("\u2126", fold=False) == "\u03a9"
    assert normalize("\u1e0a\u0323", fold=False) == "\u1e0c\u0307"  # marks in canonical order, then composed
    assert normalize("q\u0307\u0323", fold=False) == "q\u0323\u0307"
    assert normalize("\ufb01", fold=False) == "fi"
    assert normalize("2\u2075", fold=False) == "25"
    assert normalize("\u1e9b\u0323", fold=False) == "\u1e69"
    assert normalize("\u1100\u1161\u11a8", fold=False) == "\uac01"  # Hangul by arithmetic
    assert normalize("\u0958", fold=False) == "\u0915\u093c"  # excluded from composition
    assert normalize("Straße", nfkc=False) == "strasse"
    assert normalize("ΣΑΣ ς", nfkc=False) == "σασ σ"
    assert normalize("İ", nfkc=False) == "i\u0307"
    assert normalize("so\u00adft\u200b hyphen") == "soft hyphen"  # default ignorables vanish
    assert normalize("ＦＵＬＬ　ｗｉｄｔｈ ﾊﾟ") == "full width パ"


@given(tricky)
def test_offsets_point_at_the_source_of_a_character(text: str) -> None:
    normalized, origins = normalize_with_offsets(text)
    assert normalized == normalize(text)
    assert len(origins) == len(normalized)
    assert all(0 <= start < end <= len(text) for start, end in origins)


@given(tricky, tricky)
def test_offsets_of_a_line_do_not_depend_on_the_next_line(first: str, second: str) -> None:
    """A line end neither composes nor reorders, so both lines are normalised independently."""
    alone, whole = normalize_with_offsets(first), normalize_with_offsets(f"{first}\n{second}")
    assert whole[1][: len(alone[1])] == alone[1]
    behind = normalize_with_offsets(second)
    shift = len(first) + 1
    assert whole[1][len(alone[1]) + 1 :] == [(start + shift, end + shift) for start, end in behind[1]]


def test_offsets_cover_ligatures_compositions_and_reordered_marks() -> None:
    assert normalize_with_offsets("xﬁe\u0301!") == ("xfié!", [(0, 1), (1, 2), (1, 2), (2, 4), (4, 5)])
    assert normalize_with_offsets("q\u0307\u0323") == ("q\u0323\u0307", [(0, 1), (2, 3), (1, 2)])
    assert normalize_with_offsets("a\u00adb") == ("ab", [(0, 1), (2, 3)])
