"""Messages about reports."""

from lookalike.notices.messages import Message

MESSAGES = {
    "unknown-home": Message("InvalidOption", "{path} is in the home folder of a user who does not exist"),
    "report-of-vectors": Message("InvalidOption", "{method} is available only for documents, not for vectors"),
    "matches-without-texts": Message(
        "NoInput",
        "this result no longer has its texts. Pass the data that was joined: show(n, left, right), or "
        "show(n, left) if it was joined with itself",
    ),
    "report-without-texts": Message(
        "NoInput",
        "this result was loaded or copied, so it does not have the texts that the report shows. Call {verb} again "
        "with {@report}",
    ),
    "result-without-texts": Message(
        "NoInput",
        "this result was loaded or copied, so it does not have the texts to show. Call {verb} again, and call show() "
        "on the new result",
    ),
    "report-is-a-folder": Message(
        "OutputError", "{path} is a folder, but {@report} must name a file, such as {example}"
    ),
}
