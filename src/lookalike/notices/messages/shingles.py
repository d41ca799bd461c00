"""Messages about shingles: how texts are cut into sets."""

from lookalike.notices.messages import Message

MESSAGES = {
    "no-such-shingles": Message(
        "InvalidOption", "{@shingles} must be words:5, chars:9, tokens, stopwords or auto, got {value!r}"
    ),
    "shingles-without-length": Message("InvalidOption", "shingles of kind {kind!r} have no length, got {shingles!r}"),
    "shingle-length-not-a-number": Message(
        "InvalidOption", "the length in {@shingles} must be a whole number, as in '{kind}:5', got {shingles!r}"
    ),
    "shingle-length-out-of-range": Message(
        "InvalidOption", "the length of a shingle must be from 1 to {longest:,}, got {shingles!r}"
    ),
    "unused-shingle-option": Message("InvalidOption", "{shingles!r} shingles do not use {option:@}: leave it out"),
    "no-stop-words": Message(
        "InvalidOption", "stopwords shingles need a list of at least one stop word, got {words!r}"
    ),
}
