"""Messages of the command line: its arguments, its outputs, and what it prints besides errors."""

from lookalike.notices.messages import Message

MESSAGES = {
    # inputs
    "empty-input": Message("InvalidOption", "the name of an input is empty. For the current folder, write '.'"),
    "standard-input-twice": Message(
        "InvalidOption", "standard input can be read only once. Name a file for all inputs but one"
    ),
    "no-second-input": Message("InvalidOption", "{option:@} describes a second input, but there is only one"),
    "current-folder-gone": Message(
        "InputError", "the folder in which lookalike was started no longer exists. Change to another one (cd)"
    ),
    # outputs
    "no-name-for-rows": Message(
        "InvalidOption", "{@out} {path} is the root of a file system. Name a file or folder in it"
    ),
    "file-exists": Message("OutputExists", "{path} exists already. Choose another {option:@}"),
    "audit-to-standard-output": Message("InvalidOption", "{@out} must be a file: standard output has the summary"),
    # explain
    "family-with-data": Message("InvalidOption", "a family is explained without data. Remove the input, or {@family}"),
    "needs-family": Message("InvalidOption", "{option:@} applies only to a family. Name the family with {@family}"),
    "not-with-family": Message("InvalidOption", "{option:@} cannot be combined with {@family}. Leave it out"),
    "memory-without-data": Message(
        "InvalidOption", "{@memory} is the memory limit of a forecast, which needs an input. Name one"
    ),
    # what is printed besides
    "run-can-be-resumed": Message(
        "detail", "progress is saved in {folder}. Run the same command with {@resume=True} to continue"
    ),
    "more-passages": Message(
        "detail", "{count:n shorter shared passage} not shown. To see all of them, use {@passages} {all}"
    ),
    "out-of-memory": Message("detail", "this machine does not have enough memory for that much data"),
    "bug": Message(
        "detail",
        "{what}. This is a bug: please report it with what `lookalike {@traceback=True} …` prints for the same "
        "arguments",
    ),
    "see-help": Message("detail", "{problem}. See {command} {@help=True}"),
    "text-not-utf8": Message("MalformedInput", "{name} is not UTF-8 text: byte {byte} at offset {offset:,}"),
}
