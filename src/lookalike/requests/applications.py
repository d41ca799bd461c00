"""The options of each application (news, plagiarism, fingerprints, pictures), declared as requests."""

# Annotations are not postponed here: `option.py` explains why.

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypedDict

from lookalike.requests.option import CUT, FIND, INPUT, Option
from lookalike.requests.reading import ANY_TABLE, TABLES, BatchRows, OnError, Reading, TextDialect, format_option
from lookalike.requests.shared import Report, Shown, Threads

TEXTS = ("text", "lines", *TABLES)
"""The formats of texts and programs, which the shell suggests."""


class Stories(Reading, Threads, Shown, total=False):
    url: Annotated[
        str | None,
        Option(
            None,
            "Column that contains the URLs or the hosts of the pages. Only the host of a URL is used.",
            INPUT,
            "NAME",
        ),
    ]
    date: Annotated[
        str | None,
        Option(
            None,
            "Column that contains the dates, in ISO 8601 format or in the format of RSS feeds and e-mail.",
            INPUT,
            "NAME",
        ),
    ]
    html: Annotated[bool, Option(False, "Extract the text from HTML pages.", INPUT)]
    threshold: Annotated[
        float | str,
        Option(
            0.25,
            "Minimum similarity of the stop-word shingles of two pages, greater than 0 and at most 1.",
            FIND,
            "SIMILARITY",
        ),
    ]
    method: Annotated[
        Literal["bands", "length"],
        Option(
            "bands",
            "How to find candidates: by bands of hashes (bands), or by comparing all pages of similar length (length).",
            FIND,
            "bands|length",
        ),
    ]
    language: Annotated[
        str | Sequence[str],
        Option(
            "auto",
            "Language of the stop words: a code such as en, or a file of stop words.",
            CUT,
            "CODE|FILE",
            "guessed from the texts",
            takes=list[str],
        ),
    ]


class TextFiles(TextDialect, OnError, BatchRows, total=False):
    """Options for reading texts and programs."""

    column: Annotated[
        str | None,
        Option(
            None,
            "In tables, the column that contains the texts. For a nested field, write its path, such as payload.text.",
            INPUT,
            "NAME",
            "text",
        ),
    ]
    id: Annotated[
        str | None,
        Option(
            None,
            "In tables, the column that contains the ids.",
            INPUT,
            "NAME",
            "the row's position; in a folder of texts, the file's path",
        ),
    ]
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
    format: Annotated[
        str | None,
        format_option(f"Format of the data: text (one document per file), lines, {ANY_TABLE}.", suggested=TEXTS),
    ]


class OfSources(TypedDict, total=False):
    """Options for reading the sources of `plagiarism`, if they differ from the submissions."""

    sources_column: Annotated[
        str | None, Option(None, "{@column} for the sources.", INPUT, "NAME", "as for the submissions")
    ]
    sources_id: Annotated[str | None, Option(None, "{@id} for the sources.", INPUT, "NAME", "as for the submissions")]
    sources_format: Annotated[
        str | None,
        Option(None, "{@format} for the sources.", INPUT, "FORMAT", "as for the submissions", suggested=TEXTS),
    ]


class Plagiarism(TextFiles, OfSources, Threads, Shown, Report, total=False):
    template: Annotated[
        Any,
        Option(
            None, "Texts that were handed out to everyone. Passages copied from them are ignored.", INPUT, "PATH",
            takes=list[str],
        ),
    ]  # fmt: skip
    threshold: Annotated[
        float | str,
        Option(0.1, "Minimum similarity of a listed pair, greater than 0 and at most 1.", FIND, "SIMILARITY"),
    ]
    passage: Annotated[
        int, Option(15, "Also list pairs that share a passage of at least this many words or tokens.", FIND, "N")
    ]
    common: Annotated[
        float | str,
        Option(
            0.8,
            "Text that occurs in more than this share of the submissions does not count as a passage. With 1, "
            "all text counts.",
            FIND,
            "SHARE",
        ),
    ]
    top: Annotated[
        int,
        Option(
            10, "Number of nearest submissions, and of nearest sources, to compare each submission with.", FIND, "N"
        ),
    ]
    by_folder: Annotated[
        bool,
        Option(False, "Treat each top-level folder as one author, whose files are not compared with each other.", FIND),
    ]
    code: Annotated[
        str,
        Option(
            "auto",
            "Which documents are source code: those whose file name has a known suffix (auto), none (no), or all "
            "of them, either in a C-like language (c) or in Python (python).",
            CUT,
            "auto|no|c|python",
            suggested=("auto", "no", "c", "python"),
        ),
    ]
    names: Annotated[
        Literal["fold", "keep"],
        Option("fold", "Whether renamed variables and functions still match (fold) or not (keep).", CUT, "fold|keep"),
    ]
    k: Annotated[int, Option(5, "Number of words (in source code: tokens) per shingle.", CUT, "N")]


