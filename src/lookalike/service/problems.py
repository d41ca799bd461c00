"""Errors as problem details (RFC 9457): a status, a code with its values, and a sentence. Nothing of the server leaks.

    {"type": "lookalike:no-such-id", "title": "Not Found", "status": 404, "detail": "…", "code": "no-such-id",
     "values": {"value": "courier-9"}}

The sentence names options as members of JSON. An error about files of the server is replaced by one without names.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.responses import Response

from lookalike.errors import (
    BrokenInvariant,
    InputError,
    InvalidOption,
    LookalikeError,
    MalformedInput,
    NoSuchColumn,
    OutputError,
    ServiceError,
    WorkTaken,
)
from lookalike.flow.json_text import json_text
from lookalike.notices import Notice
from lookalike.notices.naming import http

MEDIA_TYPE = "application/problem+json"

STATUSES = {
    "line-not-json": 400,
    "body-not-json": 400,
    "body-not-arrow": 400,
    "not-a-cursor": 400,
    "cursor-of-another-index": 400,
    "no-key": 401,
    "unknown-key": 401,
    "no-scope": 403,
    "read-only": 403,
    "foreign-origin": 403,
    "no-such-id": 404,
    "no-such-path": 404,
    "no-such-method": 405,
    "body-too-slow": 408,
    "no-such-document-row": 404,
    "no-such-cluster": 404,
    "no-such-step": 404,
    "no-index": 404,
    "texts-not-available": 409,
    "no-decisions-file": 409,
    "nothing-to-undo": 409,
    "undone-before": 409,
    "index-taken": 409,
    "cursor-expired": 410,
    "body-too-large": 413,
    "too-many-documents": 413,
    "memory-too-small": 413,
    "document-too-large-for-index": 413,
    "unknown-media-type": 415,
    "body-compressed": 415,
    "foreign-host": 421,
    "too-many-rows": 422,
    "rate-exceeded": 429,
    "request-abandoned": 499,
    "index-not-readable": 500,
    "decisions-not-readable": 500,
    "internal-error": 500,
    "service-busy": 503,
    "shutting-down": 503,
    "request-timed-out": 503,
    "index-not-writable": 507,
}
"""The status of each code. Other errors in options and data have the status 422."""

NOT_IN_HTTP = {499: "Client Closed Request"}
"""A status that servers log if nobody waits for the answer."""

OF_THE_SERVER = {"damaged-segment", "damaged-catalogue", "index-of-another-format", "no-such-index", "not-an-index"}
"""Codes of errors whose class would allow to show them, but which are about files of the server."""


FROM_CLIENTS = frozenset(
    {"value", "given", "id", "first", "second", "other", "key", "rule", "glob", "type", "host", "step"}
)
"""The values of errors that a client has sent, and that are shown even if they look like paths."""

PATHS = frozenset({"name", "folder", "path", "files", "where"})
"""The values of errors that can be paths relative to the folder in which the service was started."""


def to_show(error: Exception, request: str) -> LookalikeError:
    """Returns the error that a client may see. `request` identifies the request in the log."""
    if isinstance(error, LookalikeError) and error.code in OF_THE_SERVER:
        return ServiceError("index-not-readable")
    if isinstance(error, WorkTaken):
        return ServiceError("index-taken")
    if isinstance(error, OutputError):
        return ServiceError("index-not-writable")
    if isinstance(error, InvalidOption | MalformedInput | NoSuchColumn | ServiceError):
        return _without_folders(error)
    if isinstance(error, InputError):
        return ServiceError("index-not-readable")
    if isinstance(error, MemoryError) and not isinstance(error, BrokenInvariant):
        return ServiceError("service-busy", seconds=1)
    return ServiceError("internal-error", request=request)


def _without_folders(error: LookalikeError) -> LookalikeError:
    """Returns the error with the names of files of the server instead of their paths."""
    shown = {name: _without_folder(name, value) for name, value in error.values.items()}
    return type(error)(error.code, **shown) if shown != error.values else error


def _without_folder(name: str, value: Any) -> Any:
    """Returns a value of an error or, if it is a path or URL of the server, only what follows the last slash.

    >>> _without_folder("where", "/srv/texts/news.jsonl"), _without_folder("known", ["application/json"])
    ('news.jsonl', ['application/json'])
    """
    if isinstance(value, Notice):
        return Notice(value.code, **{inner: _without_folder(inner, one) for inner, one in value.values.items()})
    if isinstance(value, list | tuple):
        return type(value)(_without_folder(name, one) for one in value)
    if name in FROM_CLIENTS or not isinstance(value, str | Path):
        return value
    is_path = name in PATHS or isinstance(value, Path) or value.startswith("/") or "://" in value
    return str(value).rpartition("/")[2] if is_path else value


def status_of(error: LookalikeError) -> int:
    return STATUSES.get(error.code, 422)


def details(error: LookalikeError, status: int) -> dict[str, Any]:
    """Returns the members of the problem document."""
    notice = error.notice
    return {
        "type": f"lookalike:{notice.code}",
        "title": NOT_IN_HTTP.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": notice.render(http),
        **notice.to_dict(),
    }


def problem(error: LookalikeError) -> Response:
    """Returns the response for an error that a client may see."""
    status = status_of(error)
    body = json_text(details(error, status)).encode()
    return Response(body, status, headers_of(error, status), media_type=MEDIA_TYPE)


def headers_of(error: LookalikeError, status: int) -> Mapping[str, str]:
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status in (429, 503):
        headers["Retry-After"] = str(error.values.get("seconds", 1))
    return headers
