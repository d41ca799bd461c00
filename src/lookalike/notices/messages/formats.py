"""Messages about the content of files and tables."""

from lookalike.notices.messages import Message

MESSAGES = {
    # where in the input
    "row": Message("detail", "{name}, row {row} (counted from 0)"),
    "line": Message("detail", "{name}, line {line}"),
    "row-at-line": Message("detail", "{name}, row {row} (line {line})"),
    "numbered-row": Message("detail", "{name}, row {row}"),
    # rows that cannot be used
    "malformed-row": Message("MalformedInput", "{where}: {reason}. To skip and count such rows, use {@on_error=skip}"),
    "column-without-texts": Message(
        "MalformedInput",
        "{where}: column {column!r} contains {kind}, not texts. Use {@column} to name the column of texts[[. These "
        "columns contain texts: {columns:quoted}]]",
    ),
    "every-row-skipped": Message(
        "warning",
        "all {count:,} rows were skipped as malformed, so there was nothing to compare. Check that {@column} names "
        "the column of texts",
    ),
    "row-skipped": Message("warning", "skipped {where}: {reason}"),
    "not-utf8": Message("detail", "not UTF-8 (byte {byte} at offset {offset})"),
    "in-another-encoding": Message(
        "detail",
        "probably {likely} (byte {byte} at offset {offset} is not UTF-8). If so, set {@encoding} to {likely}",
    ),
    "not-utf8-line": Message("detail", "not UTF-8 (byte {byte} at offset {offset} of line {line})"),
    "utf16": Message("detail", "probably UTF-16. If so, set {@encoding} to utf-16"),
    "binary": Message("detail", "binary data (byte {byte} at offset {offset} is not UTF-8)"),
    "surrogate": Message("detail", "contains a lone surrogate ({character}), which is not a valid character"),
    "not-a-text-file": Message("detail", "expected a text file in UTF-8, but this file is {reason}[[. {advice}]]"),
    "choose-files-advice": Message(
        "detail", "To read only some of the files in a folder, use a glob, such as 'folder/**/*.txt'"
    ),
    # JSON Lines
    "not-json": Message("detail", "not valid JSON ({reason} at column {column})[[. {advice}]]"),
    "not-an-object": Message("detail", "expected a JSON object, got {got}[[. {advice}]]"),
    "json-array-advice": Message("detail", "To read a file that consists of a single JSON array, use {@format=json}"),
    "json-object-advice": Message("detail", "Each object must be on its own line. To convert the file, use `jq -c .`"),
    "nested-too-deeply": Message("detail", "nested more than {levels} levels deep"),
    "not-text": Message("detail", "expected a string, got {got}"),
    "not-a-token-list": Message("detail", "expected a list of tokens, got {got}"),
    "not-a-token": Message("detail", "expected a string or an integer as a token, got {got}"),
    "not-one-item": Message("detail", "expected one item (a string or an integer), got {got}"),
    "not-a-dictionary": Message("detail", "expected a dictionary, got {type}"),
    "surrogates-replaced": Message(
        "warning",
        "{rows:n row} contained lone surrogates in fields other than the text. Each surrogate was replaced by U+FFFD",
    ),
    # CSV and TSV
    "empty-delimited-file": Message(
        "MalformedInput", "{name} is empty. It must start with a header that names the columns"
    ),
    "malformed-header": Message("MalformedInput", "{name}, header: {reason}"),
    "wrong-number-of-fields": Message("detail", "expected {expected:n field}, as in the header, got {got}"),
    "unclosed-quote": Message(
        "detail",
        "a quoted field is opened but never closed, so the rest of the file ({lines:n line}) cannot be divided "
        "into rows. If quotation marks are part of the texts, add {@quote=none}",
    ),
    "broken-quoting": Message(
        "detail", "broken quoting ({reason}). If quotation marks are part of the texts, add {@quote=none}"
    ),
    # how text files are written
    "not-a-separator": Message(
        "InvalidOption", "{@separator} must be one ASCII character other than a line break, got {value!r}"
    ),
    "separator-is-quote": Message(
        "InvalidOption",
        "{@separator} and {@quote} are the same character, {value!r}. Set {@quote} to another character, or to 'none'",
    ),
    "not-a-quote": Message("InvalidOption", "{@quote} must be one ASCII character, or 'none', got {value!r}"),
    "unknown-encoding": Message(
        "InvalidOption", "{@encoding} must be a text encoding, such as latin-1 or utf-16, got {value!r}"
    ),
    "not-for-this-format": Message(
        "InvalidOption",
        "{option:@} applies only to {formats:and} files, but {name} is read as {format}. Omit {option:@}",
    ),
    "dialect-of-data-in-memory": Message(
        "InvalidOption", "{option:@} applies only to files, but {name} is in memory. Omit {option:@}"
    ),
    "not-in-encoding": Message(
        "MalformedInput", "{name} is not encoded as {encoding} ({reason}). Set {@encoding} to the encoding of the file"
    ),
    "element": Message("detail", "{name}, element {element} of the array (counted from 0)"),
    "malformed-array": Message("MalformedInput", "{where}: not valid JSON ({reason})"),
    # Parquet
    "damaged-row-group": Message(
        "MalformedInput",
        "{name} is damaged: at row group {group}, the number of rows differs from the {rows:,} that the footer "
        "declares",
    ),
    "damaged-column": Message("MalformedInput", "{name}: column {column!r} is damaged ({reason})"),
    "column-types-differ": Message(
        "MalformedInput",
        "column {column!r} has type {type} in {first}, but {other_type} in {other}. Files that are read together "
        "must have the same column types",
    ),
    "column-types-clash": Message(
        "MalformedInput", "column {column!r} of {name} does not have the same type as in the preceding files ({reason})"
    ),
    # text files
    "read-as-one-document": Message(
        "warning", "{name} was read as one document. To read one document per line, use {@format=lines}"
    ),
    # columns of texts, items and ids
    "repeated-column": Message(
        "MalformedInput", "{where} has more than one column named {column!r}. Rename all but one"
    ),
    "not-a-text-column": Message(
        "MalformedInput",
        "{where}: column {column!r} must contain texts or lists of tokens, but its type is {type}. Use {@column} to "
        "name the column of texts",
    ),
    "tokens-in-bytes": Message(
        "MalformedInput",
        "{where}: the tokens in column {column!r} are bytes, but must be strings or integers. Decode the bytes first",
    ),
    "not-an-id-column": Message(
        "MalformedInput",
        "{where}: ids must be integers or strings, but column {column!r} has type {type}. Use {@id} to name another "
        "column",
    ),
    "column-not-converted": Message(
        "MalformedInput", "{where}: column {column!r} of type {type} cannot be read as {wanted} ({reason})"
    ),
    "damaged-texts": Message("MalformedInput", "the column of texts is damaged ({reason})"),
    "missing-id": Message(
        "MalformedInput",
        "{where}: the id in column {column!r} is missing. Give every document an id, or omit {@id} to identify "
        "documents by their position",
    ),
    "unreadable-id": Message("MalformedInput", "{where}: the id in column {column!r} cannot be read: {reason}"),
    "id-not-an-integer": Message(
        "MalformedInput", "{where}: expected a 64-bit integer as the id, like the first id, got {value!r}"
    ),
    "id-not-a-string": Message(
        "MalformedInput", "{where}: the ids in column {column!r} must be either all strings or all integers ({reason})"
    ),
    # damaged files
    "damaged-file": Message("MalformedInput", "{name} is damaged or truncated ({reason})"),
    "damaged-length": Message(
        "MalformedInput", "{name} is damaged, or needs more memory than this machine has ({reason})"
    ),
    # records
    "format-without-columns": Message(
        "InputError",
        "{name} is read as {format}, which has no columns. Records need a table: CSV, TSV, JSON Lines or Parquet",
    ),
    "no-values": Message(
        "MalformedInput", "{name} contains no records. Each line must be a JSON object with at least one value"
    ),
    "tables-clash": Message("MalformedInput", "the files in {name} have columns that cannot be combined ({reason})"),
    "column-not-text": Message("MalformedInput", "{name}: column {column!r} of type {type} cannot be read as text"),
}
