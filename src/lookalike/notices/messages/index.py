"""Messages about indexes."""

from lookalike.notices.messages import Message

MESSAGES = {
    "no-such-index": Message(
        "NoInput", "there is no index at {folder}. Create it with Index.create, or check the path"
    ),
    "index-is-a-file": Message("InputError", "{folder} is a file. An index is a folder"),
    "not-an-index": Message("InputError", "the folder {folder} is not an index: it has no catalogue.sqlite"),
    "index-in-use": Message(
        "WorkTaken",
        "the index {folder} is being changed by {by}. Wait for that process to finish; queries are possible meanwhile",
    ),
    "index-of-another-format": Message(
        "PlanMismatch",
        "the index {folder} has format {format}, and this version of lookalike reads format {known}. Use the version "
        "that created it, or create the index again",
    ),
    "damaged-segment": Message("MalformedInput", "{name} is damaged: {reason}. Restore the index from a backup"),
    "damaged-catalogue": Message("MalformedInput", "{name} is damaged: {reason}. Restore the index from a backup"),
    "not-an-option-of-an-index": Message("InvalidOption", "an index has no option {option:@}"),
    "index-verifies": Message(
        "InvalidOption",
        "an index with texts verifies exactly, and one that was created with {@texts=False} by signature, so {verify} "
        "is not possible. Leave the option out",
    ),
    "index-without-texts": Message(
        "InvalidOption",
        "the index {name} was created with {@texts=False}, so it cannot return documents or whole signatures, or be "
        "the reference of dedupe. Ask it with queries, or create an index with texts",
    ),
    "index-of-other-documents": Message(
        "InvalidOption", "the documents of this index are {own}, got {given}. Use another index for them"
    ),
    "index-needs-ids": Message(
        "InvalidOption",
        "the ids of this index are strings, so new documents need ids, too. Name their column with {@id}",
    ),
    "index-ids-of-another-type": Message(
        "InvalidOption", "the ids of this index are {own}, got {given}, the first of which is {first!r}"
    ),
    "not-an-id": Message("InvalidOption", "an id must be a string, or an integer of 64 bits, got {value}"),
    "id-given-twice": Message(
        "MalformedInput", "the id {id!r} is given twice, in rows {first} and {second}. Nothing was added"
    ),
    "below-threshold-of-index": Message(
        "InvalidOption",
        "the index finds pairs with a similarity of {own} or more, so {@threshold} cannot be {wanted}",
    ),
    "document-too-large-for-index": Message(
        "InvalidOption", "a document of {size:bytes} is too large for an index, which takes up to 2 GiB"
    ),
    "index-on-one-machine": Message(
        "InvalidOption", "an index cannot be read by the tasks of a cluster. Use the engine local"
    ),
    "index-among-others": Message(
        "InvalidOption", "{name} is an index, which must be the only reference. Add the other documents to it"
    ),
    "contradicts-index": Message(
        "InvalidOption",
        "the index {name} has {option} {own}, so {option:@} cannot be {wanted}. Leave the option out",
    ),
    "key-of-another-index": Message(
        "InvalidOption", "the plan has another key than the index {name}. Leave {@plan} out, or use that of the index"
    ),
    "index-needs-no-option": Message(
        "InvalidOption", "an index contains its texts and ids, so {option:@} does not apply. Leave the option out"
    ),
    "input-or-text": Message("InvalidOption", "name either an input or a text with {@text}"),
    "ids-or-file": Message("InvalidOption", "give either ids or, with {@ids}, a file of ids"),
    "no-column-of-ids": Message(
        "NoSuchColumn", "{name} has no column 'id' with the ids to delete. Its columns are {columns:and}"
    ),
}
