"""Who may send a request: its key or cookie, what that allows, and its rate."""

from __future__ import annotations

import secrets

from starlette.requests import Request

from lookalike.errors import ServiceError
from lookalike.requests.service import SCOPES
from lookalike.service.keys import START, Caller
from lookalike.service.state import Service, service_of

SESSION = Caller(START, frozenset(SCOPES))
"""A browser that was opened at the address with the start token."""


def cookie_name(request: Request) -> str:
    """Returns the name of the cookie. It has the port, because browsers send cookies to all ports of a host."""
    return f"lookalike_{(request.scope.get('server') or (None, None))[1] or 0}"


def caller_of(service: Service, request: Request) -> Caller:
    """Returns who sends a request. Raises ServiceError if there is no valid key."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme:
        caller = service.keys.caller(key.strip()) if scheme.lower() == "bearer" else None
        if caller is None:
            raise ServiceError("unknown-key")
        return caller
    cookie = request.cookies.get(cookie_name(request))
    if cookie is not None and secrets.compare_digest(cookie.encode(), service.session.encode()):
        return SESSION
    raise ServiceError("no-key")


class Needs:
    """A dependency of a route: the scope that a key needs."""

    def __init__(self, scope: str) -> None:
        assert scope in SCOPES
        self.scope = scope

    async def __call__(self, request: Request) -> Caller:
        service = service_of(request)
        caller = caller_of(service, request)
        request.state.caller = caller.name
        request.state.scopes = sorted(caller.scopes)
        if self.scope not in caller.scopes:
            raise ServiceError("no-scope", name=caller.name, scope=self.scope)
        service.rates.take(caller.name)
        return caller
