"""MMDS, section 3.2: documents become sets of shingles. The library hashes the shingles."""

from __future__ import annotations

import math

from lookalike.distances import bag_jaccard_fraction, jaccard, jaccard_fraction
from lookalike.engines.reference import definitions
from lookalike.engines.reference.engine import Reference
from lookalike.flow import Chars, Documents, Shingling, Stopwords, Symbols, Words
from lookalike.planning.plan import Plan
from lookalike.text.definitions import mix


def shingles_of(text: str, shingling: Shingling) -> set[int]:
    plan = Plan(shingles=shingling).resolve()
    return set(Reference().shingle(Documents.from_texts([text]), plan)[0].tolist())


def hashed(*shingles: str, bits: int = 64) -> list[int]:
    """Hashes of character shingles as the library stores them: each text is its own only shingle."""
    values = [definitions.windows(s, Chars(len(s), case="keep", whitespace="keep")).values[0] for s in shingles]
    return values if bits == 64 else [mix(value >> 32) for value in values]


SENTENCE = (
    "The most effective way to represent documents as sets is to construct from the document the set of short strings "
    "that appear within it."
)


def test_2_shingles_of_abcab() -> None:
    """The 2-shingles of abcab are {ab, bc, ca}."""
    assert shingles_of("abcab", Chars(2)) == set(hashed("ab", "bc", "ca"))


def test_2_shingles_of_abcab_as_a_bag() -> None:
    """As a bag, ab counts twice."""
    bag = shingles_of("abcab", Chars(2, bag=True))
    assert len(bag) == 4
    assert set(hashed("ab", "bc", "ca")) < bag


def test_similarity_of_bags_of_shingles_takes_the_greater_count() -> None:
    """The footnote to Example 3.2: with the maximum as union, a bag has similarity 1 to itself."""
    bag = Chars(2, bag=True)
    for a, b in (("abcab", "abcab"), ("abcab", "ababab"), ("aaaa", "aa"), ("abcab", "xyz")):
        pairs = [[text[i : i + 2] for i in range(len(text) - 1)] for text in (a, b)]
        assert jaccard_fraction(shingles_of(a, bag), shingles_of(b, bag)) == bag_jaccard_fraction(*pairs, union="max")


def test_example_3_3() -> None:
    """Example 3.3: the 2-shingles of abcdabd are ab, bc, cd, da, bd."""
    assert shingles_of("abcdabd", Chars(2)) == set(hashed("ab", "bc", "cd", "da", "bd"))


def test_example_3_4_touch_down() -> None:
    """Example 3.4: without blanks, both sentences contain `touchdown`; with blanks, only the second does."""
    plane, sport = "The plane was ready for touch down", "The quarterback scored a touchdown"
    (touchdown,) = hashed("touchdown")
    dropped = Chars(9, whitespace="drop")
    assert shingles_of(plane, dropped) & shingles_of(sport, dropped) == {touchdown}
    assert set(hashed("touch dow", "ouch down")) <= shingles_of(plane, Chars(9))
    assert touchdown in shingles_of(sport, Chars(9))
    assert not shingles_of(plane, Chars(9)) & shingles_of(sport, Chars(9))


def test_runs_of_white_space_count_as_one_blank() -> None:
    """3.2.1: any sequence of blanks, tabs and newlines is replaced by a single blank, unless it is kept."""
    folded, kept = Chars(3), Chars(3, whitespace="keep")
    assert shingles_of("a  b\t\n c", folded) == shingles_of("a b c", folded)
    assert shingles_of("a  b\t\n c", kept) != shingles_of("a b c", kept)


def test_5_shingles_of_a_sentence() -> None:
    found = definitions.windows(SENTENCE, Chars(5, case="keep")).values
    wanted = "The m|he mo|e mos| most|most |ost e|st ef|t eff| effe|effec|ffect|fecti|ectiv".split("|")
    assert list(found[:13]) == hashed(*wanted)


def test_9_shingles_of_a_sentence() -> None:
    """The first ten."""
    found = definitions.windows(SENTENCE, Chars(9, case="keep")).values
    wanted = (
        "The most |he most e|e most ef| most eff|most effe|ost effec|st effect|t effecti| effectiv|effective".split("|")
    )
    assert list(found[:10]) == hashed(*wanted)


def test_shingles_hashed_to_four_bytes() -> None:
    """3.2.3: each 9-shingle becomes one of 2³² numbers, and almost no two shingles collide."""
    nine, four = shingles_of(SENTENCE, Chars(9)), shingles_of(SENTENCE, Chars(9, bits=32))
    assert four == {mix(value >> 32) for value in nine}
    assert len(four) == len(nine)
    assert shingles_of("The most ", Chars(9, bits=32, case="keep", whitespace="keep")) == set(
        hashed("The most ", bits=32)
    )


