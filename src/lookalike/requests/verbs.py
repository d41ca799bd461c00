"""The options of each verb, declared as requests. Those of `find_clusters` and `dedupe` are in `clustering.py`."""

# Annotations are not postponed here: `option.py` explains why.

from typing import TYPE_CHECKING, Annotated, Literal, Required, TypedDict

from lookalike.requests.option import CUT, FIND, INPUT, RUN, Option, PlanOption
from lookalike.requests.reading import (
    ANY_TABLE,
    FORMATS,
    TABLES,
    BatchRows,
    Encoding,
    OnError,
    Reading,
    Sets,
    TextDialect,
    Tokenizing,
    format_option,
)
from lookalike.requests.shared import (
    Bags,
    Corpus,
    Cutting,
    Finding,
    Linkage,
    Normalizing,
    Report,
    Rules,
    SavedPlan,
    Search,
    Shingles,
    Shown,
    Sketching,
    Threads,
    Threshold,
)

if TYPE_CHECKING:
    from lookalike.flow import Shingling


VECTOR_MEASURES = ("cosine", "euclidean", "weighted-jaccard", "jaccard", "hamming")
JOIN_MEASURES = (
    *("jaccard", "dice", "cosine", "overlap", "containment", "shared", "sum-bag"),
    *("hamming", "edit", "levenshtein"),
)


class ByDefinition(TypedDict, total=False):
    """The engine option of verbs that have no plan."""

    engine: Annotated[
        Literal["local", "reference"] | None,
        Option(
            None,  # local, or reference if the native module cannot be loaded
            "Engine: local, or reference, which is slow but simple. Both give the same result.",
            RUN,
            "NAME",
            "local",
        ),
    ]


class Distance(TypedDict, total=False):
    distance: Annotated[
        float | str | None,
        Option(None, "Maximum distance of a pair, for measures that are distances.", FIND, "NUMBER"),
    ]


class VectorNames(TypedDict, total=False):
    """Options that name the columns of vectors and ids."""

    column: Annotated[
        str | None,
        Option(None, "Column that contains the vectors.", INPUT, "NAME", "the only column of lists of numbers"),
    ]
    id: Annotated[str | None, Option(None, "Column that contains the ids.", INPUT, "NAME", "the row's position")]


class FindVectorPairs(VectorNames, Threshold, Distance, Search, Threads, Shown, total=False):
    """Options of `find_pairs` for vectors, except `measure`."""


class FindPairs(Corpus, Distance, Report, total=False):
    """Options of `find_pairs`, for documents and for vectors."""

    measure: Annotated[
        str | None,
        Option(
            None,
            "Measure for vectors: cosine or weighted-jaccard (with {@threshold}), or euclidean (with "
            "{@distance}). For packed bits: jaccard (with {@threshold}) or hamming (with {@distance}).",
            FIND,
            "NAME",
            suggested=VECTOR_MEASURES,
        ),
    ]
    top: Annotated[
        int | None,
        Option(
            None,
            "Find only this number of pairs: the most similar ones of all, by an exact search. No threshold is needed. "
            "With {@threshold} or {@plan}, only pairs that reach the threshold are found.",
            FIND,
            "N",
            "all pairs that reach the threshold",
        ),
    ]
    weights: Annotated[
        Literal["idf"] | None,
        Option(
            None,
            "Weight each shingle by how rare it is (idf): the similarity is the weight of the common shingles, divided "
            "by the weight of all shingles of the two documents.",
            FIND,
            "idf",
            "all shingles count the same",
        ),
    ]


WITH_WEIGHTS = ("weights", "threshold", "recall", "hashes", "seed", "memory", "threads", "progress")
"""The options of `find_pairs` that can be used with `weights`, besides those for reading and cutting texts."""


