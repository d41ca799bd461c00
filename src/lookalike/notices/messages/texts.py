"""Messages about documents, their texts, and their signatures."""

from lookalike.notices.messages import Message

MESSAGES = {
    "text-and-tokens": Message("InvalidOption", "compare takes two texts or two lists of tokens, got one of each"),
    "lone-surrogate": Message(
        "MalformedInput", "the text contains a lone surrogate, which is not valid Unicode ({reason})"
    ),
    "neither-texts-nor-tokens": Message(
        "MalformedInput", "expected a column of texts or of lists of tokens, got a column of type {type}"
    ),
    "signatures-of-different-rules": Message(
        "PlanMismatch",
        "signatures made with different options cannot be compared or merged: {differences:clauses}. Make both with "
        "the same options",
    ),
    "not-a-signature": Message(
        "InvalidOption", "a signature must be a list of 1 to 65,535 whole numbers, got an array of shape {shape}"
    ),
    "signatures-of-different-lengths": Message(
        "PlanMismatch",
        "the signatures have {one:,} and {other:,} hashes. Only signatures of the same length can be compared",
    ),
    "name-of-datasketch": Message(
        "detail",
        "{owner} has no attribute {name!r}, which is a name from datasketch. Use {instead}. The page "
        "docs/coming-from/datasketch.md lists the names of both libraries",
    ),
    "signature-of-code": Message(
        "warning",
        "without {@shingles}, signatures of texts use words:5. For source code, which these texts seem to be, "
        "find_pairs, dedupe and compare use {shingles}, which gives different similarities. To get the same "
        "similarities, pass {shingles} as {@shingles}",
    ),
    "signatures-as-documents": Message(
        "InvalidOption",
        "column {column!r} of {where} contains signatures, not texts or sets of tokens. Pass the texts themselves, or "
        "compare two signatures with Signature.similarity",
    ),
    "signature-objects-as-documents": Message(
        "InvalidOption",
        "{name} contains signatures, not texts or sets of tokens. Pass the texts themselves, or compare two signatures "
        "with Signature.similarity",
    ),
    "not-slots-of-a-signature": Message(
        "InvalidOption", "the slots of a signature must be whole numbers from 0 to 2**64 - 1, got {value!r}"
    ),
    "not-rules-of-a-signature": Message(
        "InvalidOption", "made_by must be the rules of a signature, as in la.signature(…).made_by, got {value!r}"
    ),
    "slots-differ-from-rules": Message(
        "InvalidOption", "the signature has {slots:n slot}, but its rules specify hashes={hashes}"
    ),
    "other-is-not-a-signature": Message(
        "InvalidOption", "a signature can be compared or merged only with another signature, got {type}"
    ),
    "not-bytes-of-a-signature": Message(
        "InvalidOption", "from_bytes takes the bytes that to_bytes returned, got {type}"
    ),
    "no-signatures-in-table": Message(
        "InvalidOption",
        "this is not a table of signatures; its columns are {columns:quoted}. Pass a table that `signatures` returned",
    ),
    "signatures-not-in-table": Message(
        "InvalidOption",
        "Signature.at takes a table that `signatures` returned, or a DataFrame made from it, got {type}",
    ),
    "no-such-signature": Message("InvalidOption", "the table has no row {row!r}. It has {rows:n row}, counted from 0"),
    "signatures-without-rules": Message(
        "InvalidOption",
        "the table has lost its metadata, which contained the rules of its signatures. Pass the rules as made_by. You "
        "can take them from the made_by attribute of any signature that was made with the same options",
    ),
    "damaged-signature": Message("MalformedInput", "the bytes are damaged, or are not a signature"),
    "signatures-of-different-documents": Message(
        "PlanMismatch", "only signatures of the same documents can be merged, but these belong to different documents"
    ),
}
