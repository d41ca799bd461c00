"""Messages of the command line: its arguments, its outputs, and what it prints besides errors."""

from lookalike.notices.messages import Message

MESSAGES = {
    # inputs
    "ended-by-signal": Message("detail", "{how}"),
    "json-beside-table": Message(
        "InvalidOption",
        "{@json=True} prints a JSON object to standard output, so the output of {option:@} cannot go there too. Name "
        "a file for {option:@}",
    ),
    "configuration-not-readable": Message("MalformedInput", "cannot read the configuration file {path}: {reason}"),
    "configuration-too-large": Message(
        "MalformedInput", "the configuration file {path} has more than {largest:n character}; it needs three lines"
    ),
    "unknown-configuration-entry": Message(
        "InvalidOption",
        "{path} has an unknown entry, {entry!r}. A configuration file may only set {allowed:and}; set other options on "
        "the command line or in a plan",
    ),
    "invalid-configuration-entry": Message(
        "InvalidOption",
        "in {path}, the value of {entry} is invalid: {value!r}. Write the value as you would on the command line",
    ),
    "empty-input": Message("InvalidOption", "the name of an input is empty. For the current folder, write '.'"),
    "standard-input-twice": Message(
        "InvalidOption", "standard input can be read only once. Use '-' for one input, and name files for the others"
    ),
    "no-second-input": Message(
        "InvalidOption",
        "{option:@} describes a second input, but there is only one. Name a second input, or omit {option:@}",
    ),
    "current-folder-gone": Message(
        "InputError", "the folder in which lookalike was started no longer exists. Change to another folder (cd)"
    ),
    # outputs
    "no-name-for-rows": Message(
        "InvalidOption", "{@out} {path} is the root of a file system. Name a file or folder inside it"
    ),
    "file-exists": Message("OutputExists", "{path} already exists. Choose another path for {option:@}"),
    "audit-to-standard-output": Message(
        "InvalidOption", "{@out} must be a file, because the summary is printed to standard output"
    ),
    # explain
    "family-with-data": Message(
        "InvalidOption",
        "explaining a family of hash functions needs no data. Remove the input, or omit {@family} and {@distance}",
    ),
    "needs-family": Message(
        "InvalidOption", "{option:@} can only be used with {@family}, the name of a family of hash functions"
    ),
    "not-with-family": Message("InvalidOption", "{option:@} cannot be combined with {@family}. Omit one of the two"),
    "memory-without-data": Message(
        "InvalidOption",
        "{@memory} limits the memory of a forecast, which needs an input. Name an input, or omit {@memory}",
    ),
    # what is printed besides
    "run-can-be-resumed": Message(
        "detail", "progress is saved in {folder}. Run the same command with {@resume=True} to continue"
    ),
    "more-passages": Message(
        "detail", "{count:n shorter shared passage} not shown. To see all of them, use {@passages} {all}"
    ),
    "out-of-memory": Message("detail", "out of memory. Process less data at a time, or use a machine with more memory"),
    "bug": Message(
        "detail",
        "{what}. This is a bug: please report it, with the output of `lookalike {@traceback=True} …` for the same "
        "arguments",
    ),
    "unknown-command": Message("InvalidOption", "there is no command {command}[[. Did you mean {meant}?]]"),
    "see-help": Message("detail", "{problem}. See {command} {@help=True}"),
    "text-not-utf8": Message("MalformedInput", "{name} is {reason}"),
}