class MatchPrints(Threads, total=False):
    on_error: Annotated[
        Literal["fail", "skip"],
        Option(
            "fail",
            "What to do with files that are malformed: stop with an error (fail), or skip them with a warning (skip).",
            INPUT,
            "fail|skip",
        ),
    ]
    method: Annotated[
        Literal["auto", "neighbourhoods", "grid"],
        Option(
            "auto",
            "How to compare prints: by neighbourhoods of minutiae, for prints in any position and rotation, or on a "
            "grid, for aligned prints. By default, prints are compared by neighbourhoods if all of them have "
            "directions and no option of the grid is set.",
            FIND,
            "auto|neighbourhoods|grid",
        ),
    ]
    false_candidates: Annotated[
        float,
        Option(
            0.05,
            "Neighbourhoods: expected share of the pairs of different fingers that are aligned and compared.",
            FIND,
            "SHARE",
        ),
    ]
    angles: Annotated[
        Literal["auto", "anticlockwise", "clockwise"],
        Option(
            "auto",
            "Neighbourhoods: sense in which angles grow. In templates, angles are anticlockwise, but some programs "
            "write clockwise ones. By default, they are taken as clockwise only if many more prints match then.",
            FIND,
            "auto|anticlockwise|clockwise",
        ),
    ]
    side: Annotated[
        float,
        Option(1.0, "Grid: side of a square, in the unit of the prints (millimetres for templates).", CUT, "LENGTH"),
    ]
    sectors: Annotated[int, Option(1, "Grid: number of ridge directions to distinguish in each square.", CUT, "N")]
    margin: Annotated[
        float,
        Option(
            0.0,
            "Grid: distance from the border of a square within which a minutia also counts in the neighbouring square.",
            CUT,
            "LENGTH",
        ),
    ]
    count: Annotated[
        int, Option(1024, "Grid: number of hash functions per group. Each function is a set of squares.", FIND, "N")
    ]
    size: Annotated[int, Option(3, "Grid: number of squares per hash function.", FIND, "N")]
    groups: Annotated[
        int,
        Option(1, "Grid: number of groups of hash functions. A pair must share a bucket in every group.", FIND, "N"),
    ]
    seed: Annotated[int, Option(0, "Seed of the hash functions.", FIND, "N")]
    threshold: Annotated[
        float | str | None,
        Option(
            None,
            "Minimum similarity of two prints; 0 lists all candidates.",
            FIND,
            "SIMILARITY",
            "0.65; with a grid, 0",
        ),
    ]


class Pictures(Threads, Shown, Report, total=False):
    """Options of everything that compares pictures."""

    threshold: Annotated[
        float | str,
        Option(0.85, "Minimum similarity of copies, greater than 0 and at most 1.", FIND, "SIMILARITY"),
    ]
    largest: Annotated[
        float,
        Option(
            150.0,
            "Maximum size of a picture to decode, in millions of pixels. JPEG files are decoded at an eighth of their "
            "size if they are large, and count with that size.",
            INPUT,
            "MEGAPIXELS",
        ),
    ]


class FindPictures(Pictures, total=False):
    keep: Annotated[
        Literal["largest", "first"],
        Option(
            "largest",
            "Which of several copies to keep: the one with the most pixels (largest), or the first in the order of "
            "paths (first). Nothing is removed.",
            FIND,
            "largest|first",
        ),
    ]


class NearestPictures(Pictures, total=False):
    top: Annotated[int, Option(10, "Number of nearest pictures per query.", FIND, "N")]
