"""Starts and stops the server of a service."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import uvicorn

from lookalike.errors import InvalidOption, OutputError
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import silent
from lookalike.index.postgres.address import is_address
from lookalike.requests.option import part
from lookalike.requests.service import RequestLimits
from lookalike.service import log
from lookalike.service.app import create_app
from lookalike.service.handles import Handles, NoHandles
from lookalike.service.keys import Keys
from lookalike.service.limits import Limits
from lookalike.service.review.index_corpus import IndexCorpus
from lookalike.service.review.journal import journal_beside
from lookalike.service.review.result_corpus import ResultCorpus, is_saved_result
from lookalike.service.review.reviewing import Reviewing
from lookalike.service.room import Room
from lookalike.service.state import Service

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

SWITCH = 0.0001
"""Seconds after which a thread that computes in Python lets others run (Python's default: 0.005). A query passes
through several threads, and waits this long at each of them while a change is computed."""

WAITING = 128
"""The number of connections that the system keeps until the server accepts them."""

_NAME = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")


@dataclass
class Prepared:
    """A service that is ready to start: everything that can fail has been done."""

    service: Service
    listener: socket.socket
    url: str
    """The address of the service, without a token."""
    token: str | None
    """The start token; None if the service can be reached by other machines."""

    @property
    def documents(self) -> int | None:
        """The number of documents of the index; None for a saved result."""
        handles = self.service.handles
        return len(handles.surveyor) if handles.has_index else None

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return self.url if self.token is None else f"{self.url}/?token={self.token}"


def prepare(path: str, options: Mapping[str, Any], *, threads: int | None, memory: int | str | None) -> Prepared:
    """Checks the options, opens the index, and listens. `options` are those of `Listening` and `RequestLimits`."""
    host, port = str(options["host"]).lower(), options["port"]
    check_whole("port", port, 0, 65535)
    limits, names = Limits.of(part(options, RequestLimits)), _names(host, options["allow_host"] or [])
    local = is_loopback(host)
    if not local and options["keys"] is None:
        raise InvalidOption("needs-keys", host=host)
    keys = Keys.load(options["keys"])
    listener = _listen(host, port)
    try:
        handles, reviewing = _opened(path, options, threads, memory)
    except BaseException:
        listener.close()
        raise
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listener.getsockname()[1]}"
    service = Service(handles, keys, limits, names, Room.of(memory), reviewing)
    return Prepared(service, listener, url, keys.start_token() if local else None)


def _opened(
    path: str, options: Mapping[str, Any], threads: int | None, memory: int | str | None
) -> tuple[Handles, Reviewing]:
    """Opens an index or a saved result, and the review of its clusters."""
    read_only, decisions = options["read_only"], options["decisions"]
    if is_saved_result(path):
        corpus = ResultCorpus(path, memory=memory)
        reviewing = Reviewing(lambda: corpus, decisions or journal_beside(path), read_only=read_only)
        reviewing.ready(silent)  # now, rather than at the first request
        return NoHandles(path), reviewing
    handles = Handles(path, threads=threads, memory=memory, read_only=read_only)
    beside = None if is_address(path) else journal_beside(path)
    return handles, Reviewing(
        lambda: IndexCorpus(handles.another(), handles.another(), handles.name),
        decisions or beside,
        read_only=read_only,
    )


def is_loopback(host: str) -> bool:
    """True if only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _names(host: str, allowed: list[str]) -> frozenset[str]:
    """Returns the names that requests may have in their Host header."""
    own = f"[{host}]" if ":" in host and not host.startswith("[") else host
    names = {name.lower() for name in allowed}
    for name in names:
        if not _NAME.fullmatch(name):
            raise InvalidOption("not-a-host-name", value=name)
    return LOOPBACK | {own} | names


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(WAITING)
        except BaseException:
            listener.close()
            raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno in errno.errorcode else str(error.strerror)
        raise OutputError("port-taken", port=port, host=host, reason=reason) from None
    return listener


def serve(prepared: Prepared, ready: Callable[[], None]) -> None:
    """Answers requests until SIGTERM or Ctrl-C. Requests in progress are finished first."""
    sys.setswitchinterval(SWITCH)
    try:
        create_server(prepared, ready).run(sockets=[prepared.listener])
    finally:
        prepared.service.close()


def create_server(prepared: Prepared, ready: Callable[[], None]) -> Server:
    """Returns a server that has not started. `ready` is called when it answers requests."""
    service = prepared.service
    config = uvicorn.Config(
        create_app(service),
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(service.limits.timeout) + 1,
    )
    return Server(config, ready)


class Server(uvicorn.Server):
    """A server that reports when it is ready, and for which SIGTERM and Ctrl-C are the usual end."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ends the server at a signal. uvicorn would send the signal again, as if the process had been killed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGINT, signal.SIGTERM)
        original = {number: signal.signal(number, self._end) for number in numbers}
        try:
            yield
        finally:
            for number, handler in original.items():
                signal.signal(number, handler)

    def _end(self, number: int, frame: FrameType | None) -> None:
        log.log("stopping", signal=signal.Signals(number).name)
        self.handle_exit(number, frame)
