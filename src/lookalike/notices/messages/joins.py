"""Messages about joins of sets and strings."""

from lookalike.notices.messages import Message

MESSAGES = {
    "threshold-of-a-distance": Message(
        "InvalidOption",
        "{measure} is a distance, not a similarity. Set {@distance} (the maximum distance) instead of {@threshold}",
    ),
    "distance-of-a-similarity": Message(
        "InvalidOption",
        "{measure} is a similarity, not a distance. Set {@threshold} (the minimum similarity) instead of {@distance}",
    ),
    "missing-distance": Message(
        "InvalidOption", "{measure} requires a maximum distance. Set one, for example {@distance=2}"
    ),
    "missing-threshold": Message(
        "InvalidOption", "{measure} requires a minimum similarity. Set one, for example {@threshold=0.8}"
    ),
    "missing-shared-count": Message(
        "InvalidOption",
        "{@measure=shared} requires a minimum number of common elements. Set one, for example {@threshold=3}",
    ),
    "not-a-shared-count": Message(
        "InvalidOption",
        "with {@measure=shared}, {@threshold} must be a whole number of common elements, from 1 to {most:,}, got "
        "{value!r}. For a share of the smaller set, choose {@measure=overlap}",
    ),
    "sum-bag-above-half": Message(
        "InvalidOption",
        "equal bags have a sum-bag similarity of 1/2, so {@threshold} must be at most 0.5, got {value}. For a "
        "similarity of 1 between equal bags, choose {@measure=jaccard} and {@bag=True}",
    ),
    "sum-bag-of-sets": Message("InvalidOption", "sum-bag compares bags, not sets. Add {@bag=True}"),
    "texts-against-tokens": Message(
        "InvalidOption",
        "the {texts} column contains texts, but the {tokens} column contains lists of tokens. To split the texts at "
        "white space, add {@shingles=tokens}",
    ),
    "edit-distance-of-tokens": Message(
        "InvalidOption",
        "edit distances compare texts, but column {column!r} of {source} contains lists of tokens. Use {@column} to "
        "name a column of texts",
    ),
    "too-many-matches": Message(
        "InvalidOption",
        "the result would contain [[about {pairs:,.0f} pairs, ]]more than the limit of {most:,} pairs. {advice}",
    ),
    "choose-fewer-pairs": Message(
        "detail", "Raise {@threshold}, lower {@distance}, or limit the number of matches per row with {@top}"
    ),
    "choose-higher-threshold": Message("detail", "Choose a higher {@threshold}"),
    "choose-smaller-distance": Message("detail", "Choose a smaller {@distance}"),
    "choose-fewer-neighbours": Message("detail", "Choose a smaller {@top}, or pass fewer queries at a time"),
    "sets-outgrow-memory": Message(
        "InvalidOption",
        "the limit of {limit:bytes} leaves too little memory for {what}. The first {rows:n row} already exceed the "
        "limit. Raise {@memory}",
    ),
    "not-sets": Message("InvalidOption", "expected a list of sets, got {type}"),
    "not-a-set": Message("MalformedInput", "expected a set, a list or a string at position {position}, got {type}"),
    "not-a-column-of-lists": Message("MalformedInput", "expected a column of lists, got a column of type {type}"),
    "unhashable-element": Message(
        "MalformedInput", "the set at position {position} has an element that cannot be hashed ({reason})"
    ),
    "not-strings": Message("InvalidOption", "expected a list of strings, got {type}"),
    "invalid-strings": Message("MalformedInput", "every value must be a valid string ({reason})"),
    "not-a-column-of-strings": Message("MalformedInput", "expected a column of strings, got a column of type {type}"),
}
