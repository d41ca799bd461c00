"""Messages about stories."""

from lookalike.notices.messages import Message

MESSAGES = {
    "too-many-similar-lengths": Message(
        "InvalidOption",
        "{pairs:,} pairs of pages have similar lengths, more than the limit of {most:,}. "
        "Use {@method=bands}, or raise {@threshold}",
    ),
    "no-stop-list": Message(
        "InvalidOption",
        "there is no stop list for {language!r}. Choose one of {languages:list}, or name a file of stop words",
    ),
    "stop-list-missing": Message("NoInput", "there is no file of stop words at {path}"),
    "stop-list-unreadable": Message("InputError", "the stop words in {path} cannot be read: {reason}"),
    "stop-list-not-utf8": Message(
        "MalformedInput", "{path} is not UTF-8 text. Expected stop words, separated by spaces or line breaks"
    ),
    "stop-list-empty": Message(
        "MalformedInput", "{path} contains no words. Expected stop words, separated by spaces or line breaks"
    ),
    "stories-need-texts": Message(
        "InvalidOption",
        "stories are found in texts, but the input contains lists of tokens. Name a column of texts with {@column}",
    ),
}
