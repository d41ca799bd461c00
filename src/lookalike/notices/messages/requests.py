"""Messages about requests: options that are unknown, missing, or cannot be combined."""

from lookalike.notices.messages import Message

MESSAGES = {
    "unknown-option": Message("InvalidOption", "{verb} has no option {option:@}[[. Did you mean {meant:@}?]]"),
    "missing-option": Message("InvalidOption", "{verb} requires {option:@}"),
    "not-a-plan": Message("InvalidOption", "{@plan} must be a Plan or the path of a saved plan, got {type}"),
    "whitespace-without-characters": Message(
        "InvalidOption",
        "{@whitespace} applies only to shingles of characters, but {@shingles} is {shingles!r}. Omit {@whitespace}, "
        "or choose shingles of characters, such as chars:9",
    ),
    "not-for-strings": Message(
        "InvalidOption",
        "{option:@} does not apply to {measure}, which compares texts character by character. Omit {option:@}",
    ),
    "not-for-vectors": Message("InvalidOption", "{option:@} does not apply to vectors. Omit {option:@}"),
    "vectors-without-measure": Message(
        "InvalidOption", "vectors require a measure. Set {@measure} to one of {measures:list}"
    ),
    "not-with-top": Message(
        "InvalidOption",
        "{option:@} cannot be used with {@top}, which finds the most similar pairs by an exact search in one run. Omit "
        "{option:@}",
    ),
    "not-with-weights": Message(
        "InvalidOption", "{option:@} cannot be used with {@weights}, which needs its own search. Omit {option:@}"
    ),
    "weights-at-full-recall": Message(
        "InvalidOption",
        "pairs by {@weights} are proposed by hashes, so {@recall} must be less than 1, for example {@recall=0.999}",
    ),
    "fewer-pairs-than-top": Message(
        "warning", "{top:n pair} asked for, {found:,} found: no other two documents have a shingle in common"
    ),
    "fewer-pairs-at-threshold": Message(
        "warning", "{top:n pair} asked for, {found:,} found: no other pair reaches the threshold of {least}"
    ),
    "file-name-instead-of-text": Message(
        "InvalidOption",
        "{name!r} is the name of a file, not a text. To read the file, write pathlib.Path({name!r})",
    ),
    "table-instead-of-text": Message(
        "InvalidOption",
        "compare takes two texts, but {name} is a table ({format}). To compare the rows of two tables, use join",
    ),
    "signature-of-a-file-name": Message(
        "InvalidOption",
        "signature takes one text, but {name!r} is the name of a file. To sign the documents of a file, use signatures",
    ),
    "signature-without-text": Message("InvalidOption", "signature takes one text or one list of tokens, got {type}"),
    "signatures-with-ignore-common": Message(
        "InvalidOption",
        "a signature does not depend on other documents, so ignore_common={share} cannot be used. Remove it from the "
        "plan",
    ),
    "not-a-text": Message("InvalidOption", "a text is a string or a list of tokens, got {type}"),
    "outputs-collide": Message("InvalidOption", "{first:@} and {second:@} both name {path}. Choose different paths"),
    "no-reference": Message("InvalidOption", "{option:@} requires {@against}, the reference data"),
    "no-sources": Message(
        "InvalidOption", "{option:@} requires {@sources}, the texts from which passages may have been copied"
    ),
    "resume-without-work": Message(
        "InvalidOption", "{option:@} requires {@work}, the folder in which a run saves its progress"
    ),
}
