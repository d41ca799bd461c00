"""Messages about hash families, and the constructions made of them."""

from lookalike.notices.messages import Message

MESSAGES = {
    "malformed-family": Message(
        "InvalidOption",
        "{@family} must have the form {form}, with a number in place of each word in capitals, got {value!r}",
    ),
    "family-of-distances": Message(
        "InvalidOption", "{family} has distances, but no similarity: set {@distance}, not {@threshold}"
    ),
    "family-of-similarities": Message("InvalidOption", "{family} has a similarity: set {@threshold}, not {@distance}"),
    "family-without-similarity": Message(
        "InvalidOption", "random lines have distances, but no similarity: use at_distance()"
    ),
    "threshold-and-distance": Message("InvalidOption", "set {@threshold} or {@distance}, not both"),
    "recall-not-below-one": Message(
        "InvalidOption",
        "{@recall} must be greater than 0 and less than 1, got {value!r}. Only an exact join has a recall of 1",
    ),
    "similarity-out-of-range": Message(
        "InvalidOption",
        "{measure} similarity must be from {least:g} to 1, got {value:g}[[. Did you mean {meant:g}?]]",
    ),
    "distance-out-of-range": Message(
        "InvalidOption", "a distance must be 0 or more[[, and at most {farthest:g}]], got {value:g}"
    ),
    "distances-not-ascending": Message("InvalidOption", "d1 must be less than d2, got {d1:g} and {d2:g}"),
    "invalid-similarities": Message(
        "InvalidOption",
        "{@similarities} must be one or more finite numbers, or a tuple of two arrays of the same length: the numbers "
        "and their counts",
    ),
    "invalid-counts": Message(
        "InvalidOption", "the counts in {@similarities} must be 0 or more, and at least one must be greater than 0"
    ),
    "threshold-off-the-curve": Message(
        "InvalidOption", "{@threshold} must be from {low:g} to {high:g}, the range that is drawn, got {value:g}"
    ),
    "not-drawable": Message("InvalidOption", "the plot cannot be saved as {path}: {reason}"),
    "empty-set": Message("InvalidOption", "an empty set has no MinHash value"),
    "not-an-element": Message("InvalidOption", "elements of a set must be integers or strings, got {value!r}"),
    "invalid-weights": Message(
        "InvalidOption",
        "the weights of a weighted set must be finite and 0 or more, and at least one must be greater than 0",
    ),
    "sequence-of-another-length": Message(
        "InvalidOption", "expected a sequence of length {expected:,}, got an array of shape {shape}"
    ),
    "vector-of-another-length": Message(
        "InvalidOption", "expected a vector of {expected:n dimension}, got one of {length:,}"
    ),
}
