"""Shortens texts at word boundaries, and recognises source code, which is shown in a monospaced font."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Protocol

LONGEST_WORD = 40
"""The maximum length of a word that is dropped rather than cut. A longer run without spaces may be cut anywhere."""

CODE = frozenset(
    ".c .cc .cpp .cs .css .cu .go .h .hpp .hs .html .java .jl .js .json .jsx .kt .lua .m .php .pl .py .pyi .r .rb .rs "
    ".scala .sh .sql .swift .toml .ts .tsx .xml .yaml .yml".split()
)
"""The suffixes of files that contain source code or similar text."""

_CODE_LINE = re.compile(
    r"""\s*(?: [#@}\])] | // | /\* | import\b | from\s\S+\simport\b
        | (?:def|class|function|fn|func|struct)\s+\w+ | (?:return|raise|else|elif|try)\b
        | (?:if|for|while|switch)\s*\(
        | .*[;{}]\s*$ | .*\w\)?:\s*$ | [\w.\[\]]+\s*[-+*/|&]?=[^=] | [\w.]+\(.*\)\s*$ )""",
    re.VERBOSE,
)
"""Matches a line that is probably code: a comment, a definition, an assignment, a call, or the end of a statement."""


def beginning(text: str, most: int) -> str:
    """Returns the first `most` characters of a text, or fewer, so that no word is cut."""
    head = text[:most]
    if len(text) <= most or text[most].isspace() or head[-1:].isspace():
        return head
    word = len(head.split()[-1]) if head else 0  # length of the word that would be cut
    return head[:-word] if 0 < word < min(most, LONGEST_WORD) else head


def ending(text: str, most: int) -> str:
    """Returns the last `most` characters of a text, or fewer, so that no word is cut."""
    return beginning(text[::-1], most)[::-1]


class MaybeCode(Protocol):
    """Something that a report shows, which may be source code."""

    @property
    def is_code(self) -> bool: ...


def mostly_code(shown: Sequence[MaybeCode]) -> bool:
    """True if most of what a report shows is source code. The whole report then uses a monospaced font for texts."""
    return 2 * sum(one.is_code for one in shown) > len(shown)


def is_code(text: str, name: str = "") -> bool:
    """True if a text is probably source code: its name has a suffix in CODE, or most of its lines look like code.

    >>> is_code("def f(x):\\n    y = x + 1\\n    return y"), is_code("Dear Ann,\\nthe storm is over.\\nYours, Bob")
    (True, False)
    """
    if PurePosixPath(name).suffix.lower() in CODE:
        return True
    lines = [line for line in text[:20_000].splitlines() if line.strip()]
    return len(lines) >= 3 and sum(_CODE_LINE.match(line) is not None for line in lines) > len(lines) / 2