class Right(TypedDict, total=False):
    """Options for reading the right collection of a join, if it differs from the left."""

    right_column: Annotated[
        str | None, Option(None, "{@column} for the right collection.", INPUT, "NAME", "as on the left")
    ]
    right_id: Annotated[str | None, Option(None, "{@id} for the right collection.", INPUT, "NAME", "as on the left")]
    right_basket: Annotated[
        str | None, Option(None, "{@basket} for the right collection.", INPUT, "NAME", "as on the left")
    ]
    right_format: Annotated[
        str | None,
        Option(None, "{@format} for the right collection.", INPUT, "FORMAT", "as on the left", suggested=FORMATS),
    ]


class Join(Reading, Right, Cutting, ByDefinition, Threads, Shown, total=False):
    measure: Annotated[
        str,
        Option(
            "jaccard",
            "Measure to join by. With {@threshold}: jaccard, dice, cosine, overlap, containment (of left in "
            "right), shared (a count) or sum-bag. With {@distance}: hamming, edit (insertions and deletions) or "
            "levenshtein.",
            FIND,
            "NAME",
            suggested=JOIN_MEASURES,
        ),
    ]
    threshold: Annotated[
        float | str | None,
        Option(
            None,
            "Minimum similarity of a pair, greater than 0 and at most 1; for shared, the minimum number of common "
            "elements.",
            FIND,
            "SIMILARITY",
            "0.8; for sum-bag, 0.4; with {@top}, none",
        ),
    ]
    distance: Annotated[int | None, Option(None, "Maximum distance of a pair.", FIND, "N")]
    top: Annotated[
        int | None, Option(None, "Number of most similar matches to keep for each left row.", FIND, "N", "all")
    ]


class BitNames(VectorNames, Threads, Shown, total=False):
    """Options of `join` for packed bits, except those of the right collection, `measure` and `distance`."""

    right_column: str | None
    right_id: str | None


class Queries(TypedDict, total=False):
    """Options for reading queries, if they differ from the vectors."""

    query_column: Annotated[str | None, Option(None, "{@column} for the queries.", INPUT, "NAME", "as for the vectors")]
    query_id: Annotated[str | None, Option(None, "{@id} for the queries.", INPUT, "NAME", "as for the vectors")]


class Nearest(VectorNames, Queries, Threads, Shown, total=False):
    top: Annotated[int, Option(10, "Number of neighbours to find for each query.", FIND, "N")]
    measure: Annotated[
        str,
        Option(
            "cosine",
            "Measure: cosine, euclidean or weighted-jaccard; for packed bits, jaccard or hamming.",
            FIND,
            "NAME",
            suggested=VECTOR_MEASURES,
        ),
    ]
    recall: Annotated[
        float,
        Option(
            0.9,
            "Minimum share of the true neighbours to find. With 1, each query is compared with all vectors.",
            FIND,
            "SHARE",
        ),
    ]
    method: Annotated[
        Literal["auto", "exact", "lsh", "ivf"],
        Option(
            "auto",
            "How to find neighbours: by comparing each query with all vectors (exact), by hashing (lsh), by an "
            "inverted file (ivf), or by whichever is expected to be fastest (auto).",
            FIND,
            "auto|exact|lsh|ivf",
        ),
    ]
    seed: Annotated[int, Option(0, "Seed of the hash functions, or of the inverted file.", FIND, "N")]


class Memory(TypedDict, total=False):
    """The memory limit of verbs that need little memory unless the data is large."""

    memory: Annotated[
        int | str | None,
        Option(None, "Maximum memory of the process, such as 2GiB.", RUN, "SIZE", "as much as needed"),
    ]


class ReadAgain(BatchRows, Tokenizing, total=False):
    """Options for reading the data of a result again."""

    column: Annotated[str | None, Option(None, "Column that contains the texts.", INPUT, "NAME", "as for the result")]
    id: Annotated[str | None, Option(None, "Column that contains the ids.", INPUT, "NAME", "as for the result")]
    format: Annotated[
        str | None, Option(None, "Format of the data.", INPUT, "FORMAT", "as for the result", suggested=FORMATS)
    ]
    on_error: Annotated[
        Literal["fail", "skip"] | None,
        Option(None, "What to do with malformed rows.", INPUT, "fail|skip", "as for the result"),
    ]


