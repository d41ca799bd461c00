"""Dialect: the encoding of text files, and the separator and quotation mark of delimited files."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lookalike.errors import InvalidOption
from lookalike.io.files import File

APPLIES = {
    "separator": ("csv", "tsv", "baskets"),
    "quote": ("csv", "tsv"),
    "encoding": ("csv", "tsv", "jsonl", "json", "text", "lines", "baskets"),
}
"""The formats to which each option applies."""

NO_QUOTES = "none"
UTF8 = ("utf-8", "ascii")


@dataclass(frozen=True)
class Dialect:
    """The options `separator`, `quote` and `encoding`, after validation. None means the default."""

    separator: str | None = None
    quote: str | None = None
    """The character around fields; "none" if there is none."""
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.separator in ("\\t", "tab"):  # these can be typed in a shell
            object.__setattr__(self, "separator", "\t")
        if self.separator is not None and not _is_character(self.separator):
            raise InvalidOption("not-a-separator", value=self.separator)
        if self.quote is not None and self.quote != NO_QUOTES and not _is_character(self.quote):
            raise InvalidOption("not-a-quote", value=self.quote)
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _encoding(self.encoding))

    def check(self, name: str, format: str | None) -> None:
        """Raises an error if an option does not apply to the format. `format` is None for data in memory."""
        for option, formats in APPLIES.items():
            if getattr(self, option) is not None and format not in formats:
                if format is None:
                    raise InvalidOption("dialect-of-data-in-memory", option=option, name=name)
                raise InvalidOption("not-for-this-format", option=option, formats=formats, name=name, format=format)
        if format in APPLIES["quote"] and self.separator is not None and self.separator == (self.quote or '"'):
            raise InvalidOption("separator-is-quote", value=self.separator)

    def applied(self, files: Sequence[File]) -> list[File]:
        """Returns the files, with the encoding in which they are to be read."""
        encoding = None if self.encoding in UTF8 else self.encoding
        return [replace(file, encoding=encoding) for file in files]


def _is_character(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1 and value.isascii() and value not in "\n\r\0"


def _encoding(name: object) -> str:
    """Returns the standard name of an encoding."""
    try:
        if not isinstance(name, str) or not codecs.lookup(name)._is_text_encoding:
            raise LookupError
        found = codecs.lookup(name).name
        "".encode(found)
    except (LookupError, UnicodeError, ValueError):
        raise InvalidOption("unknown-encoding", value=name) from None
    return "utf-8" if found == "utf-8-sig" else found
