"""Messages about plans: bands, rows, recall, and plan files."""

from lookalike.notices.messages import Message

MESSAGES = {
    "exact-join-with-bands": Message(
        "InvalidOption", "an exact join does not use bands. Omit {@bands} and {@rows}, or choose {@method=lsh}"
    ),
    "exact-join-unverified": Message(
        "InvalidOption", "an exact join always compares the sets, so {@verify} must be 'exact', got {verify!r}"
    ),
    "lsh-at-full-recall": Message(
        "InvalidOption", "{@method=lsh} cannot guarantee a recall of 1. Choose a lower {@recall}, or {@method=exact}"
    ),
    "lsh-without-rows": Message(
        "InvalidOption", "{@method=lsh} requires at least one row per band. Omit {@rows=0}, or choose {@method=exact}"
    ),
    "bands-below-full-recall": Message(
        "InvalidOption",
        "{bands:n band} of {rows:n row} cannot guarantee a recall of 1. Omit {@bands} and {@rows} for an exact join, "
        "or choose a lower {@recall}",
    ),
    "bands-without-rows": Message(
        "InvalidOption", "with {@rows=0}, every pair is compared, so {@bands} must be 1, got {bands}"
    ),
    "too-few-hashes": Message(
        "InvalidOption",
        "{bands:n band} of {rows:n row} would need {needed:,} hashes, but {@hashes} is {hashes:,}. Raise {@hashes}, "
        "or choose fewer bands or rows",
    ),
    "recall-out-of-reach": Message(
        "InvalidOption",
        "with {hashes:n hash/hashes}, the recall at a threshold of {at:g} is at most {best:.4f}, less than the "
        "requested {recall:g}. Raise {@hashes}, or choose a lower {@recall}",
    ),
    "tokens-not-cut": Message(
        "InvalidOption",
        "the column contains lists of tokens, so {@shingles} must be 'tokens' or 'tokens:K', got {shingles!r}",
    ),
    "shingles-of-tokens": Message("detail", "the column contains lists of tokens"),
    "shingles-of-code": Message(
        "detail", "the texts are source code: brackets and similar signs make up {share}% of the median text"
    ),
    "shingles-of-short-texts": Message(
        "detail",
        "the median length of the first {documents:n text} is {median:n character}. In such short texts, chars:5 also "
        "finds typing errors, but takes different texts of one template for copies",
    ),
    "shingles-of-texts": Message("detail", "the median length of the first {documents:n text} is {median:n character}"),
    "shingles-without-texts": Message("detail", "no texts were given"),
    "bands-cheaper": Message(
        "detail",
        "for {sets:n set} of about {elements:n element}, bands cost about {bands_cost} µs per set, and an exact join "
        "costs about {exact_cost} µs",
    ),
    "exact-join-cheaper": Message(
        "detail",
        "for {sets:n set} of about {elements:n element}, an exact join costs about {exact_cost} µs per set, and bands "
        "cost about {bands_cost} µs",
    ),
    "exact-join-misses-nothing": Message(
        "detail",
        "for {sets:n set} of about {elements:n element}, an exact join costs about {exact_cost} µs per set, and bands "
        "cost about {bands_cost} µs. The exact join was chosen because it misses no pairs and the difference is small",
    ),
    "plan-not-readable": Message("MalformedInput", "cannot read the plan {path}: {reason}"),
    "plan-too-large": Message(
        "MalformedInput", "{path} is not a plan, because it has more than {largest:,} characters"
    ),
    "plan-not-toml": Message("MalformedInput", "{plan} is not valid TOML: {reason}"),
    "plan-with-damaged-shingles": Message(
        "MalformedInput", "the entry 'ignored' of {plan} is damaged. Create the plan again"
    ),
    "plan-entry-not-a-table": Message(
        "InvalidOption", "in {plan}, {entry!r} must be a table, written [{entry}], got {value!r}"
    ),
    "plan-of-another-format": Message(
        "InvalidOption",
        "{plan} has signature format {format!r}, but the newest format that this version of lookalike supports is "
        "{known}. Create the plan again",
    ),
    "unknown-plan-entry": Message(
        "InvalidOption", "{plan} contains an unknown entry, {entry!r}. Remove it, or correct its name"
    ),
}
