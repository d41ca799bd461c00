"""Messages about the command line: arguments, outputs, and what is printed in addition to errors."""

from lookalike.notices.messages import Message

MESSAGES = {
    # inputs
    "ended-by-signal": Message("detail", "{how}"),
    "json-beside-table": Message(
        "InvalidOption",
        "{@json=True} prints a JSON object to standard output, so the output of {option:@} cannot go there too. Name "
        "a file for {option:@}",
    ),
    "completion-without-words": Message(
        "InvalidOption",
        "_LOOKALIKE_COMPLETE is set, but COMP_WORDS and COMP_CWORD are not, so there is nothing to complete. To run "
        "a command, unset _LOOKALIKE_COMPLETE",
    ),
    "configuration-not-readable": Message("MalformedInput", "cannot read the configuration file {path}: {reason}"),
    "configuration-too-large": Message(
        "MalformedInput", "the configuration file {path} is too large. It may have at most {largest:n character}"
    ),
    "unknown-configuration-entry": Message(
        "InvalidOption",
        "{path} contains an unknown entry, {entry!r}. A configuration file can set only {allowed:and}; set other "
        "options on the command line or in a plan",
    ),
    "invalid-configuration-entry": Message(
        "InvalidOption",
        "in {path}, {value!r} is not a valid value for {entry}. Valid entries are, for example, threads = 4, memory "
        "= '8GiB' and progress = false",
    ),
    "empty-input": Message("InvalidOption", "the name of an input is empty. For the current folder, write '.'"),
    "standard-input-twice": Message(
        "InvalidOption", "standard input ('-') can be read only once. Name files for the other inputs"
    ),
    "no-second-input": Message(
        "InvalidOption",
        "{option:@} describes a second input, but there is only one input. Name a second input, or omit {option:@}",
    ),
    "current-folder-gone": Message(
        "InputError", "the current folder no longer exists. Change to another folder with cd"
    ),
    # outputs
    "no-name-for-rows": Message(
        "InvalidOption", "{@out} names {path}, the root of a file system. Name a file or folder inside it"
    ),
    "file-exists": Message("OutputExists", "{path} already exists. Choose another path for {option:@}"),
    "audit-to-standard-output": Message(
        "InvalidOption", "{@out} cannot be '-', because the summary is printed to standard output. Name a file"
    ),
    # explain
    "family-with-data": Message(
        "InvalidOption",
        "{@family} explains a family of hash functions and does not use data. Remove the input, or omit {@family} and "
        "{@distance}",
    ),
    "needs-family": Message(
        "InvalidOption",
        "{option:@} can be used only together with {@family}. Add {@family} with the name of a family of hash "
        "functions, or omit {option:@}",
    ),
    "not-with-family": Message("InvalidOption", "{option:@} cannot be combined with {@family}. Omit one of the two"),
    "memory-without-data": Message(
        "InvalidOption",
        "{@memory} limits the memory of a forecast, which needs an input. Name an input, or omit {@memory}",
    ),
    # what is printed besides
    "run-can-be-resumed": Message(
        "detail", "progress is saved in {folder}. To continue, repeat the run with {@resume=True}"
    ),
    "more-passages": Message(
        "detail",
        "{count:n shorter shared passage is/shorter shared passages are} not shown. To see all of them, use "
        "{@passages} {all}",
    ),
    "out-of-memory": Message("detail", "out of memory. Process less data at a time, or use a machine with more memory"),
    "bug": Message(
        "detail",
        "{what}. This is a bug. Please report it. To include a traceback, run the same command again, with "
        "{@traceback=True} after lookalike",
    ),
    "unknown-command": Message("InvalidOption", "{command!r} is not a command[[. Did you mean {meant!r}?]]"),
    "see-help": Message("detail", "{problem}. See {command} {@help=True}"),
    "text-not-utf8": Message("MalformedInput", "{name} is {reason}"),
}
