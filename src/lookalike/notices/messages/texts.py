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
        "PlanMismatch", "signatures made by different rules cannot be merged: {one}; and {other}"
    ),
    "signatures-of-different-documents": Message(
        "PlanMismatch", "only signatures of the same documents can be merged, but these belong to different documents"
    ),
}
