"""Keys: who may do what. A file has the SHA-256 of each key with its scopes; the token of a start allows everything.

    [crawler]
    sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    scopes = ["read", "write"]

Keys are random and long, so a fast hash protects them. They are looked up by hash, so that the time of a comparison
reveals nothing about a key.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.requests.service import SCOPES
from lookalike.storage.foreign_errors import why

LARGEST = 1_000_000
"""The maximum number of characters of a file of keys."""

START = "start"
"""The name of the token that the service prints when it starts."""

_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Caller:
    """Who sends a request: the name of a key, and what it allows."""

    name: str
    scopes: frozenset[str]


class Keys:
    """The callers by the SHA-256 of their keys."""

    def __init__(self, callers: Mapping[str, Caller]) -> None:
        self._callers = dict(callers)
        self._start: str | None = None

    @classmethod
    def load(cls, path: Path | None) -> Keys:
        """Reads a file of keys. Without a file, there are none."""
        if path is None:
            return cls({})
        callers: dict[str, Caller] = {}
        for name, entry in _read(path).items():
            digest, caller = _entry(path, name, entry)
            if digest in callers:
                raise InvalidOption("key-given-twice", path=path, first=callers[digest].name, second=name)
            callers[digest] = caller
        if not callers:
            raise InvalidOption("no-keys", path=path)
        return cls(callers)

    def start_token(self) -> str:
        """Returns a new key that allows everything until the service stops."""
        token = secrets.token_urlsafe(32)
        self._start = digest_of(token)
        self._callers[self._start] = Caller(START, frozenset(SCOPES))
        return token

    def is_start_token(self, key: str) -> bool:
        return self._start is not None and digest_of(key) == self._start

    def caller(self, key: str) -> Caller | None:
        return self._callers.get(digest_of(key))


def digest_of(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST)
        return tomllib.loads(text)
    except RecursionError:
        raise MalformedInput("keys-not-readable", path=path, reason="it is nested too deeply") from None
    except (OSError, ValueError) as error:  # tomllib's errors are ValueErrors
        raise MalformedInput("keys-not-readable", path=path, reason=why(error)) from None


def _entry(path: Path, name: str, entry: Any) -> tuple[str, Caller]:
    if isinstance(entry, dict) and entry.keys() == {"sha256", "scopes"}:
        digest, scopes = entry["sha256"], entry["scopes"]
        known = isinstance(scopes, list) and len(scopes) > 0 and all(scope in SCOPES for scope in scopes)
        if known and isinstance(digest, str) and _DIGEST.fullmatch(digest.lower()):
            return digest.lower(), Caller(name, frozenset(scopes))
    raise InvalidOption("invalid-key-entry", path=path, name=name, scopes=SCOPES)
