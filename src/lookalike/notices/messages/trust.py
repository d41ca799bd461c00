"""Messages about forecasts and audits."""

from lookalike.notices.messages import Message

MESSAGES = {
    "audit-documents-differ": Message(
        "InputError",
        "{result} describes {expected:n document}, but {source} has {found:,}. Pass the data that the result was "
        "made from",
    ),
    "audit-order-differs": Message(
        "InputError",
        "{result} describes documents other than those in the data, or lists them in a different order. Pass the "
        "data that the result was made from",
    ),
    "audit-unknown-id": Message(
        "InputError",
        "{result} contains the id {id!r}, which is not in the data. Pass the data that the result was made from, and "
        "set {@id} to its id column",
    ),
    "audit-repeated-id": Message(
        "InputError",
        "several documents have the id {id!r}, so {result} is ambiguous. Audit a table of clusters, which has one "
        "row per document, or use unique ids",
    ),
    "audit-counts-exempt": Message(
        "warning",
        "{result} does not record which documents were protected or declared different. Pairs that dedupe left in "
        "place for these reasons therefore count as missed. Audit the result object or a saved result, or use the "
        "{@audit} option of dedupe",
    ),
    "audit-of-copies": Message(
        "InvalidOption",
        "{result} is limited to copies ({@remove} is {remove!r}). All copies are always found, so there is no recall "
        "to measure",
    ),
    "audit-of-top": Message(
        "InvalidOption",
        "{result} is limited to the most similar pairs ({@top}). They are found by an exact search, so there is no "
        "recall to measure",
    ),
    "audit-id-types-differ": Message(
        "InvalidOption",
        "the ids in {result} have type {type}, but those in the data have type {expected}. Set {@id} to the id "
        "column that was used to create the result",
    ),
    "not-a-result": Message("InvalidOption", "audit requires a result, its table, or the path of either, got {type}"),
    "not-a-result-table": Message(
        "InvalidOption",
        "{result} is not a table of pairs, clusters or removed documents; its columns are {columns:quoted}",
    ),
    "removed-against-reference": Message(
        "InvalidOption",
        "{result} lists documents that were removed because of reference data, but does not contain that data, so "
        "its recall cannot be measured. Audit the result object, or use the {@audit} option of dedupe",
    ),
    "result-without-plan": Message(
        "InvalidOption",
        "{result} does not contain its plan, so its recall cannot be measured. Audit a result object, a saved result, "
        "or a Parquet file written by the command pairs, clusters or dedupe",
    ),
    "no-result-at-path": Message("NoInput", "the result {path} does not exist"),
    "result-not-parquet": Message(
        "InvalidOption",
        "{path} is neither a result folder nor a Parquet file, so it does not contain the plan that an audit needs. "
        "Write the result to a .parquet file with {@out}",
    ),
    "result-table-damaged": Message(
        "MalformedInput", "{result} is not a table that lookalike wrote: {reason}. Create the result again"
    ),
    "column-of-result-invalid": Message("detail", "column {column!r} has missing values or the wrong type"),
    "result-unreadable": Message("MalformedInput", "{path} cannot be read as Parquet: {reason}"),
    "forecast-too-many-pairs": Message(
        "warning",
        "about {pairs:,} similar pairs are expected, but at most {most:,} can be listed. Raise {@threshold}, or find "
        "clusters instead, which does not require a list of pairs",
    ),
    "forecast-pairs-exceed-memory": Message(
        "warning",
        "about {pairs:,} similar pairs are expected, but at most {most:,} fit within the memory limit. Raise "
        "{@memory}, or find clusters instead, which does not require a list of pairs",
    ),
    "forecast-large-buckets": Message(
        "warning",
        "about {buckets:n bucket} will contain more than {size:,} documents; the largest will have about "
        "{largest:,}. If the cause is boilerplate, exclude common shingles with {@ignore_common=0.05}",
    ),
    "forecast-false-candidates": Message(
        "warning",
        "about {each:,.0f} false candidates per document are expected, because dissimilar texts share many shingles, "
        "by chance or because of boilerplate. Try shingles that are longer than {shingles}",
    ),
    "forecast-chaining": Message(
        "warning",
        "most of the similar pairs are just above the threshold of {threshold}, and even more pairs are just below it. "
        "Chains of pairs are therefore likely to put dissimilar documents into one cluster. Raise {@threshold}, or use "
        "{@linkage=star}",
    ),
}
