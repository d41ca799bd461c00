"""Source code → tokens: layout, comments and names do not matter, and every token has its position."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.apps.plagiarism.lexer import NAME, Language, language_of, tokenize

LANGUAGES: list[Language] = ["c", "python"]
PIECES = ["if", "while", "return", "(", ")", "{", "+=", "3.14", '"a // b"', "'#'", "&&", "size", "x1", "Straße", "=="]


@given(st.text(alphabet="ab1.\"'`#/*\\\n =+é中", max_size=60), st.sampled_from(LANGUAGES))
def test_every_token_is_the_text_at_its_position(code: str, language: Language) -> None:
    tokens = tokenize(code, language, names="keep")
    assert tokens.words == [code[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]
    reach = [0, *tokens.ends]
    assert all(end <= start for end, start in zip(reach, tokens.starts, strict=False))
    folded = tokenize(code, language)
    assert (folded.starts, folded.ends) == (tokens.starts, tokens.ends)
    assert all(word in (plain, NAME) for word, plain in zip(folded.words, tokens.words, strict=True))


@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", "\n\t", " /* why */ ", " // so\n"]))))
def test_layout_comments_and_names_are_ignored(program: list[tuple[str, str]]) -> None:
    plain = " ".join(piece for piece, _ in program)
    renamed = {"size": "n", "x1": "total", "Straße": "street"}
    dressed = "".join(renamed.get(piece, piece) + space for piece, space in program)
    assert tokenize(dressed, "c").words == tokenize(plain, "c").words


@pytest.mark.parametrize(
    ("code", "language", "words"),
    [
        ("System.out.println(sum); // so", "c", "NAME . out . println ( NAME ) ;"),
        ("p->next = a::b;", "c", "NAME -> next = NAME :: b ;"),
        ("x >>>= 0x1F; y = 1e-9 ** 2", "c", "NAME >>>= 0x1F ; NAME = 1e-9 ** 2"),
        ("/* never ended", "c", ""),
        ("s = f'{x}' + '''a\nb''' # so", "python", "NAME = f'{x}' + '''a\nb'''"),
        ("def mean(xs): return sum(xs) // 2", "python", "def NAME ( NAME ) : return NAME ( NAME ) // 2"),
        ('char *s = "never ended\nint x;', "c", 'char * NAME = "never ended int NAME ;'),
    ],
)  # fmt: skip
def test_examples(code: str, language: Language, words: str) -> None:
    assert " ".join(tokenize(code, language).words) == words


def test_code_is_recognised_by_suffix() -> None:
    names = ("a/Main.java", "b.PY", "c.cpp", "readme.md", "Makefile", "")
    assert [language_of(name) for name in names] == ["c", "python", "c", None, None, None]
