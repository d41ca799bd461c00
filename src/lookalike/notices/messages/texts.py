"""Messages about documents, their texts, and their signatures."""

from lookalike.notices.messages import Message

MESSAGES = {
    "text-and-tokens": Message("InvalidOption", "compare takes two texts or two lists of tokens, got one of each"),
    "lone-surrogate": Message(
        "MalformedInput", "the text contains a lone surrogate, which is not valid Unicode ({reason})"
    ),
    "neither-texts-nor-tokens": Message(
        "MalformedInput", "expected a column of texts or of lists of tokens, got a column of type {type}"
    ),
    "signatures-of-different-rules": Message(
        "PlanMismatch", "these signatures were made under different rules: {one}; and {other}"
    ),
    "signatures-of-different-documents": Message(
        "PlanMismatch", "signatures are merged document by document, but these belong to different documents"
    ),
}
