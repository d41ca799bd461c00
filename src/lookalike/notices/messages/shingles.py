"""Messages about shingles: how texts are cut into sets."""

from lookalike.notices.messages import Message

MESSAGES = {
    "no-such-shingles": Message(
        "InvalidOption",
        "{@shingles} must be words:K, symbols:K, chars:K, tokens, tokens:K, stopwords or auto, where K is a number, "
        "got {value!r}",
    ),
    "shingles-without-length": Message(
        "InvalidOption", "shingles of kind {kind!r} have no length. Write {kind!r} instead of {shingles!r}"
    ),
    "shingle-length-not-a-number": Message(
        "InvalidOption", "the length in {@shingles} must be a whole number, as in '{kind}:5', got {shingles!r}"
    ),
    "shingle-length-out-of-range": Message(
        "InvalidOption", "the length of a shingle must be from 1 to {longest:,}, got {shingles!r}"
    ),
    "unused-shingle-option": Message(
        "InvalidOption", "{option:@} does not apply to {shingles!r} shingles. Omit {option:@}"
    ),
    "no-stop-words": Message(
        "InvalidOption", "shingles of stop words require a list of at least one stop word, got {words!r}"
    ),
}
