"""Messages about plagiarism."""

from lookalike.notices.messages import Message

MESSAGES = {
    "texts-not-saved": Message(
        "InvalidOption",
        "this result was loaded from disk, and the texts of {title} are not saved with it. To show passages, run "
        "plagiarism again",
    ),
    "plagiarism-needs-texts": Message(
        "InvalidOption",
        "copied passages are found in texts, but the input contains lists of tokens. Name a column of texts with "
        "{@column}",
    ),
}
