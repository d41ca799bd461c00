"""Messages about plagiarism."""

from lookalike.notices.messages import Message

MESSAGES = {
    "texts-not-saved": Message(
        "InvalidOption", "the texts of {title} are not saved with the result. Find the passages again to show them"
    ),
    "plagiarism-needs-texts": Message(
        "InvalidOption",
        "copied passages are found in texts, but the input contains lists of tokens. Name a column of texts with "
        "{@column}",
    ),
}
