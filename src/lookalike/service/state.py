"""What all requests of a service share, and how an endpoint gets at it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import Request

from lookalike.service.calls import Calls
from lookalike.service.handles import Handles
from lookalike.service.keys import Keys
from lookalike.service.limits import Limits, Rates
from lookalike.service.metrics import Metrics
from lookalike.service.review.reviewing import Reviewing
from lookalike.service.room import Room
from lookalike.service.snapshots import Snapshots


@dataclass
class Service:
    """A running service over an index."""

    handles: Handles
    keys: Keys
    limits: Limits
    hosts: frozenset[str]
    """The names under which clients may reach the service, in lower case."""
    room: Room
    reviewing: Reviewing
    calls: Calls = field(init=False)
    rates: Rates = field(init=False)
    snapshots: Snapshots = field(init=False)
    metrics: Metrics = field(default_factory=Metrics)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """The value of the cookie that a browser gets in exchange for the start token."""

    def __post_init__(self) -> None:
        self.calls = Calls(self.handles, self.limits)
        self.rates = Rates(self.limits.rate)
        self.snapshots = Snapshots(self.handles.identity)

    def close(self) -> None:
        """Finishes the calls in progress, and closes the index."""
        self.calls.close()
        self.reviewing.close()
        self.handles.close()


def service_of(request: Request) -> Service:
    return cast(Service, request.app.state.service)


def gone(request: Request) -> Callable[[], asyncio.Future[None]]:
    """Returns a function that waits until the client has closed the connection. The body must have been read."""

    async def wait() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return lambda: asyncio.ensure_future(wait())
