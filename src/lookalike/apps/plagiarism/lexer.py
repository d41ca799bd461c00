"""Splits source code into tokens with their positions, ignoring layout, comments and the choice of names.

This is not a parser: unknown characters become separate tokens, so that fragments and unknown languages work too.
Copied code is usually reformatted, with names changed. So all names are replaced by the same token, and the parts that
cannot change without changing the program are kept: keywords, operators, literals, and names after a dot, which mostly
come from libraries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from lookalike.flow.checks import check_one_of

Language = Literal["c", "python"]

NAME = "NAME"
"""The token that replaces every name."""

SUFFIXES: dict[str, Language] = {
    **dict.fromkeys(
        "c h cc cpp cxx hh hpp java js jsx mjs ts tsx cs go rs kt kts scala swift php dart groovy m mm".split(), "c"
    ),
    **dict.fromkeys("py pyi pyw".split(), "python"),
}

KEYWORDS: dict[Language, frozenset[str]] = {
    # the keywords of C, C++, Java, C#, JavaScript, TypeScript, Go, Rust, Kotlin, Scala, Swift and PHP combined
    "c": frozenset(
        """
        abstract as async auto await base bool boolean break byte case catch chan char class const continue
        debugger default defer delegate delete do double echo else enum explicit export extends extern false
        final finally float fn for foreach friend func function goto if impl implements import in inline
        instanceof int interface internal is lambda let lock long loop match mod module mut mutable namespace
        native new nil null nullptr object operator out override package params private protected public
        range readonly ref register return sealed short signed sizeof static struct super switch synchronized
        template this throw throws trait transient true try type typedef typename typeof union unsafe
        unsigned use using val var virtual void volatile when where while with yield
        """.split()
    ),
    "python": frozenset(
        """
        False None True and as assert async await break class continue def del elif else except finally for
        from global if import in is lambda match nonlocal not or pass raise return try while with yield
        """.split()
    ),
}

_WORDS = r"(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<name>[^\W\d]\w*)"
_OPERATORS = (
    r"(?P<operator>(?:<<|>>>?|\*\*|//|[-+*/%&|^!=<>:?])=|->|=>|::|\+\+|--|&&|\|\||<<|>>|\*\*|//|\?\?|\.\.\.|[^\s\w])"
)
_TOKENS: dict[Language, re.Pattern[str]] = {
    "c": re.compile(
        r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
        r"|(?P<string>\"\"\".*?(?:\"\"\"|\Z)|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?)"
        rf"|{_WORDS}|{_OPERATORS}",
        re.DOTALL,
    ),
    "python": re.compile(
        r"(?P<comment>\#[^\n]*)"
        r"|(?P<string>(?i:\b[rbuf]{1,2})?(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)"
        r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?))"
        rf"|{_WORDS}|{_OPERATORS}",
        re.DOTALL,
    ),
}


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text: `words[i]` is the token at `text[starts[i]:ends[i]]`."""

    words: list[str]
    starts: list[int]
    ends: list[int]

    def __len__(self) -> int:
        return len(self.words)


def tokenize(code: str, language: Language, *, names: Literal["fold", "keep"] = "fold") -> Tokens:
    """Splits a program into tokens, without comments. With names="fold", names are replaced by `NAME`.

    >>> tokenize("int sum = a + 1; // so far", "c").words
    ['int', 'NAME', '=', 'NAME', '+', '1', ';']
    >>> tokenize("total = f(x)  # so far", "python", names="keep").words
    ['total', '=', 'f', '(', 'x', ')']
    """
    found = Tokens([], [], [])
    keywords, fold = KEYWORDS[language], names == "fold"
    for match in _TOKENS[language].finditer(code):
        kind, word = match.lastgroup, match[0]
        if kind == "comment":
            continue
        if fold and kind == "name" and word not in keywords and found.words[-1:] not in (["."], ["->"], ["::"]):
            word = NAME
        found.words.append(word)
        found.starts.append(match.start())
        found.ends.append(match.end())
    return found


def language_of(name: str) -> Language | None:
    """Returns the language family of a file, according to its suffix; None if the suffix is unknown."""
    return SUFFIXES.get(PurePosixPath(name).suffix.removeprefix(".").lower())


def check_code(code: str) -> None:
    check_one_of("code", code, ("auto", "no", *KEYWORDS))
