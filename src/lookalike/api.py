"""The verbs: functions that take data and return results. Their options are declared in `requests/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from lookalike.engines.registry import engine, named_or_default
from lookalike.errors import InvalidOption
from lookalike.flow import parse_shingling
from lookalike.flow.checks import check_one_of, check_whole
from lookalike.flow.progress import callback
from lookalike.flow.threshold import Threshold
from lookalike.io.open import open_source, refuse_one_iterator, reopen
from lookalike.io.outputs import Outputs
from lookalike.io.source import is_source
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.requests import clustering, shared, verbs
from lookalike.requests.option import declared, naming, of_second_input, part, renamed
from lookalike.requests.reading import Reading
from lookalike.requests.verb import verb
from lookalike.results.clusters import Clusters
from lookalike.results.matches import Matches
from lookalike.results.pairs import Pairs
from lookalike.results.reporting import DocumentReport
from lookalike.run import start

# Modules that only some verbs need are imported inside them: for a small file, imports take most of the time.
if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from lookalike.flow.signature import Signature
    from lookalike.frequent import FrequentPairs
    from lookalike.joins.reference import Definitions
    from lookalike.results.deduped import Deduped
    from lookalike.text.comparison import Comparison
    from lookalike.trust.audit import Audit
    from lookalike.trust.contamination import Contamination
    from lookalike.trust.forecast import Forecast


@verb(verbs.FindPairs)
def find_pairs(data: Any, **options: Unpack[verbs.FindPairs]) -> Pairs:
    """Finds pairs of similar documents or vectors, with their similarities or distances.

    `data` is a list of texts or of token lists, a table (pandas, Polars, pyarrow, DuckDB …), a path, a glob, a folder,
    a URL, or "-" for standard input. A pair at the threshold is found with probability `recall` or more; more similar
    pairs are found with a higher probability. By default, every pair is verified, so its similarity is exact.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> find_pairs(texts, threshold=0.8, shingles="words:2").top()
    [(0, 1, 1.0)]

    With a `measure`, the data consists of vectors. It can be an array, a list of lists, the path of a .npy file, or a
    table (in memory or in Parquet files) whose `column` contains lists of numbers.

    >>> find_pairs([[3, 4], [6, 8.1], [-4, 3]], measure="cosine", threshold=0.9).top()
    [(0, 1, 0.9999...)]
    """
    from lookalike.io.vectors import Vectors, are_vectors

    asked_for_vectors = options["measure"] is not None or options["distance"] is not None
    if asked_for_vectors or isinstance(data, Vectors) or are_vectors(data):
        return _vector_pairs(data, options)
    if options["weights"] is not None:
        return _weighted_pairs(data, options)
    with start(data, "pairs", options) as run:
        return run.reported(run.pairs(), data)


def _vector_pairs(data: Any, options: Mapping[str, Any]) -> Pairs:
    from lookalike.flow.checks import check_threads
    from lookalike.io.vectors import open_vectors
    from lookalike.joins.vectors.measure_names import MEASURES, measure_of
    from lookalike.joins.vectors.results import pairs_of

    if options["measure"] is None:
        raise InvalidOption("vectors-without-measure", measures=MEASURES)
    usual = {name: field.option.default for name, field in declared(verbs.FindPairs).items()}
    for name, value in options.items():
        if name not in {"measure", *verbs.FindVectorPairs.__annotations__} and value != usual[name]:
            raise InvalidOption("not-for-vectors", option=name)
    asked = measure_of(options["measure"], options.get("threshold"), options["distance"])
    how = part(options, shared.Search, shared.Shown) | {"threads": check_threads(options["threads"])}
    return pairs_of(open_vectors(data, **part(options, verbs.VectorNames)), asked, **how)


def _weighted_pairs(data: Any, options: Mapping[str, Any]) -> Pairs:
    from lookalike.flow.checks import check_threads
    from lookalike.joins.weighted_sets import idf_pairs

    cutting = {**Reading.__annotations__, **shared.Cutting.__annotations__}
    for name, field in declared(verbs.FindPairs).items():
        if (
            name not in (*verbs.WITH_WEIGHTS, *cutting)
            and options.get(name, field.option.default) != field.option.default
        ):
            raise InvalidOption("not-with-weights", option=name)
    entries = part(options, shared.Threshold, shared.Cutting)
    entries |= {name: options[name] for name in ("recall", "hashes", "seed") if options.get(name) is not None}
    plan = Plan.from_options(None, "pairs", entries)
    if plan.recall == 1:
        raise InvalidOption("weights-at-full-recall")
    return idf_pairs(
        open_source(data, **part(options, Reading)), parse_shingling(plan.shingles), Threshold(plan.threshold),
        recall=float(plan.recall), hashes=plan.hashes, seed=plan.seed, memory=options["memory"],
        threads=check_threads(options["threads"]), progress=callback(options["progress"]),
    )  # fmt: skip


@verb(clustering.FindClusters)
def find_clusters(data: Any, **options: Unpack[clustering.FindClusters]) -> Clusters:
    """Groups similar documents into clusters, each with a representative.

    Documents that are connected by similar pairs form a cluster. With linkage="star", every other member is
    similar to the representative itself.

    >>> texts = ["the cat sat on the mat today", "a dog", "The cat sat on the mat, today!"]
    >>> find_clusters(texts, threshold=0.8, shingles="words:2").members()
    [[0, 2]]
    """
    with start(data, "clusters", options) as run:
        return run.reported(run.clusters(options["keep"]), data)


@verb(clustering.Dedupe)
def dedupe(data: Any, **options: Unpack[clustering.Dedupe]) -> Deduped:
    """Keeps one document from each cluster. With `out`, the kept rows are written to that path.

    Every removed document is listed, with the id of the document kept in its place and the similarity of the two. With
    `removed`, the list is written to that path. Either both outputs are written, or neither is.

    >>> texts = ["the cat sat on the mat today", "a dog", "The cat sat on the mat, today!"]
    >>> result = dedupe(texts, threshold=0.8, shingles="words:2")
    >>> result.kept["text"].to_pylist(), result.removed.to_pylist()[0]["how"]
    (['the cat sat on the mat today', 'a dog'], 'same words')
    >>> dedupe(texts, against=["A dog."], threshold=0.8, shingles="words:2").kept["text"].to_pylist()
    ['the cat sat on the mat today']
    """
    with start(data, "clusters", options, rows=True) as run:
        return run.reported(run.dedupe(options["keep"], options["protect"], options["decisions"]))


@verb(verbs.Join)
def join(left: Any, right: Any = None, **options: Unpack[verbs.Join]) -> Matches:
    """Finds every similar pair between two collections, or within one. The join is exact: no pair is missed.

    Sets, and texts split into sets of shingles, are joined by a similarity or by the `hamming` distance. With the
    `edit` or `levenshtein` distance, texts are joined as strings. With `top`, only the `top` most similar matches of
    each left row are kept.

    >>> join([["milk", "bread"], ["beer"]], [["bread", "milk", "eggs"]], threshold=0.6).top()
    [(0, 0, 0.6666666666666666)]
    >>> join(["Jon Smith", "John Smyth", "Mary Jones"], measure="levenshtein", distance=2).top()
    [(0, 1, 2)]

    With the `hamming` distance, both collections can consist of packed bits: arrays of bytes, or .npy files. See
    `find_pairs` and `simhash`.
    """
    from lookalike.flow.checks import check_threads
    from lookalike.io.vectors import are_bits
    from lookalike.joins.request import JoinRequest
    from lookalike.joins.sources import join_sources

    if options["measure"] == "hamming" and are_bits(left):
        return _join_bits(left, right, options)
    request = JoinRequest.of(options["measure"], options["threshold"], options["distance"], options["top"])
    threads, shingles = check_threads(options["threads"]), request.shingling(part(options, shared.Cutting))
    reading = part(options, Reading)
    refuse_one_iterator(left, right)
    one = open_source(left, **reading)
    reading_right = of_second_input(reading, options, verbs.Right, "right_")
    with naming(verbs.Right, "right_"):
        two = None if right is None else open_source(right, **reading_right)
    engine_name, warnings = named_or_default(options["engine"])
    check_one_of("engine", engine_name, ("local", "reference"))
    reference: Definitions | None = None
    if engine_name == "reference":
        from lookalike.engines.reference import definitions

        reference = definitions
    found = join_sources(
        one, two, request, shingles, threads=threads, progress=callback(options["progress"]), reference=reference
    )
    if warnings:
        found = replace(found, summary=replace(found.summary, warnings=warnings + found.warnings))
    return found._joined_from((left, reading), *([] if right is None else [(right, reading_right)]))


def _join_bits(left: Any, right: Any, options: Mapping[str, Any]) -> Matches:
    from lookalike.flow.checks import check_threads
    from lookalike.io.vectors import open_vectors
    from lookalike.joins.vectors.results import join_bits

    usual = {name: field.option.default for name, field in declared(verbs.Join).items()}
    for name, value in options.items():
        if name not in {"measure", "distance", *verbs.BitNames.__annotations__} and value != usual[name]:
            raise InvalidOption("not-for-vectors", option=name)
    if options["distance"] is None:
        raise InvalidOption("missing-distance", measure="hamming")
    names = part(options, verbs.VectorNames)
    own = renamed(options, verbs.Right, "right_")
    refuse_one_iterator(left, right)
    one = open_vectors(left, **names)
    with naming(verbs.Right, "right_"):
        two = None if right is None else open_vectors(right, **names | own, inherited=names.keys() - own.keys())
    threads, progress = check_threads(options["threads"]), callback(options["progress"])
    return join_bits(one, two, options["distance"], threads=threads, progress=progress)


@verb(verbs.Nearest)
def nearest(vectors: Any, queries: Any = None, **options: Unpack[verbs.Nearest]) -> Matches:
    """Finds the `top` vectors that are nearest to each query, nearest first.

    Without queries, the nearest neighbours of each vector are found among the other vectors. Vectors and queries are
    passed as in `find_pairs`.

    The option `recall` is the minimum share of the true neighbours to find; the `recall` of the result is the share
    that was found, measured on a sample. In the result, queries are on the left and their neighbours on the right.

    >>> nearest([[1, 0], [0, 1], [1, 2], [2, 1]], [[3, 1]], top=2).to_arrow()["right"].to_pylist()
    [3, 0]
    """
    from lookalike.flow.checks import check_threads
    from lookalike.io.vectors import open_vectors
    from lookalike.joins.vectors.results import nearest_of

    reading, own = part(options, verbs.VectorNames), renamed(options, verbs.Queries, "query_")
    inherited = reading.keys() - own.keys()
    refuse_one_iterator(vectors, queries)
    with naming(verbs.Queries, "query_"):
        asking = None if queries is None else open_vectors(queries, **reading | own, inherited=inherited)
    return nearest_of(
        open_vectors(vectors, **reading), asking, options["measure"], top=options["top"], recall=options["recall"],
        method=options["method"], seed=options["seed"], threads=check_threads(options["threads"]),
        progress=callback(options["progress"]),
    )  # fmt: skip


@verb(verbs.Audit)
def audit(result: Any, data: Any = None, **options: Unpack[verbs.Audit]) -> Audit:
    """Measures the recall of a result on a sample of documents.

    For each sampled document, an exact search finds all similar pairs that contain it. The recall is the share of these
    pairs that the result contains. For `dedupe`, it is the share of these pairs in which at least one document was
    removed.

    `result` can be what `find_pairs`, `find_clusters` or `dedupe` returned, the table of that result, the path of the
    table (in Parquet), or the folder of a saved result. `data` is the data that the result was made from. It can be
    omitted if the data was read from files, or if the result was made in the same session.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> audit(find_pairs(texts, shingles="words:2"))
    Audit(recall 1 (95% interval 1 … 1), of 1 pair of 3 sampled documents)
    """
    from lookalike.flow.checks import check_threads
    from lookalike.storage.budget import Budget
    from lookalike.trust.audit import audit_result
    from lookalike.trust.reported_pairs import Reported

    threads, budget = check_threads(options["threads"]), Budget.of(options["memory"])
    reported = Reported.of(result)
    reading = part(options, verbs.ReadAgain)
    if data is None and not reading and isinstance(result, DocumentReport):
        data = result._remembered()
    source, warnings = (data, ()) if is_source(data) else reopen(reported.input, data, **reading)
    return audit_result(
        reported, source, sample=options["sample"], seed=options["seed"], threads=threads,
        progress=callback(options["progress"]), warnings=warnings, budget=budget,
    )  # fmt: skip


@verb(verbs.Contamination)
def contamination(train: Any, test: Any, **options: Unpack[verbs.Contamination]) -> Contamination:
    """Finds test documents that appear in the training data: whole in one document, or in pieces across several.

    A test document is reported if the share of its shingles that appear in one training document (its containment), or
    in the training data as a whole, is at least `threshold`. The test data is held in memory; the training data is read
    block by block and may have any size.

    >>> pages = ["a dog", "he said: the cat sat on the mat and looked at the moon for a long time, and left"]
    >>> found = contamination(pages, ["The cat sat on the mat and looked at the moon for a long time."])
    >>> found.contained, found.table["train"].to_pylist(), found.table["containment"].to_pylist()
    (1, [1], [1.0])
    """
    from lookalike.flow.checks import check_threads
    from lookalike.storage.budget import Budget
    from lookalike.trust.contamination import find_contamination

    threads, budget = check_threads(options["threads"]), Budget.of(options["memory"])
    check_whole("top", options["top"], 1)
    rules = part(options, shared.Rules)
    if options["shingles"] is not None:
        parse_shingling(options["shingles"], **rules)  # an invalid combination is refused before any data is read
    reading = part(options, Reading)
    refuse_one_iterator(train, test)
    training = open_source(train, **reading)
    with naming(verbs.OfTestData, "test_"):
        sources = training, open_source(test, **of_second_input(reading, options, verbs.OfTestData, "test_"))
    outputs = Outputs({"report": options["report"]}, force=options["force"])
    outputs.check_inputs(*sources)
    progress = callback(options["progress"])
    found = find_contamination(
        *sources, threshold=Threshold(options["threshold"]), shingles=options["shingles"], rules=rules,
        top=options["top"], threads=threads, progress=progress, budget=budget,
    )  # fmt: skip
    for path in outputs.paths.values():
        progress("report", 0, None)
        found.report(path, force=options["force"])
    return found


@verb(verbs.Forecast)
def forecast(data: Any, **options: Unpack[verbs.Forecast]) -> Forecast:
    """Predicts what a run with these options would find and what it would cost.

    All texts are read and their signatures are computed, but no pairs are listed: the numbers of candidates and pairs
    are estimated from a sample of the buckets. The forecast includes the method that would be chosen, the reason for
    this choice, and warnings. Memory and disk space are predicted for a run with the memory limit `memory`. With
    `work`, the space for finished parts is included, but nothing is written to that folder.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> expected = forecast(texts, threshold=0.8, shingles="words:2")
    >>> expected.plan.method, expected.documents, expected.same_words, expected.pairs
    ('exact', 3, 1, 1)
    """
    parts = options["work"] is not None  # not opened: it may contain an interrupted run
    asked = {name: value for name, value in options.items() if name not in ("work", "resume")}
    with start(data, options["goal"], asked) as run:
        return run.forecast(parts=parts)


@verb(verbs.Compare)
def compare(a: Any, b: Any, **options: Unpack[verbs.Compare]) -> Comparison:
    """Compares two texts with every measure that applies, and finds the passages they share.

    Each text is a string, a list of tokens, or the `pathlib.Path` of a file to read.
    """
    from lookalike.io.one_text import text_of
    from lookalike.text.comparison import compare

    plan = Plan.from_options(options["plan"], "pairs", part(options, shared.Finding))
    return compare(text_of(a, options["encoding"]), text_of(b, options["encoding"]), plan)


@verb(verbs.Signing)
def signature(text: Any, **options: Unpack[verbs.Signing]) -> Signature:
    """Computes the MinHash signature of a text or of a list of tokens. Signatures can be compared, merged and stored.

    A signature does not depend on other data, so `auto` means words:5 for all texts, and tokens for lists. With `auto`,
    `find_pairs` and `compare` use symbols:5 for source code. For such a text, `signature` issues a warning that
    suggests setting `shingles`.

    >>> one, two = signature("a storm came at night", shingles="words:1"), signature("at night", shingles="words:1")
    >>> one.similarity(two)
    0.421875
    """
    from lookalike.flow.signature import Signature
    from lookalike.io.file_names import names_file

    for convert in ("tolist", "to_pylist"):  # arrays and texts of NumPy, series of pandas; arrays of Arrow
        text = getattr(text, convert)() if hasattr(text, convert) else text
    if names_file(text):
        raise InvalidOption("signature-of-a-file-name", name=text)
    if isinstance(text, bytes | bytearray | Path | Mapping) or not isinstance(text, Iterable):
        raise InvalidOption("signature-without-text", type=type(text).__name__)
    table = signatures([text if isinstance(text, str) else list(text)], **options)
    return Signature.at(table, 0)


@verb(verbs.SignData)
def signatures(data: Any, **options: Unpack[verbs.SignData]) -> pa.Table:
    """Computes the MinHash signatures of all documents. Returns an Arrow table with the columns `id` and `signature`.

    The column `id` is omitted if the data has no ids. A signature is a list of `hashes` numbers.

    `data` is passed as in `find_pairs`, and `auto` means the same as in `signature`. The metadata of the table
    describes the rules by which its signatures were made. `Signature.at(table, row)` returns the signature in a row.
    Before you append one table to another, check that `one.schema.metadata == other.schema.metadata`, because Arrow
    keeps only the metadata of the first table.

    >>> signatures(["a storm came at night", ""], shingles="chars:5", hashes=4).schema.field("signature").type
    FixedSizeListType(fixed_size_list<item: uint64 not null>[4])
    """
    from lookalike.engines.stages.signing import sign_source

    entries = part(options, shared.Cutting, shared.Sketching, verbs.Seeded)
    if options["plan"] is None:
        entries |= {"bands": 1, "rows": 1}  # without bands, few hashes are not refused for a recall out of reach
    plan = Plan.from_options(options["plan"], "pairs", entries)
    if plan.ignore_common is not None:
        raise InvalidOption("signatures-with-ignore-common", share=str(plan.ignore_common))
    source = open_source(data, **part(options, Reading))
    return sign_source(source, plan, threads=options["threads"], progress=callback(options["progress"]))


@verb(verbs.SimHash)
def simhash(data: Any, **options: Unpack[verbs.SimHash]) -> npt.NDArray[np.uint8]:
    """Computes the SimHash of all documents: a few bits per document, of which similar documents share most.

    Returns an array with one row per document and eight bits per number, which `find_pairs` and `join` accept with
    `measure="hamming"`. Two documents differ in a share of about angle/180° of the bits, where the angle is that
    between their sets of shingles (its cosine is |A∩B| / √(|A|·|B|)). With `bag`, repeated shingles count. A document
    without shingles has only zeros.

    `data` is passed as in `find_pairs`, and `auto` means the same as in `signature`.

    >>> codes = simhash(["the cat sat on the mat", "The cat sat on the mat!", "a dog"], shingles="words:2")
    >>> codes.shape, find_pairs(codes, measure="hamming", distance=3).top()
    ((3, 8), [(0, 1, 0)])
    """
    from lookalike.engines.stages.signing import simhash_source

    check_whole("bits", options["bits"], 8, 4096)
    if options["bits"] % 8:
        raise InvalidOption("bits-not-bytes", bits=options["bits"])
    entries = part(options, shared.Shingles, shared.Normalizing, shared.Bags, verbs.Seeded)
    entries |= {"bands": 1, "rows": 1}  # not used, but a plan needs them
    plan = Plan.from_options(None, "pairs", entries)
    source = open_source(data, **part(options, Reading))
    progress = callback(options["progress"])
    return simhash_source(source, plan, bits=int(options["bits"]), threads=options["threads"], progress=progress)


@verb(verbs.FrequentPairs)
def frequent_pairs(baskets: Any, **options: Unpack[verbs.FrequentPairs]) -> FrequentPairs:
    """Finds pairs of items that occur together in at least `support` baskets.

    `baskets` is a list of lists, a file with one basket per line, or a table. The data is read at least twice and may
    be larger than `memory`. With less memory, more passes may be needed; the `report` of the result lists all passes.
    The pairs are the same for every method, memory limit and number of threads. `apriori` is the fastest method if the
    pairs fit in memory; `pcy`, `multihash` and `multistage` need less memory.

    >>> frequent_pairs([["milk", "bread"], ["bread", "milk", "eggs"], ["beer"]], support=2).top()
    [('bread', 'milk', 2)]
    """
    from lookalike.frequent import find_frequent_pairs

    engine_name, warnings = named_or_default(options["engine"])
    found = find_frequent_pairs(
        baskets, support=options["support"], method=options["method"], memory=options["memory"],
        threads=options["threads"], engine=engine_name, progress=callback(options["progress"]),
        **part(options, verbs.BasketFiles),
    )  # fmt: skip
    return replace(found, report=replace(found.report, notes=warnings + found.report.notes)) if warnings else found


@verb(Reading)
def resolve_plan(data: Any, plan: Plan, **options: Unpack[Reading]) -> ResolvedPlan:
    """Resolves a plan for this data: decides how to split texts into shingles, and whether to use an exact join."""
    from lookalike.planning.survey import resolve_on_source

    return resolve_on_source(plan, open_source(data, **part(options, Reading)), engine())


__all__ = [
    "audit",
    "compare",
    "contamination",
    "dedupe",
    "find_clusters",
    "find_pairs",
    "forecast",
    "frequent_pairs",
    "join",
    "nearest",
    "resolve_plan",
    "signature",
    "signatures",
    "simhash",
]
