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
    "index-not-writable": Message("ServiceError", "the index could not be written. Nothing was changed"),
    "index-not-readable": Message("ServiceError", "the index could not be read"),
    "internal-error": Message("ServiceError", "the service failed. Its log has details about the request {request}"),
    # the client
    "service-takes-texts": Message(
        "InvalidOption", "a service takes texts, got lists of tokens. Add them to the index"
    ),
    "not-a-url": Message("InvalidOption", "{value!r} is not the address of a service, such as http://127.0.0.1:8000"),
    "unreachable": Message("ServiceError", "cannot reach the service at {url}: {reason}"),
    "not-an-answer": Message("ServiceError", "{url} answered with status {status}, but not as this service does"),
}
