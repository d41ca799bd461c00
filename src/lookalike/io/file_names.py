"""Recognises texts that were meant as file names, so that the names are not compared instead of the contents."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from lookalike.errors import InvalidOption
from lookalike.io.files import format_of

LONGEST = 1000
"""The maximum number of characters of a text that may be a file name."""

SAMPLE = 100
"""The number of texts that are checked. If all of them are file names, the others are assumed to be file names too."""


class Text(str):
    """A string that is a text, even if a file has the same name: for texts that come from other people.

    Otherwise, they could learn from an error which files exist.
    """

    __slots__ = ()


def names_file(text: Any) -> bool:
    """True for a text like 'a.jsonl' or 'part/*.csv.gz', and for the path of a file that exists.

    >>> names_file("crawl/page.txt"), names_file("see page.txt"), names_file("the end")
    (True, False, False)
    """
    if not isinstance(text, str) or isinstance(text, Text) or not text or len(text) > LONGEST or "\n" in text:
        return False
    if len(text.split()) == 1 and (format_of(text) is not None or text.lower().endswith(".npy")):
        return True
    try:
        return ("." in text or "/" in text) and Path(text).is_file()
    except (OSError, ValueError):  # not a path at all
        return False


def refuse_file_names(texts: Iterable[Any]) -> None:
    """Raises an error if the texts are file names."""
    first = None
    for text in islice((text for text in texts if text is not None), SAMPLE):
        if not names_file(text):
            return
        first = first or text
    if first is not None:
        raise InvalidOption("list-of-file-names", first=first)


def as_text(name: str) -> str:
    """Returns the name of a file as text: bytes that are not UTF-8 are written as \\xE9."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
