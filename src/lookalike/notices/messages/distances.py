"""Messages about distances and similarities of single items and of arrays."""

from lookalike.notices.messages import Message

MESSAGES = {
    "lengths-differ": Message("InvalidOption", "{what} must have the same length, got {left:,} and {right:,}"),
    "shapes-differ": Message("InvalidOption", "x and y must have the same shape, got {left} and {right}"),
    "not-a-weight": Message("InvalidOption", "weights must be finite and 0 or more, got {value!r}"),
    "not-a-vector": Message(
        "InvalidOption", "expected a vector, which has one dimension, got an array of shape {shape}"
    ),
    "vector-not-finite": Message(
        "InvalidOption", "a vector must consist of finite numbers, got {value!r} at position {position}"
    ),
    "vector-of-zeros": Message("InvalidOption", "a vector of zeros has no direction, so it has no angle or cosine"),
    "not-rows-of-numbers": Message(
        "InvalidOption", "{name} must be rows of numbers, all of the same length ({reason})"
    ),
    "not-two-dimensional": Message(
        "InvalidOption", "{name} must have two dimensions, one vector per row, got shape {shape}"
    ),
    "row-not-finite": Message("InvalidOption", "{name}, row {row} (counted from 0): every number must be finite"),
    "row-of-zeros": Message(
        "InvalidOption",
        "{name}, row {row} (counted from 0): a vector of zeros has no direction, so it has no angle or cosine",
    ),
    "row-with-negative-weight": Message(
        "InvalidOption", "{name}, row {row} (counted from 0): weights must be 0 or more"
    ),
    "row-not-of-bits": Message("InvalidOption", "{name}, row {row} (counted from 0): every number must be 0 or 1"),
}
