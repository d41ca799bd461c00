"""Messages about reports."""

from lookalike.notices.messages import Message

MESSAGES = {
    "unknown-home": Message("InvalidOption", "{path} is in the home folder of a user that does not exist"),
    "report-is-a-folder": Message("OutputError", "{path} is a folder. {@report} must be a file, such as {example}"),
}
