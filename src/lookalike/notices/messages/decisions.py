"""Messages about decisions about single documents (`dedupe(decisions=…)`)."""

from lookalike.notices.messages import Message

MESSAGES = {
    "decisions-need-stars": Message(
        "InvalidOption",
        "{@decisions} cannot be used with {@linkage=connected}, because a chain of similar documents could override a "
        "decision. Use {@linkage=star}",
    ),
    "malformed-decision": Message("MalformedInput", "line {line:,} of {path} is not a valid decision: {reason}"),
    "decision-not-json": Message("detail", "it is not valid JSON ({reason})"),
    "decision-not-utf8": Message("detail", "it is {reason}"),
    "decision-not-an-object": Message("detail", "expected a JSON object, got {value!r}"),
    "unknown-decision": Message("detail", "the entry 'decision' must be one of {allowed:list}, got {value!r}"),
    "decision-without-documents": Message(
        "detail", "{decision!r} needs a list of at least {least:n document}, got {value!r}"
    ),
    "decision-step": Message("detail", "the entry 'step' must be a text that is not empty, got {value!r}"),
    "decision-steps": Message("detail", "the entry 'steps' must be a list of names of steps, got {value!r}"),
    "decision-repeats-document": Message("detail", "it names the document {id!r} twice"),
    "too-many-different": Message(
        "detail",
        "at most {most:,} documents can be declared to be different from each other at once, got {documents:,}",
    ),
    "decision-document": Message(
        "detail",
        "a document needs an id (a text or a whole number) and the hash of its bytes (32 hexadecimal digits), got "
        "{value!r}",
    ),
    "decision-about-too-few": Message(
        "InvalidOption", "{decision!r} needs the ids of at least {least} different documents, got {ids!r}"
    ),
    "too-many-different-ids": Message(
        "InvalidOption",
        "'different' takes the ids of at most {most:,} documents, got {documents:,}",
    ),
    "decision-not-text": Message("InvalidOption", "{option}= of a decision must be a string, got {type}"),
    "decision-about-repeated-id": Message(
        "InvalidOption",
        "several documents with different texts have the id {id!r}, so a decision cannot name one of them. Use {@id} "
        "to name a column of unique ids",
    ),
    "stale-decisions": Message(
        "warning",
        "{count:,} of the {decisions:n decision} in {path} could not be applied, because a document has changed since "
        "the decision was made. The first changed document has the id {id!r}",
    ),
    "decisions-not-found": Message(
        "warning",
        "{count:,} of the {decisions:n decision} in {path} could not be applied, because the data does not contain a "
        "document that the decision names. The first missing document has the id {id!r}",
    ),
}
