"""The options of `resolve` and `link`, declared as requests."""

# Annotations are not postponed here: `option.py` explains why.

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from lookalike.requests.option import FIND, INPUT, Option
from lookalike.requests.reading import ANY_TABLE, TABLES, OnError, TextDialect, format_option
from lookalike.requests.shared import Report, Shown, Threads

if TYPE_CHECKING:
    from lookalike.apps.resolve import Field, Settings
    from lookalike.apps.resolve.functions import KeyFunction, Similarity


class RecordFiles(TextDialect, OnError, total=False):
    """Options for reading tables of records."""

    separator: Annotated[
        str | None,
        Option(
            None,
            "Separator between the fields of a CSV file.",
            INPUT,
            "CHAR",
            "detected from the first lines",
            suggested=("tab",),
        ),
    ]
    format: Annotated[str | None, format_option(f"Format of the table: {ANY_TABLE}.", suggested=TABLES)]


class RecordId(TypedDict, total=False):
    id: Annotated[
        str | None,
        Option(
            None,
            "Column that contains the ids.",
            INPUT,
            "NAME",
            "the first column whose values identify the records; without such a column, the row's position",
        ),
    ]


class Records(RecordId, RecordFiles, Threads, Shown, Report, total=False):
    """Options that `resolve` and `link` share."""

    fields: Annotated[
        "Sequence[str | Field] | Mapping[str, str | Similarity | Field]",
        Option(
            None,
            "A column and its kind, such as title:text, if the kind would be guessed wrongly. If the column has "
            "another name in the second table, write both names: title=name:text. The kinds are name, address, "
            "text, date, number, code, codes and phone. In Python, a dictionary can also contain functions that take "
            'two values and return their similarity, from 0 to 1: {"title": my_similarity}.',
            INPUT,
            "NAME:KIND",
            takes=list[str],
        ),
    ]
    ignore: Annotated[Sequence[str], Option(None, "A column to ignore.", INPUT, "NAME", takes=list[str])]
    method: Annotated[
        Literal["weights", "points"] | None,
        Option(
            None,
            "How to score pairs: by weights that are learned from the data (weights), or by up to 100 points per "
            "field (points).",
            FIND,
            "weights|points",
            "weights",
        ),
    ]
    threshold: Annotated[
        float | None,
        Option(
            None,
            "Minimum probability of a match; with points, the minimum score.",
            FIND,
            "P",
            "0.5; with points, two thirds of the maximum",
        ),
    ]
    check: Annotated[
        str | None,
        Option(
            None,
            "With points: a column of dates that is not compared, but is used to check how reliable the scores are.",
            FIND,
            "NAME",
        ),
    ]
    top: Annotated[
        int | None,
        Option(
            None,
            "Maximum number of candidates per record from each of the two lookups, by words and by trigrams, unless "
            "{@candidates} is given.",
            FIND,
            "N",
            "10",
        ),
    ]
    candidates: Annotated[
        "str | KeyFunction | Sequence[str | Sequence[str] | KeyFunction] | None",
        Option(
            None,
            "Compare the records that are equal in this column, or in several columns, such as surname,born. If the "
            "option is given more than once, pairs need to fulfil one of the rules. In Python, a rule can also be a "
            "function that takes a record as a dictionary and returns its key, a list of keys, or None.",
            FIND,
            "COLUMNS",
            "the nearest records, by words and by trigrams",
            takes=list[str],
        ),
    ]
    labels: Annotated[
        Any,
        Option(
            None,
            "Table of labelled pairs: two ids (left, right) and whether they match (match), such as the matches of an "
            "earlier run with a column match. Labels calibrate the probabilities, and measure precision and recall.",
            FIND,
            "FILE",
            takes=Path,
        ),
    ]
    settings: Annotated[
        "Settings | str | Path | None",
        Option(
            None,
            "Settings of an earlier run, or the path of the file that contains them. Their fields and weights "
            "are used again.",
            FIND,
            "FILE",
            takes=Path,
        ),
    ]


class Resolve(Records, total=False):
    """Options of `resolve`."""


class Link(Records, total=False):
    right_id: Annotated[str | None, Option(None, "{@id} for the right table.", INPUT, "NAME", "as on the left")]
    one_to_one: Annotated[
        bool | None,
        Option(
            None,
            "Whether each record may have only one match.",
            FIND,
            shown="yes, unless a table contains many duplicates",
            flags=("--one-to-one/--many-to-many",),
        ),
    ]
