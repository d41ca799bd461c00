"""Addresses of indexes in PostgreSQL: `postgresql://user@host/database#name`. They are shown without passwords."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeGuard
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lookalike.errors import InvalidOption

SCHEMES = ("postgresql://", "postgres://")

NAME = re.compile(r"(?!pg_|public$|information_schema$)[a-z][a-z0-9_]{0,62}")
"""The name of an index is that of its schema, and never needs quotes."""

SECRETS = {"password", "sslpassword"}
"""Parameters that must not be shown."""


@dataclass(frozen=True)
class Address:
    """Where an index is."""

    server: str = field(repr=False)
    """What the client library connects to. It may contain a password."""
    name: str
    """The name of the index, and of its schema."""
    shown: str
    """The whole address without passwords."""


def is_address(path: Any) -> TypeGuard[str]:
    """Returns whether a caller named an index in PostgreSQL, rather than a folder."""
    return isinstance(path, str) and path.startswith(SCHEMES)


def address_of(text: str) -> Address:
    """Parses an address. Raises InvalidOption if it names no index."""
    server, _, name = text.partition("#")
    try:
        shown = without_secrets(server)
    except ValueError:  # its message may contain a part of the password
        raise InvalidOption("postgres-address") from None
    if not NAME.fullmatch(name):
        raise InvalidOption("postgres-name", server=shown, name=name)
    return Address(server, name, f"{shown}#{name}")


def without_secrets(server: str) -> str:
    """Returns a connection URL without its passwords.

    >>> without_secrets("postgresql://ada:secret@db.example/texts?sslmode=require&password=secret")
    'postgresql://ada@db.example/texts?sslmode=require'
    """
    parts = urlsplit(server)
    user, at, hosts = parts.netloc.rpartition("@")
    query = [(key, value) for key, value in parse_qsl(parts.query) if key.lower() not in SECRETS]
    netloc = f"{user.partition(':')[0]}{at}{hosts}"
    return urlunsplit((parts.scheme, netloc, parts.path, urlencode(query, safe="/"), "")).replace(":///", "://", 0)
