"""Messages about indexes."""

from lookalike.notices.messages import Message

MESSAGES = {
    "no-such-index": Message("NoInput", "there is no index at {folder}. Create it first, or check the path"),
    "not-a-path-of-an-index": Message("InvalidOption", "{path} cannot be the path of an index: {reason}"),
    "index-exists": Message(
        "OutputExists", "{path} already exists, and an index is never overwritten. Choose another path, or open it"
    ),
    "index-closed": Message("InputError", "the index {name} was closed. Open it again"),
    "index-of-another-process": Message(
        "InvalidOption",
        "an open index can only be used by the process that opened it. Open {name} again in the other one",
    ),
    "index-is-a-file": Message("InputError", "{folder} is a file. An index is a folder"),
    "not-an-index": Message("InputError", "the folder {folder} is not an index: it has no catalogue.sqlite"),
    "index-in-use": Message(
        "WorkTaken",
        "the index {folder} is being changed by {by}. Wait for that process to finish; queries are possible meanwhile",
    ),
    "index-needs-permission": Message(
        "InputError",
        "reading the index {folder} needs permission to write to this folder, because readers and writers agree "
        "through files in it. Ask for the permission, or read a copy",
    ),
    "index-copied-while-open": Message(
        "InputError",
        "the index {folder} is on a read-only file system, and was copied there while it was being changed. Open it "
        "once where it can be written, close it, and copy it again",
    ),
    "index-replaced": Message(
        "InputError", "the index {folder} was removed or replaced since it was opened. Open it again"
    ),
    "index-of-another-format": Message(
        "PlanMismatch",
        "the index {folder} has format {format}, and this version of lookalike reads format {known}. Use the version "
        "that created it, or create the index again",
    ),
    "damaged-segment": Message("MalformedInput", "{name} is damaged: {reason}. Restore the index from a backup"),
    "damaged-catalogue": Message("MalformedInput", "{name} is damaged: {reason}. Restore the index from a backup"),
    "not-an-option-of-an-index": Message(
        "InvalidOption", "an index has no option {option:@}[[. Did you mean {meant:@}?]]"
    ),
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
    "index-without-passages": Message(
        "InvalidOption",
        "the index {name} was not created with {@contain=True}, so it cannot find the documents that contain a text. "
        "Create an index with {@contain=True}, and add the documents to it",
    ),
    "passages-need-texts": Message(
        "InvalidOption",
        "containment is measured in texts, so {@contain=True} is not possible with {@texts=False}. Leave one of them "
        "out",
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
    "ids-of-two-types": Message(
        "InvalidOption", "ids must be all strings or all integers, got {first!r} and {other!r}"
    ),
    "surrogate-in-id": Message("InvalidOption", "the id {value!r} contains a lone surrogate, so no document has it"),
    "no-more-ids": Message(
        "InvalidOption",
        "the index contains an id near the largest integer, {largest}, so it cannot assign further ones. Name the "
        "column of ids with {@id}",
    ),
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
    "postgres-address": Message(
        "InvalidOption",
        "this is no address of an index in PostgreSQL. Write it like postgresql://user@host/database#name, with "
        "special characters of the password percent-encoded",
    ),
    "postgres-name": Message(
        "InvalidOption",
        "an address in PostgreSQL needs the name of an index, such as {server}#corpus: up to 63 lower-case letters, "
        "digits and underscores, not starting with pg_, and not public. Got {name!r}",
    ),
    "postgres-unreachable": Message("InputError", "cannot connect to {name}: {reason}"),
    "postgres-lost": Message(
        "InputError",
        "the connection to {name} was lost: {reason}. Everything that was reported as done is kept, and nothing of "
        "this call is saved",
    ),
    "postgres-lost-at-commit": Message(
        "OutputError",
        "the connection to {name} was lost during a commit: {reason}. Everything that was reported as done is kept; "
        "this change is saved completely or not at all. Check the index before you repeat it",
    ),
    "postgres-no-permission": Message(
        "InputError",
        "{name} refuses access: {reason}. Ask its owner for the permissions that docs/how-to/index-postgres.md lists",
    ),
    "postgres-refused": Message("OutputError", "{name} cannot do this: {reason}"),
    "not-an-index-schema": Message(
        "InputError", "the schema of {name} is not an index: it has no table named state, or not all tables of an index"
    ),
    "damaged-postgres": Message("MalformedInput", "{name} is damaged: {reason}. Restore the database from a backup"),
    "documents-deleted-meanwhile": Message(
        "InputError", "documents of {name} were deleted or replaced while they were being read. Read them again"
    ),
    "document-too-large-for-postgres": Message(
        "InvalidOption", "a document of {size:bytes} is too large for PostgreSQL, which takes up to {most:bytes}"
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
