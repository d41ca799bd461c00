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
        "lookalike has no stop list for {language!r}. Choose one of {languages:list}, or name a file of stop words",
    ),
    "stop-list-missing": Message("NoInput", "the file of stop words {path} does not exist"),
    "stop-list-unreadable": Message("InputError", "the stop words in {path} cannot be read: {reason}"),
    "stop-list-not-utf8": Message(
        "MalformedInput", "{path} is not UTF-8 text. Expected stop words, separated by spaces or line breaks"
    ),
    "stop-list-empty": Message(
        "MalformedInput", "{path} contains no words. Expected stop words, separated by spaces or line breaks"
    ),
    "stories-need-texts": Message(
        "InvalidOption",
        "stories can be found only in texts, but the input contains lists of tokens. "
        "Use {@column} to name a column of texts",
    ),
}
