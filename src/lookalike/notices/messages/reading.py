"""Messages about finding and opening the input."""

from lookalike.notices.messages import Message

MESSAGES = {
    # paths, folders, globs and addresses
    "no-paths": Message("InvalidOption", "no input was named. Name at least one file to read"),
    "empty-path": Message("NoInput", "the path is empty. For the current folder, write '.'"),
    "no-such-file": Message("NoInput", "{path} does not exist[[: {reason}]][[. {advice}]]"),
    "not-the-path-of-a-file": Message("NoInput", "{path} is not a valid path ({reason})[[. {advice}]]"),
    "unknown-user": Message("detail", "that user does not exist"),
    "string-is-a-path": Message(
        "detail",
        "A string is read as the path of a file. To pass texts, save them in a file or, in Python, put them in a list",
    ),
    "permission-denied": Message("InputError", "{name} cannot be read: permission denied"),
    "folder-instead-of-file": Message("InputError", "{name} is a folder, but a file was expected"),
    "unreadable": Message("InputError", "{name} cannot be read: {reason}"),
    "glob-matches-nothing": Message("NoInput", "the glob {pattern} does not match any file"),
    "glob-matches-only-folders": Message(
        "NoInput", "the glob {pattern} matches only folders. To match the files in them, end the glob with /* or /**"
    ),
    "file-system-not-installed": Message("MissingExtra", "{url} cannot be read: {reason}"),
    "invalid-address": Message("InputError", "{url} is not a valid address: {reason}"),
    "folder-without-files": Message("NoInput", "the folder {folder} contains no files"),
    "folder-without-documents": Message(
        "NoInput",
        "the folder {folder} contains only files without a known suffix: {found:list}. Known suffixes are "
        "{suffixes:list}, optionally followed by {codecs:or}. To read every file as a document, use {@format=text}"
        "[[. {advice}]]",
    ),
    "json-files-advice": Message("detail", "To read .json files, use {@format=json}"),
    "folder-of-several-formats": Message(
        "InputError",
        "the folder {folder} contains files of several formats ({counts:list}). Choose one format with {@format} or "
        "with a glob",
    ),
    "paths-of-several-formats": Message(
        "InputError",
        "{name} includes files of different formats, such as {examples:and}. Use a glob to choose files of one "
        "format, or set {@format} to read all of them in that format",
    ),
    "hidden-files-skipped": Message("warning", "skipped {count:n hidden file} in {folder}"),
    "special-files-skipped": Message(
        "warning", "skipped {count:n pipe, device or link/pipes, devices or links} in {folder}. The first is {first}"
    ),
    "other-files-skipped": Message(
        "warning", "skipped {count:n file of another format/files of other formats} in {folder}. The first is {first}"
    ),
    "files-named-twice": Message(
        "warning", "ignored {count:n repeated file name}, because each file is read only once"
    ),
    # standard input
    "standard-input-with-files": Message(
        "InvalidOption",
        "standard input ('-') cannot be read together with files. Save the data to a file first, and name that file "
        "instead",
    ),
    "standard-input-closed": Message("InputError", "standard input is closed. Name a file instead of '-'"),
    "standard-input-of-unknown-format": Message(
        "InputError", "the format of standard input cannot be detected. Set {@format} to one of {formats:list}"
    ),
    # data in memory
    "not-data": Message(
        "InvalidOption",
        "the data must be a path, a list of texts, an array or a table (pandas, Polars, pyarrow, DuckDB …), got {type}",
    ),
    "not-an-array-of-texts": Message(
        "InvalidOption", "the array must contain texts, one per row, got an array of shape {shape} and type {type}"
    ),
    "not-arrow-data": Message("MalformedInput", "{name} is not valid Arrow data ({reason})"),
    "neither-texts-nor-columns": Message(
        "MalformedInput", "{name} must contain texts by id, or columns by name ({reason})"
    ),
    "not-a-table": Message("MalformedInput", "{name} is not a table ({reason})"),
    "columns-of-mixed-types": Message(
        "MalformedInput", "{name}: all values of a column must have the same type ({reason})"
    ),
    "table-not-loaded": Message("InputError", "the {type} cannot be read ({reason})"),
    "several-splits": Message(
        "InvalidOption",
        "the dataset is divided into splits: {splits:quoted}. Pass one of them, such as data[{first!r}]",
    ),
    "spark-frame": Message(
        "InvalidOption",
        "the data is a Spark DataFrame. Use the functions in lookalike.engines.spark, or pass df.toArrow()",
    ),
    "open-file": Message("InvalidOption", "the data is an open file ({type}). Pass its path instead"),
    "list-of-file-names": Message(
        "InvalidOption",
        "the list contains file names, such as {first!r}. To read the files, write [pathlib.Path(name) for name in "
        "names]. To compare the names as texts, write {{'text': names}}",
    ),
    "text-instead-of-column": Message(
        "InvalidOption", "column {column!r} of the dictionary is a single text, but must be a list of texts"
    ),
    "tuples-of-two-texts": Message(
        "InvalidOption",
        "the data consists of tuples of two texts. If they are (id, text) pairs, add {@id=id}. If they are sets of two "
        "items, write them as lists",
    ),
    "tuples-without-names": Message(
        "InvalidOption",
        "the data consists of tuples of {length} values. Name the values by writing dictionaries such as {{'id': …, "
        "'text': …}}",
    ),
    "uneven-tuples": Message(
        "InvalidOption",
        "the data consists of tuples of different lengths that contain texts and numbers. If they are rows, write "
        "them as dictionaries such as {{'id': …, 'text': …}}. If they are sets of items, write them as lists",
    ),
    "iterator-used-twice": Message(
        "InvalidOption",
        "both inputs are the same iterator, which can be read only once. Convert it to a list first: list(data)",
    ),
    "dataset-with-transform": Message(
        "InvalidOption",
        "the dataset has a transform (with_transform), which lookalike does not apply. First apply the transform with "
        "map",
    ),
    # a tokenizer of the user
    "not-a-tokenizer": Message(
        "InvalidOption", "{@tokenizer} must be a function that takes a text and returns its tokens, got {value!r}"
    ),
    "tokenizer-of-sets": Message(
        "InvalidOption", "{@tokenizer} splits texts, so it cannot be combined with {@basket}. Omit one of the two"
    ),
    "tokenizer-of-tokens": Message(
        "InvalidOption",
        "{@tokenizer} splits texts, but column {column!r} of {name} already contains lists of tokens. Omit "
        "{@tokenizer}",
    ),
    "tokenizer-failed": Message("MalformedInput", "{where}: {@tokenizer} did not return tokens ({reason})"),
    "tokenizer-raised": Message("detail", "{error}: {message}"),
    "dictionary-of-tokens": Message(
        "detail",
        "expected a list of tokens, got a dictionary with the keys {keys:quoted}. Return one of its values instead",
    ),
    "result-of-a-tokenizer": Message(
        "InvalidOption", "this result was made with the tokenizer {name}. Pass that tokenizer again with {@tokenizer}"
    ),
    # which columns
    "not-a-column-name": Message("InvalidOption", "{option:@} must be the name of a column, got {value!r}"),
    "one-column-for-texts-and-ids": Message(
        "InvalidOption",
        "{@column} and {@id} both name column {column!r}. Use {@id} to name another column, or omit {@id} to "
        "identify documents by their position",
    ),
    # data that changed, and results that are read again
    "input-changed": Message(
        "InputError", "{name} changed while it was being read, so the results would not match its rows. Try again"
    ),
    "rows-changed": Message(
        "InputError", "{name} changed while it was being read: it had {before:n row} and now has {rows:,}. Try again"
    ),
    "result-without-files": Message(
        "NoInput", "this result does not record which files it was made from. Pass the data as well"
    ),
    "data-differs-from-result": Message(
        "InputError",
        "the data has changed since the result was made. Create the result again, or pass the original data, as in "
        "report(path, data)",
    ),
    "data-of-another-result": Message(
        "InputError",
        "the result describes {documents:n document}, but the data has {rows:n row}. Pass the data that the result "
        "was made from",
    ),
    "input-differs-from-result": Message(
        "warning", "{name} has changed since the result was made, so the audit may not be valid"
    ),
    "damaged-description": Message(
        "MalformedInput", "the description of the input in this result is damaged ({reason})"
    ),
    "reference-of-another-kind": Message(
        "InvalidOption",
        "column {column!r} of {name} contains {type}, but the other input contains {other}. Compare texts with texts, "
        "and token lists with token lists",
    ),
}
