"""Messages about plagiarism."""

from lookalike.notices.messages import Message

MESSAGES = {
    "texts-not-saved": Message(
        "InvalidOption",
        "this result was loaded from disk, and the texts of {title} were not saved with it. To show passages, run "
        "plagiarism again",
    ),
    "plagiarism-needs-texts": Message(
        "InvalidOption",
        "plagiarism compares texts, but the input contains lists of tokens. Use {@column} to name a column of texts",
    ),
}