class Audit(ReadAgain, Threads, Memory, Shown, total=False):
    sample: Annotated[int, Option(1000, "Number of documents in the sample.", FIND, "N")]
    seed: Annotated[int, Option(0, "Seed of the sample.", FIND, "N")]


class OfTestData(TypedDict, total=False):
    """Options for reading the test data, if it differs from the training data."""

    test_column: Annotated[
        str | None, Option(None, "{@column} for the test data.", INPUT, "NAME", "as for the training data")
    ]
    test_id: Annotated[str | None, Option(None, "{@id} for the test data.", INPUT, "NAME", "as for the training data")]
    test_format: Annotated[
        str | None,
        Option(None, "{@format} for the test data.", INPUT, "FORMAT", "as for the training data", suggested=FORMATS),
    ]


class Leaks(TypedDict, total=False):
    """Options that define what counts as contamination and how much of it is listed."""

    threshold: Annotated[
        float | str,
        Option(
            0.8,
            "Minimum share of a test document's shingles that are in the training data, greater than 0 and at most 1.",
            FIND,
            "SHARE",
        ),
    ]
    top: Annotated[int, Option(1, "Maximum number of training documents to list for each test document.", FIND, "N")]
    shingles: Annotated[
        "str | Shingling | None",
        Option(
            None,
            "How texts are split into shingles, such as words:8, chars:50 or tokens:8.",
            CUT,
            "KIND",
            "words:8",
            suggested=("words:8", "words:13", "chars:50", "tokens:8"),
        ),
    ]


class Contamination(Reading, OfTestData, Leaks, Rules, Threads, Memory, Shown, Report, total=False):
    """Options of `contamination`."""


class Forecast(Corpus, Linkage, total=False):
    goal: Annotated[
        Literal["pairs", "clusters"], Option("pairs", "What the run would produce.", FIND, "pairs|clusters")
    ]


class Compare(Finding, SavedPlan, Encoding, total=False):
    """Options of `compare`: those of a plan that concern two documents, and the encoding of text files."""


class Seeded(TypedDict, total=False):
    seed: Annotated[int, PlanOption(0, "Seed of the hash functions.", FIND, "N")]


class Signing(Cutting, Sketching, Seeded, SavedPlan, total=False):
    """Options on which a signature depends."""


class SignData(Reading, Signing, Threads, Shown, total=False):
    """Options of `signatures`."""


class SimHash(Reading, Shingles, Normalizing, Bags, Seeded, Threads, Shown, total=False):
    """Options of `simhash`."""

    bits: Annotated[int, Option(64, "Number of bits per document: a multiple of 8, up to 4,096.", FIND, "N")]


class BasketFiles(Sets, TextDialect, OnError, total=False):
    """Options for reading baskets."""

    column: Annotated[
        str | None,
        Option(
            None,
            "Column that contains the items: one list per row or, with {@basket}, one item per row.",
            INPUT,
            "NAME",
            "items",
        ),
    ]
    format: Annotated[
        str | None,
        format_option(f"Format of the data: baskets (one per line), {ANY_TABLE}.", suggested=("baskets", *TABLES)),
    ]


class FrequentPairs(BasketFiles, ByDefinition, Threads, Shown, total=False):
    support: Required[
        Annotated[
            int | float | str,
            Option(
                None,
                "Minimum number of baskets that contain both items of a pair, as a count (100) or as a share of "
                "all baskets (0.01).",
                FIND,
                "N|SHARE",
            ),
        ]
    ]
    method: Annotated[
        Literal["auto", "apriori", "pcy", "multistage", "multihash"],
        Option(
            "auto",
            "How to count pairs: apriori, pcy, multistage, multihash or auto. All methods find the same pairs; "
            "auto uses pcy for files larger than {@memory}, and apriori otherwise.",
            FIND,
            "NAME",
        ),
    ]
    memory: Annotated[
        int | str,
        Option(
            "256MiB",
            "Maximum memory of the process, not counting the pairs found. With less memory, the data may be read "
            "more often.",
            RUN,
            "SIZE",
        ),
    ]
