"""Messages about options that several functions share."""

from lookalike.notices.messages import Message

MESSAGES = {
    "not-one-of": Message("InvalidOption", "{option:@} must be one of {allowed:list}, got {value!r}"),
    "not-a-whole-number": Message(
        "InvalidOption", "{option:@} must be a whole number of at least {least}, got {value!r}"
    ),
    "not-in-whole-range": Message(
        "InvalidOption", "{option:@} must be a whole number from {least} to {most}, got {value!r}"
    ),
    "number-too-large": Message("InvalidOption", "{option:@} must be a number of at most {bits} bits, got {value!r}"),
    "not-a-list-of-names": Message("InvalidOption", "{option:@} must be a name, or a list of names, got {value!r}"),
    "not-a-number": Message("InvalidOption", "{option:@} must be a number, got {value!r}"),
    "not-positive": Message("InvalidOption", "{option:@} must be a number greater than 0, got {value!r}"),
    "negative-number": Message("InvalidOption", "{option:@} must be a non-negative number, got {value!r}"),
    "not-a-size": Message(
        "InvalidOption", "{option:@} must be a size such as '256MiB' or '2GB', or a number of bytes, got {value!r}"
    ),
    "not-true-or-false": Message("InvalidOption", "{option:@} must be True or False, got {value!r}"),
    "not-a-progress": Message(
        "InvalidOption",
        "{@progress} must be True, False, or a function that is called with (stage, done, total), got {value!r}",
    ),
    "not-a-path": Message("InvalidOption", "{option:@} must be a path, got {type}"),
    "not-a-share": Message(
        "InvalidOption",
        "{option:@} must be a number greater than 0 and at most 1, got {value!r}[[. Did you mean {meant}?]]",
    ),
    "too-many-decimal-places": Message(
        "InvalidOption",
        "{option:@} must be greater than 0 and at most 1, with at most {places} decimal places, got {value!r}",
    ),
    "missing-extra": Message(
        "MissingExtra",
        "{what} requires {package}. In a clone of lookalike, run: pip install '.[{extra}]'",
    ),
    "no-such-column": Message(
        "NoSuchColumn",
        "{where} has no column {column!r}; its columns are {columns:quoted}. Use {options:options} to name one of them",
    ),
    "no-such-column-in-other-input": Message(
        "NoSuchColumn",
        "{where} has no column {column!r}; its columns are {columns:quoted}. The data passed with {option:@} is read "
        "with the same column names as the input. Rename the columns of one of the two inputs",
    ),
    "output-exists": Message(
        "OutputExists",
        "{path} already exists. Choose another path[[ with {option:@}]], or overwrite it with {@force=True}",
    ),
}
