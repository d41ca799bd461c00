"""Messages about records: resolve and link."""

from lookalike.notices.messages import Message

MESSAGES = {
    "records-without-columns": Message(
        "InvalidOption",
        "records need columns, but {name} has none. Pass a table, or dictionaries such as {{'name': …, 'city': …}}. To "
        "compare texts, use find_pairs or dedupe",
    ),
    "no-records": Message("MalformedInput", "{where} has columns, but no rows. Pass a table with records"),
    "check-without-points": Message("InvalidOption", "{@check} can be used only with {@method=points}"),
    "check-column-compared": Message(
        "InvalidOption",
        "column {column!r} is one of the fields to compare ({@fields}), so it cannot also be used for {@check}. Remove "
        "it from one of the two options",
    ),
    "no-dates": Message(
        "InvalidOption",
        "{where}: {@check} needs dates such as 1999-12-31, but column {column!r} contains none. Use {@check} to name "
        "a column of dates",
    ),
    "no-column-to-compare": Message(
        "MalformedInput",
        "{where} has no column with values that can be compared. Use {@fields} to name the columns to compare",
    ),
    "no-fields": Message("InvalidOption", "no fields were named for comparison. Name at least one with {@fields}"),
    "record-ids-missing": Message(
        "MalformedInput", "{where}: the id in column {column!r} is missing in {count:n row}. Every record needs an id"
    ),
    "record-ids-repeat": Message(
        "InvalidOption",
        "{where}: the ids in column {column!r} are not unique. Use {@id} to name a column of unique values",
    ),
    "field-not-name-and-kind": Message(
        "InvalidOption", "a field must be written as NAME:KIND, such as title:text, got {value!r}"
    ),
    "field-name-not-a-string": Message("InvalidOption", "the name of a field must be a string, got {value!r}"),
    "field-right-name-not-a-string": Message(
        "InvalidOption", "the name of field {field!r} in the second table must be a string, got {value!r}"
    ),
    "field-not-kind-or-function": Message(
        "InvalidOption",
        "field {field!r} needs a kind, such as 'text', or a function that takes two values and returns their "
        "similarity, got {value!r}",
    ),
    "field-needs-function": Message(
        "InvalidOption",
        "field {field!r} is compared by a function, which cannot be saved in settings or named on the command line. In "
        "Python, pass the function with {@fields}, as in {{{field!r}: my_similarity}}",
    ),
    "field-function-raised": Message(
        "InvalidOption",
        "the function of field {field!r} failed for {left!r} ({left_row}) and {right!r} ({right_row}): {reason}",
    ),
    "field-function-out-of-range": Message(
        "InvalidOption",
        "the function of field {field!r} must return a number from 0 to 1, got {value!r} for {left!r} ({left_row}) and "
        "{right!r} ({right_row})",
    ),
    "function-raised": Message("detail", "{error}: {message}"),
    "row-of-table": Message("detail", "row {row} of {name}"),
    "no-candidate-rules": Message(
        "InvalidOption", "{@candidates} is an empty list. Name at least one column, or omit {@candidates}"
    ),
    "not-a-candidate-rule": Message(
        "InvalidOption",
        "a rule in {@candidates} must be a column, several columns, or a function that takes a record, got {value!r}",
    ),
    "candidates-need-function": Message(
        "InvalidOption",
        "the settings contain a rule for candidates that is a function, {name}, which cannot be saved. In Python, pass "
        "it with {@candidates}",
    ),
    "candidate-function-raised": Message(
        "InvalidOption", "the function {name!r} in {@candidates} failed for {row}: {reason}"
    ),
    "not-a-candidate-key": Message(
        "InvalidOption",
        "the function {name!r} in {@candidates} must return a text, a number, a tuple or a list of these, or None, got "
        "{value!r} for {row}",
    ),
    "too-many-candidates": Message(
        "InvalidOption",
        "{@candidates} gives {pairs:n pair}, but at most {most:,} can be compared. By {rule}, one record has "
        "{partners:n partner}. Add another column to this rule",
    ),
    "no-candidates": Message(
        "warning", "no pair was compared, because no two records have the same key in {@candidates}"
    ),
    "candidates-miss-matches": Message(
        "warning",
        "about {expected:n match/matches} are expected among the nearest records, but {@candidates} selects only "
        "{matches:,}. Add a rule for the others",
    ),
    "labels-columns": Message(
        "InvalidOption",
        "{where}: labels need the columns {names:and}, or exactly three columns in this order, but the columns are "
        "{columns:list}",
    ),
    "no-labels": Message("InvalidOption", "{where} contains no labels: the column match is empty"),
    "not-a-label": Message(
        "MalformedInput", "{where}: a label must be yes or no, true or false, or 1 or 0, got {value!r} in row {row}"
    ),
    "unknown-labelled-records": Message(
        "InvalidOption",
        "{where}: {count:n label} of records that {name} does not have, such as the id {id!r} in row {row}",
    ),
    "labels-contradict": Message(
        "InvalidOption", "{where}: {left!r} and {right!r} are labelled both as a match and as no match"
    ),
    "labels-contradict-through-others": Message(
        "InvalidOption",
        "{where}: {left!r} and {right!r} are labelled as no match, but other labels connect them by matches",
    ),
    "too-few-labels": Message(
        "warning",
        "the labels contain {matches:n match/matches} and {others:n other pair}. Probabilities were not calibrated, "
        "because this needs at least {fewest} of each",
    ),
    "chart-needs-weights": Message(
        "InvalidOption", "this chart shows learned weights or probabilities, which {@method=points} does not have"
    ),
    "one-match-per-record": Message("detail", "at most one match per record, {why}"),
    "many-matches-per-record": Message("detail", "any number of matches per record, {why}"),
    "because-no-table-repeats": Message("detail", "because hardly any record of either table repeats another"),
    "because-tables-repeat": Message("detail", "because at least one record in twenty repeats another in {names:and}"),
    "as-requested": Message("detail", "as requested"),
    "as-in-settings": Message("detail", "as in the settings"),
    "unknown-field-kind": Message(
        "InvalidOption", "the kind of field {field!r} must be one of {allowed:list}, got {value!r}"
    ),
    "repeated-field": Message("InvalidOption", "field {field!r} is listed twice. Remove one of the two"),
    "record-threshold-out-of-range": Message(
        "InvalidOption", "{@threshold} must be a number from 0 to {most} when {@method} is {method}, got {value!r}"
    ),
    "settings-not-toml": Message("InvalidOption", "{where} is not valid TOML: {reason}"),
    "settings-section-expected": Message(
        "InvalidOption", "in {where}, {name!r} must be a separate section, written {section}"
    ),
    "settings-invalid": Message("InvalidOption", "{where} is not a settings file written by lookalike ({reason})"),
    "settings-unreadable": Message("InvalidOption", "the settings file {path} cannot be read: {reason}"),
    "settings-shares-invalid": Message(
        "InvalidOption",
        "in the settings, every field must have {levels} numbers greater than 0 for each of {names:and}",
    ),
    "settings-number-not-positive": Message(
        "InvalidOption", "{name!r} in the settings must be a number greater than 0, got {value!r}"
    ),
    "settings-number-negative": Message(
        "InvalidOption", "{name!r} in the settings must be a non-negative number, got {value!r}"
    ),
    "settings-share-out-of-range": Message(
        "InvalidOption", "{name!r} in the settings must be a number greater than 0 and less than 1, got {value!r}"
    ),
    "link-has-no-clusters": Message(
        "InvalidOption",
        "linking two tables gives matches, not clusters. To group the records of one table, use resolve",
    ),
    "resolve-has-no-cardinality": Message(
        "InvalidOption", "only matches between two tables are one-to-one or many-to-many. To link two tables, use link"
    ),
    "same-record": Message("InvalidOption", "{left!r} and {right!r} are the same record. Name two different records"),
    "no-such-record": Message("InvalidOption", "{where} has no record with the id {id!r}"),
    "no-such-row": Message("InvalidOption", "{where} has no row {row!r}. It has {rows:n row}, counted from 0"),
    "weights-not-reused": Message(
        "warning",
        "the weights in the settings were learned for different fields, or with a different value of {@one_to_one}, "
        "so new weights were learned",
    ),
    "points-not-checked": Message(
        "warning",
        "the points could not be checked, because the dates in column {column!r} differ as much in the best pairs as "
        "in random pairs",
    ),
    "no-matches-to-learn-from": Message(
        "warning",
        "too few matches were found to learn weights from. Use {@method=points} and review its matches, or reuse "
        "settings from a larger table ({@settings})",
    ),
    "few-matches": Message(
        "warning",
        "the weights were learned from only about {matches:n match/matches}. Review some of the results, use "
        "{@method=points}, or reuse settings from a larger table ({@settings})",
    ),
    "fewer-matches-than-expected": Message(
        "warning",
        "the model expects about {expected:n match/matches}, but found only {matches:,}. The compared fields may not "
        "be sufficient to confirm the others. Check the columns and their kinds, and correct them with {@fields}",
    ),
    "too-much-text-for-grams": Message(
        "warning",
        "there is too much text to look up misspelt words, so only records that share a whole word were compared",
    ),
    "candidate-limit-reached": Message(
        "warning",
        "{records:n record} matched every candidate that was compared, so there may be more matches. Raise {@top} "
        "above {top}",
    ),
}
