"""Messages about families of hash functions and their constructions."""

from lookalike.notices.messages import Message

MESSAGES = {
    "minhash-of-datasketch": Message(
        "InvalidOption",
        "in lookalike, MinHash is a family of hash functions and has no option {option}. To sign a text, use "
        "la.signature(text, hashes=128)",
    ),
    "plot-without-file": Message(
        "InvalidOption",
        "plot takes a file name, got {type}. Each call draws one curve. To draw several curves in one picture, pass "
        "the same matplotlib axes to each call: plot(axes=axes)",
    ),
    "malformed-family": Message(
        "InvalidOption",
        "{@family} must have the form {form}, with a number in place of each word in capitals, got {value!r}",
    ),
    "family-of-distances": Message(
        "InvalidOption", "{family} is defined by a distance, not a similarity. Set {@distance} instead of {@threshold}"
    ),
    "family-of-similarities": Message(
        "InvalidOption", "{family} is defined by a similarity, not a distance. Set {@threshold} instead of {@distance}"
    ),
    "family-without-similarity": Message(
        "InvalidOption", "random lines are defined by a distance, not a similarity. Use at_distance() instead"
    ),
    "threshold-and-distance": Message(
        "InvalidOption", "{@threshold} and {@distance} cannot be combined. Set only one of them"
    ),
    "recall-not-below-one": Message(
        "InvalidOption",
        "{@recall} must be greater than 0 and less than 1, got {value!r}. Only an exact join has a recall of 1",
    ),
    "similarity-out-of-range": Message(
        "InvalidOption",
        "{measure} similarity must be from {least:g} to 1, got {value:g}[[. Did you mean {meant:g}?]]",
    ),
    "distance-out-of-range": Message(
        "InvalidOption", "a distance must be 0 or more[[ and at most {farthest:g}]], got {value:g}"
    ),
    "distances-not-ascending": Message("InvalidOption", "d1 must be less than d2, got {d1:g} and {d2:g}"),
    "not-a-family": Message(
        "InvalidOption", "{@family} must be a family of hash functions, such as la.MinHash(), got {value!r}"
    ),
    "not-a-cost": Message("InvalidOption", "the cost must be a la.Cost, such as la.Cost(hash=1, key=4), got {value!r}"),
    "invalid-similarities": Message(
        "InvalidOption",
        "{@similarities} must be one or more finite numbers, or a tuple of two arrays of the same length: the numbers "
        "and their counts",
    ),
    "invalid-counts": Message(
        "InvalidOption",
        "the counts in {@similarities} must be finite and non-negative, and at least one must be greater than 0",
    ),
    "threshold-off-the-curve": Message(
        "InvalidOption", "{@threshold} must be within the range of the plot, from {low:g} to {high:g}, got {value!r}"
    ),
    "not-drawable": Message("InvalidOption", "the plot cannot be saved as {path}: {reason}"),
    "empty-set": Message("InvalidOption", "an empty set has no MinHash value"),
    "not-an-element": Message("InvalidOption", "elements of a set must be integers or strings, got {value!r}"),
    "invalid-weights": Message(
        "InvalidOption",
        "the weights of a set must be finite and non-negative, and at least one must be greater than 0",
    ),
    "sequence-of-another-length": Message(
        "InvalidOption", "expected a sequence of length {expected:,}, got an array of shape {shape}"
    ),
    "vector-of-another-length": Message(
        "InvalidOption", "expected a vector with {expected:n dimension}, got one with {length:,}"
    ),
}
