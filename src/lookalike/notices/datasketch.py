"""Names of datasketch that lookalike does not have, and what to use instead, for errors."""

from __future__ import annotations

from lookalike.notices import Notice

NAMES = {
    "AsyncMinHashLSH": "find_pairs, join for two collections, or Index to add and query documents",
    "HNSW": "nearest",
    "LeanMinHash": "signature",
    "MinHashLSH": "find_pairs, join for two collections, or Index to add and query documents",
    "MinHashLSHBloom": "Index with texts=False, or dedupe with against=",
    "MinHashLSHEnsemble": 'join with measure="containment"',
    "MinHashLSHForest": "join with top=",
    "WeightedMinHashGenerator": 'find_pairs with measure="weighted-jaccard"',
}
"""Names of the package."""

ATTRIBUTES = {
    "copy": "the signature itself: signatures are never changed",
    "deserialize": "from_bytes",
    "digest": "values",
    "hashvalues": "values",
    "jaccard": "similarity",
    "num_perm": "len",
    "serialize": "to_bytes",
    "union": "merge",
    "update": "la.signature with the whole text or list of tokens: signatures are never changed",
    "update_batch": "la.signature with the whole text or list of tokens: signatures are never changed",
}
"""Attributes of its MinHash."""

OPTIONS = frozenset({"gpu_mode", "hashfunc", "hashobj", "hashvalues", "num_perm", "permutations", "scheme", "seed"})
"""Options of its MinHash."""


def missing_name(package: str, name: str) -> AttributeError:
    """Returns the error for a name that the package does not have."""
    return missing(f"module {package!r}", name, NAMES.get(name))


def missing(owner: str, name: str, instead: str | None) -> AttributeError:
    """Returns the error for an attribute that does not exist. `instead` is what to use if datasketch has it."""
    if instead is None:
        return AttributeError(f"{owner} has no attribute {name!r}")
    return AttributeError(str(Notice("name-of-datasketch", owner=owner, name=name, instead=instead)))
