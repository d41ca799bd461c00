"""Messages about distances and similarities of single items and of arrays."""

from lookalike.notices.messages import Message

MESSAGES = {
    "lengths-differ": Message("InvalidOption", "{what} must have the same length, got {left:,} and {right:,}"),
    "shapes-differ": Message("InvalidOption", "x and y must have the same shape, got {left} and {right}"),
    "not-a-weight": Message("InvalidOption", "weights must be finite and non-negative, got {value!r}"),
    "not-a-vector": Message(
        "InvalidOption", "expected a vector (an array with one dimension), got an array of shape {shape}"
    ),
    "vector-not-finite": Message(
        "InvalidOption", "a vector must consist of finite numbers, got {value!r} at position {position}"
    ),
    "vector-of-zeros": Message(
        "InvalidOption", "a vector of zeros has no direction, so its angle and cosine are undefined"
    ),
    "not-rows-of-numbers": Message(
        "InvalidOption", "{name} must consist of rows of numbers, all of the same length ({reason})"
    ),
    "not-two-dimensional": Message(
        "InvalidOption", "{name} must have two dimensions, with one vector per row, got shape {shape}"
    ),
    "row-not-finite": Message(
        "InvalidOption", "row {row} of {name} (counted from 0) contains a number that is not finite"
    ),
    "row-of-zeros": Message(
        "InvalidOption",
        "row {row} of {name} (counted from 0) contains only zeros. A vector of zeros has no direction, so its angle "
        "and cosine are undefined",
    ),
    "row-with-negative-weight": Message(
        "InvalidOption", "row {row} of {name} (counted from 0) contains a negative weight. Weights must be 0 or more"
    ),
    "row-not-of-bits": Message(
        "InvalidOption", "row {row} of {name} (counted from 0) contains a number other than 0 and 1"
    ),
}
