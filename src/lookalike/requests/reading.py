"""Options for reading data, which most verbs share."""

# Annotations are not postponed here: `option.py` explains why.

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from lookalike.requests.option import INPUT, Option

if TYPE_CHECKING:
    from lookalike.io.tokenized_source import Tokenizer

TABLES = ("parquet", "jsonl", "json", "csv", "tsv")
FORMATS = (*TABLES, "text", "lines", "baskets")
ENCODINGS = ("utf-8", "utf-16", "latin-1", "windows-1252")
"""Values that the shell suggests. Tests compare them with what is accepted; importing it would take too long."""

ANY_TABLE = f"{', '.join(TABLES[:-1])} or {TABLES[-1]}"
"""The formats of tables, as part of a sentence."""


class OnError(TypedDict, total=False):
    on_error: Annotated[
        Literal["fail", "skip"],
        Option(
            "fail",
            "What to do with malformed rows: stop with an error (fail), or skip and count them (skip).",
            INPUT,
            "fail|skip",
        ),
    ]


class Names(TypedDict, total=False):
    """Options that name the columns of texts and ids."""

    column: Annotated[
        str | None,
        Option(
            None,
            "Column that contains the texts or the lists of tokens; with {@basket}, the column that contains the "
            "items. For a nested field, write its path, such as payload.text.",
            INPUT,
            "NAME",
            "text; with {@basket}, items",
        ),
    ]
    id: Annotated[
        str | None,
        Option(
            None,
            "Column that contains the ids.",
            INPUT,
            "NAME",
            "the row's position; in a folder of texts, the file's path",
        ),
    ]


class Sets(TypedDict, total=False):
    """Options for reading sets from tables and basket files."""

    basket: Annotated[
        str | None,
        Option(
            None,
            "In a table with one item per row, the column that identifies the basket (set) of each item.",
            INPUT,
            "NAME",
        ),
    ]
    separator: Annotated[
        str | None,
        Option(
            None,
            "Separator between the fields of a CSV file, or between the items of a basket file.",
            INPUT,
            "CHAR",
            "detected for .csv, a tab for .tsv, white space for basket files",
            suggested=("tab",),
        ),
    ]
    transpose: Annotated[
        bool, Option(False, "Swap sets and items: each item becomes the set of the baskets that contain it.", INPUT)
    ]


class Encoding(TypedDict, total=False):
    encoding: Annotated[
        str | None,
        Option(None, "Encoding of text files, such as latin-1 or utf-16.", INPUT, "NAME", "UTF-8", suggested=ENCODINGS),
    ]


class TextDialect(Encoding, total=False):
    """Options for reading text files with another encoding or other quotation marks."""

    quote: Annotated[
        str | None,
        Option(
            None,
            "Character that quotes the fields of a CSV file; write none if fields are not quoted.",
            INPUT,
            "CHAR",
            'the double quote, "',
            suggested=("none",),
        ),
    ]


class BatchRows(TypedDict, total=False):
    batch_rows: Annotated[
        int,
        Option(
            None,
            "Number of rows to read at a time. The number does not affect the result.",
            INPUT,
            shown="8192",
            python_only=True,
        ),
    ]


format_option = partial(Option, None, group=INPUT, metavar="FORMAT", shown="detected from the file name")
"""Declares the option `format`, given its sentence and the formats that the shell suggests."""


class Format(TypedDict, total=False):
    format: Annotated[
        str | None,
        format_option(
            "Format of the data: parquet, jsonl, json (one array, or one object per line), csv, tsv, text (one "
            "document per file), lines (one document per line) or baskets (one set per line).",
            suggested=FORMATS,
        ),
    ]


class Tokenizing(TypedDict, total=False):
    tokenizer: Annotated[
        "Tokenizer | None",
        Option(
            None,
            "Function that takes a text and returns its tokens, which are then used instead of words and characters. "
            "It may be called more than once for the same text, but always from the same thread.",
            INPUT,
            shown="none",
            python_only=True,
        ),
    ]


class Reading(Names, Sets, TextDialect, Format, OnError, BatchRows, Tokenizing, total=False):
    """Options for reading a corpus, which are those of `open_source`."""
