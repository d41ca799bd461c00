"""Messages about results: what they can be asked, the survivor rule, and saving them."""

from lookalike.notices.messages import Message

MESSAGES = {
    "duplicate-ids": Message(
        "warning",
        "ids[[ of {source}]] are not unique: {repeated:,} of {rows:n row} repeat an earlier id, and the result "
        "cannot tell these rows apart. Name another column with {@id}, or omit {@id} to identify rows by their "
        "position",
    ),
    "pairs-not-verified": Message(
        "InvalidOption",
        "these pairs were found with {@verify=none}, so they have no similarity. To rank or filter pairs, search "
        "again with another {@verify}",
    ),
    "below-threshold-of-run": Message(
        "InvalidOption",
        "these pairs were found with a threshold of {found}; less similar pairs were never searched for. Lower "
        "{@threshold} to {wanted}, and search again",
    ),
    "threshold-or-distance": Message("InvalidOption", "set either {@threshold} or {@distance}, but not both"),
    "pairs-by-distance": Message(
        "InvalidOption", "these pairs were found with {measure}, a distance: set {@distance}, not {@threshold}"
    ),
    "pairs-by-similarity": Message(
        "InvalidOption", "these pairs were found with {measure}, a similarity: set {@threshold}, not {@distance}"
    ),
    "beyond-distance-of-run": Message(
        "InvalidOption",
        "these pairs were found with a maximum distance of {found:g}; pairs farther apart were never searched for. "
        "Raise {@distance} to {wanted:g}, and search again",
    ),
    "no-such-position": Message(
        "InvalidOption", "there is no document {value!r}. Without ids, documents are numbered from 0 to {last:,}"
    ),
    "no-such-id": Message("InvalidOption", "there is no document with the id {value!r}"),
    "clusters-of-two-collections": Message(
        "InvalidOption",
        "matches between two collections cannot be grouped into clusters. To find clusters, join one collection with "
        "itself",
    ),
    "rows-lost": Message(
        "BrokenInvariant", "{kept:,} rows kept and {removed:,} removed do not add up to the {read:n row} read"
    ),
    "no-column-to-keep-by": Message(
        "NoSuchColumn",
        "{where} has no column {column!r}; its columns are {columns:quoted}. "
        "Set {@keep} to best:COLUMN with the name of one of them",
    ),
    "keep-without-values": Message(
        "InvalidOption", "{@keep} {keep} needs the values of column {column!r}, one per row"
    ),
    "keep-without-order": Message(
        "InvalidOption",
        "{@keep} cannot be {keep}: values of type {type} have no order. Choose a column of numbers, dates or texts",
    ),
    "not-a-folder-to-replace": Message(
        "OutputError", "{path} is a file; a result is saved in a folder. Choose another path"
    ),
    "folder-of-other-files": Message(
        "OutputError",
        "{path} contains {file}, which is not part of a saved result. Move that file away, or choose another folder: "
        "{@force=True} replaces results, but does not delete other files",
    ),
    "not-a-saved-result": Message(
        "NoInput", "{path} is not a saved result: it is not a folder with a summary.json written by lookalike"
    ),
    "result-of-another-version": Message(
        "MalformedInput",
        "{path} was saved in format {found!r}, but this version of lookalike reads format {known}. Create the result "
        "again, or load it with the version that saved it",
    ),
    "damaged-result": Message("MalformedInput", "the result saved in {path} is damaged: {reason}"),
    "summary-not-json": Message("detail", "summary.json is not valid JSON ({reason})"),
    "summary-nested-too-deeply": Message("detail", "summary.json is nested too deeply"),
    "summary-lacks-entry": Message("detail", "summary.json has no entry {name!r}"),
    "entry-not-as-saved": Message("detail", "the value of entry {name!r} in summary.json is invalid: {value!r}"),
    "no-such-kind-of-result": Message("detail", "there is no kind of result called {kind!r}"),
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
    "missing-package": Message("MissingExtra", "{what} needs {package}: pip install {package}"),
    "keep-without-lengths": Message("InvalidOption", "{@keep} {keep} needs the lengths of the texts"),
}
