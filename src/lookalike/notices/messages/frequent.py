"""Messages about frequent pairs: support, memory, and passes over the baskets."""

from lookalike.notices.messages import Message

MESSAGES = {
    "not-a-support": Message(
        "InvalidOption",
        "{@support} must be a number of baskets, such as 100, or a share of all baskets, such as 0.01, got {value!r}",
    ),
    "support-below-one": Message("InvalidOption", "{@support} must be at least 1 basket, got {value!r}"),
    "support-too-large": Message("InvalidOption", "{@support} must be less than 10^19 baskets, got {value!r}"),
    "support-share-above-one": Message(
        "InvalidOption",
        "a share of the baskets must be at most 1, but {@support} is {value!r}[[. For a number of baskets, write "
        "{meant}]]",
    ),
    "memory-below-least": Message("InvalidOption", "{@memory} must be at least {least:bytes}, got {memory:bytes}"),
    "items-outgrow-memory": Message(
        "InvalidOption",
        "the {items:n frequent item} need {needed:bytes}, but the memory limit of {memory:bytes} leaves only "
        "{left:bytes} for them. Raise {@memory} or {@support}",
    ),
    "items-too-large": Message("MalformedInput", "integer items must be less than 2^63. Use strings for all items"),
    "baskets-skipped": Message("warning", "skipped {count:n malformed basket}"),
    "items-in-passes": Message(
        "warning",
        "the {items:n distinct item} did not fit in {memory:bytes} of memory, so they were counted in {passes:n "
        "pass/passes}. To count them in one pass, raise {@memory}",
    ),
    "pairs-in-passes": Message(
        "warning",
        "the {pairs:n candidate pair} did not fit in {memory:bytes} of memory, so they were counted in {passes:n "
        "pass/passes}. To count them in one pass, raise {@memory}",
    ),
}
