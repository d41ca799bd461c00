"""Messages about fingerprints."""

from lookalike.notices.messages import Message

MESSAGES = {
    "no-prints-in-folder": Message(
        "NoInput", "the folder {path} contains no files. Expected ISO/IEC 19794-2 records or CSV tables of minutiae"
    ),
    "no-prints-at-path": Message("NoInput", "{path} does not exist"),
    "prints-unreadable": Message("InputError", "{path} cannot be read: {reason}"),
    "not-prints": Message("MalformedInput", "{path} is neither an ISO/IEC 19794-2 minutiae record nor a CSV table"),
    "minutiae-not-csv": Message("MalformedInput", "{path}, line {line}: not valid CSV ({reason})"),
    "minutiae-without-column": Message(
        "NoSuchColumn",
        "{path} has no column {column!r}. A table of minutiae has the columns print, x, y and, optionally, angle",
    ),
    "minutia-not-a-place": Message(
        "MalformedInput",
        "{path}, line {line}: x, y and angle must be numbers, and x and y must not be negative, got {values:quoted}",
    ),
    "prints-skipped": Message("warning", "skipped a file of prints: {reason}"),
    "prints-with-few-minutiae": Message(
        "warning",
        "{count:n print has/prints have} fewer than two minutiae and cannot match any other. The first is {first!r}",
    ),
    "minutiae-far-apart": Message(
        "warning",
        "hardly any minutia is within 4 mm of another one, so nothing can match. Check that x and y are in millimetres",
    ),
    "angles-taken-as-clockwise": Message(
        "warning",
        "angles were taken as clockwise, because many more prints match then. To read them as ISO/IEC 19794-2 "
        "specifies, use {@angles=anticlockwise}",
    ),
    "print-without-directions": Message(
        "InvalidOption",
        "prints can be compared by neighbourhoods only if they have angles, but print {name!r} has none. Add angles to "
        "the data, or use {@method=grid} for prints that are aligned",
    ),
    "option-of-grid": Message(
        "InvalidOption", "{option:@} applies only to a grid. Omit {option:@}, or use {@method=grid} for aligned prints"
    ),
    "option-of-neighbourhoods": Message(
        "InvalidOption", "{option:@} does not apply to a grid. Omit {option:@}, or use {@method=neighbourhoods}"
    ),
    "false-candidates-not-a-share": Message("InvalidOption", "{@false_candidates} must be from 0 to 1, got {value!r}"),
    "no-expected-rate": Message(
        "InvalidOption",
        "expected rates can be computed only for a grid without {@margin} and {@sectors}. Omit both options",
    ),
    "side-not-positive": Message("InvalidOption", "{@side} must be greater than 0, got {value!r}"),
    "margin-out-of-range": Message("InvalidOption", "{@margin} must be from 0 to half of {@side}, got {value!r}"),
    "grid-too-large": Message(
        "InvalidOption",
        "the grid would have more than {most:,} squares. Check that {@side} uses the same unit as x and y",
    ),
    "grid-too-small": Message(
        "InvalidOption",
        "each hash function uses {size:n square}, but the grid has only {squares:,}. Choose a smaller {@side}",
    ),
    "print-without-angles": Message(
        "InvalidOption",
        "{@sectors} requires angles, but print {name!r} has none. Add angles to the data, or omit {@sectors}",
    ),
    "not-a-template": Message(
        "MalformedInput",
        "{name} is not an ISO/IEC 19794-2:2005 minutiae record: it starts with {start}, not with {expected}",
    ),
    "template-ansi-378": Message(
        "MalformedInput", "{name} looks like an ANSI 378 record. Only ISO/IEC 19794-2:2005 records can be read"
    ),
    "template-cut-short": Message(
        "MalformedInput", "{name} ends after {length:n byte}, in the middle of a record. The file may be truncated"
    ),
    "template-length-differs": Message(
        "MalformedInput", "{name} has {length:n byte}, but its header declares {declared:,}. The file may be damaged"
    ),
    "template-without-resolution": Message(
        "MalformedInput",
        "the header of {name} declares a resolution of 0 pixels per centimetre. The file may be damaged",
    ),
    "template-has-more": Message(
        "MalformedInput", "{name} has {extra:n extra byte} after its {views:n view}. The file may be damaged"
    ),
    "too-many-prints": Message(
        "InvalidOption",
        "a record can contain at most {most} prints, got {count:,}. Split the prints into several records",
    ),
    "too-many-minutiae": Message(
        "InvalidOption", "print {name!r} has {count:,} minutiae, but a record can contain at most {most} per print"
    ),
}
