"""Messages about comparing vectors."""

from lookalike.notices.messages import Message

MESSAGES = {
    "cosine-out-of-range": Message(
        "InvalidOption",
        "{@threshold} must be greater than -1 and at most 1 for cosine, got {value:g}[[. Did you mean {meant:g}?]]",
    ),
    "only-for-vectors": Message("InvalidOption", "{option:@} applies to vectors. Name their column with {@vectors}"),
    "keep-by-length-of-vectors": Message(
        "InvalidOption", "{@keep} ({rule}) compares the lengths of texts, but the documents are compared by {@vectors}"
    ),
    "audit-of-vectors": Message(
        "InvalidOption",
        "{result}: documents were compared by vectors, which cannot be audited. With {@recall=1}, every pair is found",
    ),
    "memory-for-vectors": Message("detail", "joining {rows:n vector}"),
    "rows-without-vectors": Message(
        "InvalidOption", "the data has {rows:n row}, but {vectors:n vector}. Every row must have a vector"
    ),
    "vectors-not-in-a-table": Message(
        "InvalidOption", "{name} is an array. {@vectors} needs a table with a column of vectors"
    ),
    "bits-not-bytes": Message("InvalidOption", "{@bits} must be a multiple of 8, got {bits}"),
    "bits-in-blocks": Message(
        "detail",
        "rows are compared only if they agree in {agreeing:n block} of {count:,}, which misses no pair within the "
        "distance",
    ),
    "bits-all-compared": Message("detail", "every pair is compared"),
    "lsh-not-applicable": Message(
        "InvalidOption",
        "{@method=lsh} requires the measure cosine or euclidean, a recall below 1, and more vectors than {@top}. "
        "Here, the measure is {measure} and the recall is {recall:g}. Omit {@method=lsh}",
    ),
    "ivf-not-applicable": Message(
        "InvalidOption",
        "{@method=ivf} requires the measure cosine or euclidean, a recall below 1, and more vectors than {@top}. "
        "Here, the measure is {measure} and the recall is {recall:g}. Omit {@method=ivf}",
    ),
    "lsh-out-of-reach": Message(
        "InvalidOption",
        "no number of bands reaches a recall of {recall:g} on this data. Omit {@method=lsh}, or choose a lower "
        "{@recall}",
    ),
    "vectors-hashed": Message(
        "detail",
        "pairs are found by hashing with {bands:n band} of {rows:n row}, which takes about {hashed} on one core[[; "
        "comparing every pair would take {brute}]][[; sorting by blocks of bits, which misses no pair, would take "
        "{blocks}]]",
    ),
    "vectors-in-lists": Message(
        "detail",
        "vectors are put into {lists:n list} of similar ones, and each query is compared with about {share:.2g} of "
        "them, which takes about {listed} on one core; comparing every pair would take {brute}",
    ),
    "vectors-all-compared": Message(
        "detail", "every pair is compared, which takes about {brute} on one core[[; hashing would take {hashed}]]"
    ),
    "vectors-all-compared-for-recall": Message(
        "detail", "every pair is compared for a recall of 1, which takes about {brute} on one core"
    ),
    "vectors-in-blocks": Message(
        "detail",
        "rows are compared only if they agree in {agreeing:n block} of {count:,}, which misses no pair within the "
        "distance and takes about {blocks} on one core[[; hashing would take {hashed}]]",
    ),
    "dimensions-differ": Message(
        "MalformedInput",
        "the vectors ({one}) have {left:n dimension}, but the queries ({other}) have {right:,}. Both must have the "
        "same number of dimensions",
    ),
    "bits-differ": Message(
        "MalformedInput",
        "the rows of {one} have {left:n bit}, but those of {other} have {right:,}. Both must have the same number of "
        "bits",
    ),
    "dimensions-out-of-range": Message(
        "MalformedInput", "{name}: vectors must have from 1 to {most:,} dimensions, got {dimensions:,}"
    ),
    "rows-differ-in-dimensions": Message(
        "MalformedInput",
        "{name}: all vectors must have the same number of dimensions, but row 0 has {first:,} and row {row} has "
        "{other:,}",
    ),
    "not-a-table-of-numbers": Message(
        "MalformedInput",
        "{name}: expected a table of numbers with one vector per row, got an array of {dimensions:n dimension} and "
        "type {type}",
    ),
    "masked-vectors": Message(
        "MalformedInput",
        "{name}: masked numbers are not supported. Fill in the masked numbers, or remove the rows that contain them",
    ),
    "not-packed-bits": Message(
        "MalformedInput",
        "{name}: expected packed bits, a table of uint8 with eight bits per number, got type {type}. To pack a table "
        "of zeros and ones, use np.packbits(table, axis=1)",
    ),
    "vectors-not-finite": Message(
        "MalformedInput", "{name}, row {row} (counted from 0): every number must be finite, got {value!r}"
    ),
    "vector-without-direction": Message(
        "MalformedInput",
        "{name}, row {row} (counted from 0): a vector of zeros has no direction, so its cosine is undefined. Remove "
        "the row",
    ),
    "vector-too-short": Message(
        "MalformedInput",
        "{name}, row {row} (counted from 0): the numbers in the vector are so small that its length cannot be "
        "computed. Scale the data up",
    ),
    "vector-too-long": Message(
        "MalformedInput",
        "{name}, row {row} (counted from 0): the numbers in the vector are so large that its length cannot be "
        "computed. Scale the data down",
    ),
    "weight-out-of-range": Message(
        "MalformedInput",
        "{name}, row {row} (counted from 0): a weight must be 0, or from 1e-100 to 1e100, got {value:g}",
    ),
}
