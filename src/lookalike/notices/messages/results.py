"""Messages about results: their methods, the survivor rule, and saving and loading them."""

from lookalike.notices.messages import Message

MESSAGES = {
    "duplicate-ids": Message(
        "warning",
        "the ids[[ of {source}]] are not unique: {repeated:,} of {rows:n row} repeat an earlier id. Such rows cannot "
        "be told apart in the result. Use {@id} to name another column, or omit {@id} to identify rows by their "
        "position",
    ),
    "pairs-not-verified": Message(
        "InvalidOption",
        "these pairs were found with {@verify=none}, so their similarity is unknown. To rank or filter pairs, search "
        "again with {@verify=exact}",
    ),
    "below-threshold-of-run": Message(
        "InvalidOption",
        "these pairs were found with a threshold of {found}, so less similar pairs were not searched for. Search "
        "again with {@threshold} set to {wanted}",
    ),
    "table-instead-of-folder": Message(
        "InvalidOption",
        "save() writes a folder of several files for load() to read, but {path} is the name of a single file. Omit "
        "{suffix}. To write only the table, convert it with to_pandas() or to_polars(), and write it with that library",
    ),
    "threshold-or-distance": Message("InvalidOption", "set either {@threshold} or {@distance}, but not both"),
    "pairs-by-distance": Message(
        "InvalidOption",
        "these pairs were found with {measure}, which is a distance. Set {@distance} instead of {@threshold}",
    ),
    "pairs-by-similarity": Message(
        "InvalidOption",
        "these pairs were found with {measure}, which is a similarity. Set {@threshold} instead of {@distance}",
    ),
    "beyond-distance-of-run": Message(
        "InvalidOption",
        "these pairs were found with a maximum distance of {found:g}, so pairs farther apart were not searched for. "
        "Search again with {@distance} set to {wanted:g}",
    ),
    "no-such-position": Message(
        "InvalidOption",
        "{value!r} is not the number of a document. Documents without ids are numbered from 0 to {last:,}",
    ),
    "no-such-id": Message("InvalidOption", "no document has the id {value!r}"),
    "clusters-of-two-collections": Message(
        "InvalidOption",
        "matches between two collections cannot be grouped into clusters. To find clusters, join one collection with "
        "itself",
    ),
    "rows-lost": Message(
        "BrokenInvariant",
        "{kept:,} kept rows and {removed:,} removed rows do not add up to the {read:n row} that were read, so the "
        "result cannot be trusted",
    ),
    "no-column-to-keep-by": Message(
        "NoSuchColumn",
        "{where} has no column {column!r}; its columns are {columns:quoted}. Change {rule!r} in {option:@} to name one "
        "of them",
    ),
    "keep-without-order": Message(
        "InvalidOption",
        "{option:@} cannot be {rule}, because values of type {type} have no order. Choose a column of numbers, dates "
        "or texts",
    ),
    "rule-never-used": Message(
        "InvalidOption",
        "{option:@} contains the rule {rule!r} after {before!r}, which already decides between any two rows. Move "
        "{before!r} to the end, or omit {rule!r}",
    ),
    "rule-with-open-quotation": Message(
        "InvalidOption",
        '{option:@} contains an unclosed quotation mark: {value!r}. To write a quotation mark itself, double it ("")',
    ),
    "where-without-condition": Message(
        "InvalidOption",
        "{option:@} must be of the form where:COLUMN=VALUE, where:COLUMN!=VALUE, where:COLUMN>=VALUE or "
        "where:COLUMN<=VALUE, got {value!r}",
    ),
    "where-of-another-type": Message(
        "InvalidOption",
        "{option:@} cannot be {rule}, because {value!r} cannot be compared with the values of column {column!r}, "
        "which have type {type}",
    ),
    "rule-without-rows": Message("warning", "{option:@} names {rule}, which matches no row of {name}"),
    "protects-nothing": Message(
        "InvalidOption", "{@protect} names {rule}, which matches no row of {name}, so nothing would be protected"
    ),
    "glob-without-files": Message(
        "InvalidOption", "{option:@} names {glob!r}, which matches none of the input files: {files:quoted}"
    ),
    "rows-without-files": Message(
        "InvalidOption",
        "{option:@} names {glob!r}, but the documents of {name} are not rows of files. Use where:COLUMN=VALUE to "
        "choose them by the values of a column",
    ),
    "not-a-folder-to-replace": Message(
        "OutputError", "{path} is a file, but a result is saved in a folder. Choose another path"
    ),
    "folder-of-other-files": Message(
        "OutputError",
        "{path} contains {file}, which is not part of a saved result. Move that file elsewhere, or choose another "
        "folder. {@force=True} replaces saved results but does not delete other files",
    ),
    "not-a-saved-result": Message(
        "NoInput", "{path} is not a saved result. Expected a folder with a summary.json file written by lookalike"
    ),
    "result-of-another-version": Message(
        "MalformedInput",
        "{path} was saved in format {found!r}, but this version of lookalike reads format {known}. Create the result "
        "again, or load it with the version that saved it",
    ),
    "damaged-result": Message(
        "MalformedInput", "the result saved in {path} is damaged: {reason}. Create the result again"
    ),
    "summary-not-json": Message("detail", "summary.json is not valid JSON ({reason})"),
    "summary-nested-too-deeply": Message("detail", "summary.json is nested too deeply"),
    "summary-lacks-entry": Message("detail", "summary.json has no entry {name!r}"),
    "entry-not-as-saved": Message("detail", "the value of entry {name!r} in summary.json is invalid: {value!r}"),
    "no-such-kind-of-result": Message("detail", "{kind!r} is not a known kind of result"),
    "result-not-described": Message("detail", "the saved values do not form a valid {kind} ({reason})"),
    "table-missing": Message("detail", "the file {file} is missing"),
    "table-not-listed": Message("detail", "summary.json does not list {file}"),
    "table-unreadable": Message("detail", "{file} cannot be read ({reason})"),
    "table-of-other-length": Message("detail", "{file} should have {expected:n row}, but has {found:,}"),
    "column-missing": Message("detail", "{file} has no column {column!r}"),
    "column-not-as-saved": Message("detail", "column {column!r} of {file} contains unexpected values of type {type}"),
    "row-outside": Message(
        "detail", "column {column!r} of {file} refers to row {row}, but there are only {rows:n row}"
    ),
    "labels-not-first-rows": Message("detail", "a label in {file} refers to a row that belongs to a different cluster"),
    "missing-package": Message("MissingExtra", "{what} requires {package}. To install it, run: pip install {package}"),
}
