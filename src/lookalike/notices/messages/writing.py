"""Messages about output."""

from lookalike.notices.messages import Message

MESSAGES = {
    "unwritable": Message("OutputError", "{path} cannot be written: {reason}"),
    "no-space-left": Message("detail", "no space left on the device"),
    "file-too-large": Message("detail", "the file is larger than this system allows"),
    "reader-stopped": Message("detail", "the program that was reading the output has stopped"),
    "parent-is-a-file": Message("detail", "{folder} is a file, not a folder"),
    "folder-not-writable": Message("detail", "you do not have permission to write to the folder {folder}"),
    "standard-output": Message("detail", "standard output"),
    "standard-output-closed": Message("OutputError", "standard output is closed. Name a file instead of '-'"),
    "output-is-url": Message(
        "OutputError",
        "{path} is a URL, but results can be written only to local files. Write a local file, then copy it",
    ),
    "output-not-a-file": Message(
        "OutputError", "{path} is neither a file nor a folder, so it cannot be written. Choose another path"
    ),
    "output-is-a-folder": Message(
        "OutputError", "{path} is a folder, but a file was expected[[. Name a file with {option:@}]]"
    ),
    "output-is-a-file": Message(
        "OutputError",
        "{path} is a file, but a folder was expected, because {@out} ends with '/' or has no known suffix such as "
        ".parquet. Choose another path",
    ),
    "folder-has-other-files": Message(
        "OutputError",
        "{path} contains {name}, which this run does not write. Move that file elsewhere, or choose another path. "
        "{@force=True} replaces results but does not delete other files",
    ),
    "output-is-input": Message(
        "OutputError", "writing {option:@} to {path} would overwrite the input {name}. Choose another path"
    ),
    "unknown-output-format": Message(
        "InvalidOption",
        "the format of {path} is unknown. Use a name that ends with {suffixes:or}. Every suffix except .parquet "
        "can be followed by {codecs:or}",
    ),
    "no-common-folder": Message(
        "OutputError",
        "the input files have no common folder, so their rows cannot be written to files of the same names in {path}. "
        "Use {@out} to name a single file",
    ),
    "table-named-like-kept-rows": Message(
        "InvalidOption",
        "{name} in {path} will contain kept rows, so no other table can be written there. Choose another name for the "
        "table",
    ),
    "tables-beside-one-file": Message(
        "InvalidOption", "{path} is a single file, so no other tables can be written into it. Name a folder instead"
    ),
    "column-not-writable": Message(
        "MalformedInput", "the values of column {column!r} cannot be written as text ({reason})"
    ),
}
