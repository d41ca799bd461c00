"""Messages about output."""

from lookalike.notices.messages import Message

MESSAGES = {
    "unwritable": Message("OutputError", "{path} cannot be written: {reason}"),
    "no-space-left": Message("detail", "no space left on the device"),
    "file-too-large": Message("detail", "the file is larger than this system allows"),
    "reader-stopped": Message("detail", "the program that was reading it has stopped"),
    "parent-is-a-file": Message("detail", "{folder} is a file, not a folder"),
    "folder-not-writable": Message("detail", "you have no permission to write to the folder {folder}"),
    "standard-output": Message("detail", "standard output"),
    "standard-output-closed": Message("OutputError", "standard output is closed. Name a file instead of '-'"),
    "output-is-url": Message(
        "OutputError",
        "{path} is a URL, but results can only be written to local files. Write a local file, then copy it",
    ),
    "output-not-a-file": Message("OutputError", "{path} is neither a file nor a folder, so it cannot be written to"),
    "output-is-a-folder": Message("OutputError", "{path} is a folder, but the output is a file"),
    "output-is-a-file": Message("OutputError", "{path} is a file, but the output is a folder of files"),
    "folder-has-other-files": Message(
        "OutputError",
        "{path} also contains {name}, which this run would not write. Move that file, or choose another path: "
        "{@force=True} replaces results, but does not delete other files",
    ),
    "output-is-input": Message(
        "OutputError", "{path} would overwrite {name}, which is being read. Choose another path"
    ),
    "unknown-output-format": Message(
        "InvalidOption",
        "cannot tell the format of {path}. End its name with {suffixes:or}; all but the first may be followed by "
        "{codecs:or}",
    ),
    "no-common-folder": Message(
        "OutputError", "the input files have no common folder, so their names cannot be kept below {path}"
    ),
    "table-named-like-kept-rows": Message(
        "InvalidOption", "{name} in {path} will contain kept rows. Choose another name for the other table"
    ),
    "tables-beside-one-file": Message("InvalidOption", "{path} is one file, so no tables can be written into it"),
    "column-not-writable": Message("MalformedInput", "column {column!r} cannot be written as text ({reason})"),
}
