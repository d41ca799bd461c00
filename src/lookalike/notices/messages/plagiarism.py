"""Messages about plagiarism."""

from lookalike.notices.messages import Message

MESSAGES = {
    "plagiarism-needs-texts": Message(
        "InvalidOption", "copied passages are found in texts, but the input contains lists of tokens"
    ),
}
