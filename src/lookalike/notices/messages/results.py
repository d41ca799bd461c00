"""Messages about results: what they can be asked, the survivor rule, and saving them."""

from lookalike.notices.messages import Message

MESSAGES = {
    "duplicate-ids": Message(
        "warning", "ids[[ of {source}]] are not unique: {repeated:,} of {rows:n row} repeat an earlier id"
    ),
    "pairs-not-verified": Message(
        "InvalidOption",
        "these pairs were found with {@verify=none}, so they have no similarity. Verify them to rank or filter them",
    ),
    "below-threshold-of-run": Message(
        "InvalidOption",
        "these pairs were found at threshold {found}; pairs below it were never looked for. "
        "Find them again with a {@threshold} of {wanted}",
    ),
    "threshold-or-distance": Message("InvalidOption", "set either {@threshold} or {@distance}"),
    "pairs-by-distance": Message(
        "InvalidOption", "these pairs were found by {measure}, a distance: set {@distance}, not {@threshold}"
    ),
    "pairs-by-similarity": Message(
        "InvalidOption", "these pairs were found by {measure}, a similarity: set {@threshold}, not {@distance}"
    ),
    "beyond-distance-of-run": Message(
        "InvalidOption",
        "these pairs were found up to distance {found:g}; pairs farther apart were never looked for. "
        "Find them again with a {@distance} of {wanted:g}",
    ),
    "no-such-position": Message(
        "InvalidOption", "documents go by position, from 0 to {last:,}; there is no document {value!r}"
    ),
    "no-such-id": Message("InvalidOption", "there is no document with the id {value!r}"),
    "clusters-of-two-collections": Message(
        "InvalidOption",
        "rows of two collections have no clusters. To find clusters, compare one collection with itself",
    ),
    "rows-lost": Message(
        "BrokenInvariant", "kept {kept:,} and removed {removed:,} do not add up to the {read:n document} read"
    ),
    "keep-without-values": Message("InvalidOption", "keep {keep} needs the values of column {column!r}"),
    "keep-without-order": Message(
        "InvalidOption", "{@keep} cannot be {keep}: values of type {type} have no order to choose the best by"
    ),
    "result-not-written": Message("OutputError", "the result cannot be saved in {path}: {reason}"),
    "not-a-folder-to-replace": Message(
        "OutputError", "{path} is a file; a result is saved in a folder. Choose another path"
    ),
    "folder-of-other-files": Message(
        "OutputError",
        "{path} holds {file}, which is not part of a saved result. Move it away or choose another folder: "
        "{@force=True} replaces results, it does not delete other files",
    ),
    "not-a-saved-result": Message(
        "NoInput", "{path} is not a saved result: it is not a folder with a summary.json written by lookalike"
    ),
    "result-of-another-version": Message(
        "MalformedInput",
        "{path} was saved in format {found!r}, but this version of lookalike reads format {known}. "
        "Make the result again, or load it with the version that saved it",
    ),
    "damaged-result": Message("MalformedInput", "the result saved in {path} is damaged: {reason}"),
    "missing-package": Message("MissingExtra", "{what} needs {package}: pip install {package}"),
    "keep-without-lengths": Message("InvalidOption", "keep {keep} needs the lengths of the texts"),
}
