"""Messages about the service: its start, and the requests that it refuses."""

from lookalike.notices.messages import Message

MESSAGES = {
    # start
    "needs-keys": Message(
        "InvalidOption",
        "{host} can be reached by other machines, so the service needs keys. Name a file of keys with {@keys}, or omit "
        "{@host}",
    ),
    "port-taken": Message("OutputError", "cannot listen on port {port} of {host}: {reason}. Choose another {@port}"),
    "keys-not-readable": Message("MalformedInput", "cannot read the file of keys {path}: {reason}"),
    "no-keys": Message("InvalidOption", "the file of keys {path} contains no keys"),
    "invalid-key-entry": Message(
        "InvalidOption",
        "in {path}, the entry of the key {name!r} is invalid. It needs sha256 = '…', the SHA-256 of the key in 64 "
        "hexadecimal digits, and scopes = […] with some of {scopes:and}",
    ),
    "key-given-twice": Message("InvalidOption", "in {path}, {first!r} and {second!r} are the same key"),
    "not-a-host-name": Message("InvalidOption", "{value!r} is not a host name. Write it without http:// and port"),
    # refused before the body is read
    "foreign-host": Message(
        "ServiceError", "the service does not answer requests for the host {host!r}, which its option allow_host lacks"
    ),
    "foreign-origin": Message("ServiceError", "the service does not answer requests from other web pages"),
    "no-key": Message("ServiceError", "the request needs a key, in the header Authorization: Bearer KEY"),
    "unknown-key": Message("ServiceError", "the key is not one of this service"),
    "no-scope": Message("ServiceError", "the key {name!r} does not have the scope {scope}"),
    "read-only": Message("ServiceError", "the service only reads the index"),
    "no-index": Message(
        "ServiceError", "the service reviews a saved result, which has no index that could answer this"
    ),
    "texts-not-available": Message("ServiceError", "only scores can be shown: {reason}"),
    "review-without-texts": Message("detail", "the index keeps no texts"),
    "review-with-reference": Message(
        "detail", "the result is about two collections, so its texts cannot be read by row"
    ),
    "review-input-not-recorded": Message(
        "detail", "the result was made from data in memory, so its texts are not known"
    ),
    "review-input-missing": Message("detail", "the input that the result was made from cannot be read"),
    "review-input-changed": Message("detail", "the input has changed since the result was made"),
    "result-not-reviewable": Message(
        "InvalidOption",
        "{name} is a saved result of the kind {kind}, which has no clusters of documents to review. Results of dedupe, "
        "clusters and pairs have",
    ),
    "no-such-document-row": Message("InvalidOption", "there is no document with the row {row}"),
    "no-such-cluster": Message("InvalidOption", "there is no cluster with the key {key!r}"),
    "no-such-step": Message("ServiceError", "there is no step {step!r}"),
    "no-decisions-file": Message("ServiceError", "the service has no file of decisions. Start it with {@decisions}"),
    "nothing-to-undo": Message("ServiceError", "there is no decision that could be undone"),
    "undone-before": Message("ServiceError", "the step {step!r} is undone already"),
    "option-of-another-action": Message("InvalidOption", "{option:@} only belongs to the action {action}"),
    "survivor-is-excluded": Message("InvalidOption", "row {row} cannot be both kept and excluded"),
    "not-a-member": Message("InvalidOption", "{option:@} contains {row!r}, which is not a row of the cluster"),
    "rows-needed": Message("InvalidOption", "the action {action} needs more {@rows}"),
    "same-document": Message(
        "InvalidOption", "the rows have the same id {id!r} and the same bytes, so they cannot be told apart"
    ),
    "no-decisions-to-import": Message("InvalidOption", "the file contains no decisions in force"),
    "not-a-similarity": Message("InvalidOption", "{option:@} must be a number from 0 to 1, got {value}"),
    "rule-without-columns": Message(
        "InvalidOption", "the rule {rule} needs columns or files, which an index does not have. Use {known:or}"
    ),
    "no-plan-yet": Message("InvalidOption", "the index has no plan before its first document"),
    "decisions-not-readable": Message(
        "ServiceError", "another program has written a line to the file of decisions that is not a decision"
    ),
    "no-such-path": Message("ServiceError", "there is nothing at this path"),
    "no-such-method": Message("ServiceError", "this path does not have the method {method}"),
    "rate-exceeded": Message("ServiceError", "more than {rate} requests per second. Try again in {seconds} s"),
    "service-busy": Message("ServiceError", "too many requests are in progress. Try again in {seconds} s"),
    "shutting-down": Message("ServiceError", "the service is shutting down"),
    # refused because of the body
    "body-too-large": Message("ServiceError", "the body has more than {largest:bytes}. Send it in several requests"),
    "body-too-slow": Message("ServiceError", "the body did not arrive within {seconds} s"),
    "body-compressed": Message("ServiceError", "the body is compressed ({how}). Send it uncompressed"),
    "unknown-media-type": Message("ServiceError", "a body of type {type!r} is not understood. Send {known:or}"),
    "too-many-documents": Message(
        "ServiceError", "the request has more than {most:n document}. Send them in several requests"
    ),
    "too-many-rows": Message(
        "ServiceError", "the answer would have more than {most:n row}. Ask about fewer texts, or set {@top}"
    ),
    "body-not-json": Message("MalformedInput", "the body is not JSON: {reason}"),
    "line-not-json": Message("MalformedInput", "line {line} of the body is not JSON: {reason}. Nothing was changed"),
    "body-not-an-object": Message("MalformedInput", "the body must be a JSON object, got {type}"),
    "line-not-an-object": Message("MalformedInput", "line {line} of the body must be a JSON object, got {type}"),
    "body-not-arrow": Message("MalformedInput", "the body is not an Arrow stream: {reason}"),
    "arrow-compressed": Message("MalformedInput", "the Arrow stream has compressed buffers. Send it uncompressed"),
    "unexpected-columns": Message(
        "MalformedInput", "the Arrow stream must have the columns text and, optionally, id, got {columns:list}"
    ),
    "unexpected-column-type": Message(
        "MalformedInput", "the column {column} of the Arrow stream must contain {expected}, got {type}"
    ),
    "wrong-type": Message("InvalidOption", "{option:@} must be {expected}, got {given}"),
    "wrong-type-in-document": Message(
        "MalformedInput", "{option:@} of document {row} must be {expected}, got {given}. Nothing was changed"
    ),
    "unknown-member-of-document": Message(
        "MalformedInput", "document {row} has an unknown member, {name!r}. Documents have {known:and}"
    ),
    "some-ids-missing": Message(
        "MalformedInput", "document {row} has no id, but others have. Give an id to each document, or to none"
    ),
    "surrogate-in-document": Message("MalformedInput", "{option:@} of document {row} contains a lone surrogate"),
    "surrogate-in-option": Message("InvalidOption", "{option:@} contains a lone surrogate"),
    "one-or-several": Message("InvalidOption", "give either {one:@} or {several:@}"),
    "not-in-query-string": Message("InvalidOption", "{option:@} is given more than once"),
    "not-a-cursor": Message("ServiceError", "the cursor is not one that this service returned"),
    "cursor-of-another-index": Message("ServiceError", "the cursor belongs to another index"),
    "cursor-expired": Message("ServiceError", "the cursor has expired. Start again without a cursor"),
    # failures
    "request-timed-out": Message("ServiceError", "the request took longer than {seconds} s. Nothing was changed"),
    "request-abandoned": Message("ServiceError", "the client closed the connection. Nothing was changed"),
    "index-taken": Message("ServiceError", "another process is changing the index. Try again when it has finished"),
    "index-not-writable": Message("ServiceError", "the service could not write to its disk. Nothing was changed"),
    "index-not-readable": Message("ServiceError", "the service could not read its index or input"),
    "internal-error": Message("ServiceError", "the service failed. Its log has details about the request {request}"),
    # the client
    "service-takes-texts": Message(
        "InvalidOption", "a service takes texts, got lists of tokens. Add them to the index"
    ),
    "not-a-url": Message("InvalidOption", "{value!r} is not the address of a service, such as http://127.0.0.1:8000"),
    "unreachable": Message("ServiceError", "cannot reach the service at {url}: {reason}"),
    "not-an-answer": Message("ServiceError", "{url} answered with status {status}, but not as this service does"),
}
