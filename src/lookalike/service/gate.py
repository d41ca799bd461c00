"""The outermost layer: checks where a request comes from, adds security headers to the answer, counts and logs.

A page of another site that is open in a browser on this machine can send requests to the service, so loopback is no
protection. Such a request names the other site in Host (if its name was bound to this address afterwards, which is
called DNS rebinding), in Origin or in Sec-Fetch-Site, and is refused before its body is read.
"""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lookalike.errors import ServiceError
from lookalike.service import log
from lookalike.service.problems import problem, to_show
from lookalike.service.state import Service

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of all answers. None of them allows another site to read an answer (CORS)."""

OPEN_TO_NAVIGATION = "/"
"""The path to which a link on another site may lead: it only exchanges the token for a cookie."""


class Gate:
    """Wraps the application of a service."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send)
        metrics = self.service.metrics
        metrics.in_progress += 1
        try:
            try:
                check_source(Headers(scope=scope), scope, self.service.hosts)
                await self.app(scope, exchange.receive, exchange.send)
            except Exception as error:
                await exchange.fail(error)
        finally:
            metrics.in_progress -= 1
            self.service.room.release(scope["state"].get("reserved", 0))
            self._count(exchange)

    def _count(self, exchange: _Exchange) -> None:
        scope, metrics, seconds = exchange.scope, self.service.metrics, time.perf_counter() - exchange.began
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in KNOWN else "other"
        metrics.count(method, route, exchange.status, seconds)
        metrics.received += exchange.received
        metrics.sent += exchange.sent
        state: dict[str, Any] = scope.get("state", {})
        facts = {"request": exchange.id, "method": method, "route": route, "status": exchange.status}
        facts |= {"seconds": round(seconds, 6), "received": exchange.received, "sent": exchange.sent}
        facts |= {"key": state["caller"]} if "caller" in state else {}
        if code := state.get("code"):
            metrics.refuse(code)
            facts["code"] = code
        log.log("request", logging.WARNING if exchange.status >= 500 else logging.INFO, **facts)


KNOWN = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def check_source(headers: Headers, scope: Scope, hosts: frozenset[str]) -> None:
    """Raises ServiceError if a request names another host, or was made by a page of another site."""
    given = headers.getlist("host")
    if len(given) != 1 or name_of(given[0]) not in hosts:
        raise ServiceError("foreign-host", host=", ".join(given))
    host = given[0].lower()
    for origin in headers.getlist("origin"):
        if origin.lower() not in (f"http://{host}", f"https://{host}"):
            raise ServiceError("foreign-origin")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        is_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if not (is_link and scope["method"] == "GET" and scope["path"] == OPEN_TO_NAVIGATION):
            raise ServiceError("foreign-origin")


def name_of(host: str) -> str:
    """Returns the name in a Host header, without the port.

    >>> name_of("localhost:8321"), name_of("[::1]:8321"), name_of("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdecimal() else host.lower()


class _Exchange:
    """A request with its answer: counts bytes, notes the status, and adds headers."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self.began = time.perf_counter()
        self.id = secrets.token_hex(8)
        self.status = self.received = self.sent = 0
        scope.setdefault("state", {})["request"] = self.id

    async def receive(self) -> Message:
        message = await self._receive()
        self.received += len(message.get("body", b""))
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers["X-Request-Id"] = self.id
            if self.status >= 400 and self.scope["method"] != "GET":
                headers["Connection"] = "close"  # the rest of a refused body is not read
        self.sent += len(message.get("body", b""))
        await self._send(message)

    async def fail(self, error: Exception) -> None:
        """Answers with the problem, unless the answer has begun."""
        shown = to_show(error, self.id)
        if self.status == 0:
            if shown.code != getattr(error, "code", None):
                log.log_failure(error, self.id)
            self.scope["state"]["code"] = shown.code
            await problem(shown)(self.scope, self.receive, self.send)
        elif "code" not in self.scope["state"]:  # otherwise, the application has answered and logged the error
            log.log_failure(error, self.id)
