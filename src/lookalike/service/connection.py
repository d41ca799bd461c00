"""The HTTP connection of a client: sends requests, and raises the errors that the service describes."""

from __future__ import annotations

import http.client
import json
import threading
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.ipc

from lookalike import errors
from lookalike.errors import InvalidOption, LookalikeError, ServiceError
from lookalike.notices import Notice
from lookalike.notices.messages import catalogue

JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
PROBLEM = "application/problem+json"

IDLE = 4.0
"""Seconds after which an unused connection is opened again. The server closes it a second later."""


class Connection:
    """The connections to a service, one per thread."""

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        parts = urlsplit(url) if isinstance(url, str) else None
        try:
            if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
                raise ValueError
        except ValueError:
            raise InvalidOption("not-a-url", value=url) from None
        self._parts, self._timeout = parts, timeout
        self._key = key or next(iter(parse_qs(parts.query).get("token", [])), None)
        self.url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        """The address, without the token."""
        self._local = threading.local()
        self._opened: list[http.client.HTTPConnection] = []

    def send(
        self, method: str, path: str, body: bytes | None = None, kind: str | None = None, accept: str = JSON
    ) -> Any:
        """Sends a request. Returns the value of an answer in JSON, or the table of an Arrow stream."""
        headers = {"Accept": accept}
        if kind is not None:
            headers["Content-Type"] = kind
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        status, given, answer = self._exchange(method, self._parts.path.rstrip("/") + path, body, headers)
        if status == 200 and given == JSON:
            return json.loads(answer)
        if status == 200 and given == ARROW:
            return pa.ipc.open_stream(answer).read_all()
        raise self._error(status, given, answer)

    def _exchange(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, str, bytes]:
        connection = self._connected()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise ServiceError("unreachable", url=self.url, reason=reason) from None
        self._local.used = time.monotonic()
        return response.status, response.headers.get_content_type(), answer

    def _connected(self) -> http.client.HTTPConnection:
        """Returns the connection of this thread. One that was idle is opened again: a change is never sent twice."""
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            secure = self._parts.scheme == "https"
            kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            host = self._parts.hostname
            assert host is not None
            connection = kind(host, self._parts.port, timeout=self._timeout)
            self._local.connection = connection
            self._opened.append(connection)
        elif time.monotonic() - getattr(self._local, "used", 0.0) > IDLE:
            connection.close()  # the next request opens it
        return connection

    def _error(self, status: int, given: str, answer: bytes) -> LookalikeError:
        """Returns the error that a problem document describes: of the class that its code has in Python."""
        try:
            if given != PROBLEM:
                raise ValueError
            problem = json.loads(answer)
            notice = Notice.from_dict(problem)
            known = catalogue().get(notice.code)
            kind: type[LookalikeError] = ServiceError if known is None else getattr(errors, known.kind)
            return kind(notice.code, **notice.values)
        except (ValueError, LookupError, TypeError, AttributeError):
            return ServiceError("not-an-answer", url=self.url, status=status)

    def close(self) -> None:
        for connection in self._opened:
            connection.close()