def test_numbers_of_possible_shingles() -> None:
    """3.2.2: 27⁵ = 14,348,907; 20⁴ = 160,000 = 2^17.3 is far below 2³², 20⁹ = 2^39 above it."""
    assert 27**5 == 14_348_907
    assert (20**4, 20**9) == (160_000, 512_000_000_000)
    assert round(math.log2(20**4), 1) == 17.3
    assert round(math.log2(20**9)) == 39
    assert 20**4 < 2**32 < 20**9


def test_single_characters_make_unrelated_texts_similar() -> None:
    """3.2.2: with k = 1 almost all texts are similar; with k = 9 they are not."""
    a = "how large k should be depends on how long typical documents are and how large the alphabet is"
    b = "every good wizard might quickly jump over six dozen lazy brown foxes and then take a chapter of rest"
    assert jaccard(shingles_of(a, Chars(1)), shingles_of(b, Chars(1))) > 0.7
    assert jaccard(shingles_of(a, Chars(9)), shingles_of(b, Chars(9))) == 0


def test_text_in_another_order_stays_similar() -> None:
    """The working assumption: pieces out of order still share most shingles."""
    first = "the set of short strings that appear within it represents the document very well"
    second = "documents that share pieces as short as sentences have many common elements"
    one, other = f"{first}. {second}.", f"{second}. {first}."
    assert jaccard(shingles_of(one, Words(3)), shingles_of(other, Words(3))) > 0.7
    assert jaccard(shingles_of(one, Chars(9)), shingles_of(other, Chars(9))) > 0.8


def words_hashed(*shingles: str) -> set[int]:
    return {definitions.windows(s, Words(3)).values[0] for s in shingles}


def test_stop_word_shingles() -> None:
    """3.2.4 (MMDS, Example 3.5): a stop word and the next two words, whether or not they are stop words."""
    text = (
        "A spokesperson for the Sudzo Corporation revealed today that studies have shown it is good for people to buy "
        "Sudzo products."
    )
    assert shingles_of(text, Stopwords()) == words_hashed(
        "A spokesperson for",
        "for the Sudzo",
        "the Sudzo Corporation",
        "that studies have",
        "have shown it",
        "it is good",
        "is good for",
        "for people to",
        "to buy Sudzo",
    )


def test_prose_gives_more_stop_word_shingles_than_advertisements() -> None:
    """3.2.4: an article contributes more shingles to its page than the advertisement beside it."""
    article = "The plan that was put to the vote on Monday is to be sent back to the committee for a second look"
    advert = "Buy Sudzo! Big savings, free delivery, limited offer, order online today, save money, shop local"
    assert len(definitions.windows(article, Stopwords()).values) > 8
    found = definitions.windows(advert, Stopwords())
    assert found.fallback  # it has no stop words, so plain words are used
    assert set(found.values) == set(definitions.windows(advert, Words(3)).values)


def test_words_and_symbols() -> None:
    """Written out by hand: every symbol is a token, and punctuation is none (format.md, section 1)."""

    def tokens_of(text: str) -> set[int]:
        return shingles_of(text, Symbols(1))

    single = {s: definitions.windows(s, Words(1)).values[0] for s in ("int", "x", "f", "a", "b", "c", "3", "0")}
    call = tokens_of("int[] x = f(a, -b) != 'c';")
    assert {single[s] for s in ("int", "x", "f", "a", "b", "c")} < call
    assert len(call) == 6 + len("[]=()-!")
    assert tokens_of("a, b; c: 3.0") == {single[s] for s in ("a", "b", "c", "3", "0")}
    assert tokens_of("a! b?! «c!» 'c?' a") == {single[s] for s in "abc"}
    assert len(tokens_of("!a ?b c!=x")) == len("!a?bc=x")


def test_symbols_tell_apart_what_words_do_not() -> None:
    for one, other in (
        ("GPLv3", "GPLv3+"),
        ("int", "int[]"),
        ("a + b", "a - b"),
        ("C", "C#"),
        ("5 degrees", "-5 degrees"),
    ):
        assert shingles_of(one, Words(5)) == shingles_of(other, Words(5))
        assert shingles_of(one, Symbols(5)) != shingles_of(other, Symbols(5))
    for one, other in (("a+b", " a\n+ b"), ("It is so.", "It is so"), ("“Yes!”", "'yes'"), ("f(a, b);", "f(a,b)")):
        assert shingles_of(one, Symbols(5)) == shingles_of(other, Symbols(5))
