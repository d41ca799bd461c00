"""Reads the host from the URL of a page, and its date as written on pages and in feeds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow.compute import replace_substring_regex

BEFORE_HOST = re.compile(r"([a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
"""Matches the start of a URL up to its host. Two slashes may also appear later in a URL."""


def host_of(url: Any) -> str:
    """Returns the host of a URL, in lower case and without "www."; if no host is recognised, the whole text.

    >>> host_of("https://www.example.org/a/b?c"), host_of("example.org/a//b"), host_of(None)
    ('example.org', 'example.org', '')
    """
    text = str(url or "").strip()
    try:
        host = urlsplit(text if BEFORE_HOST.match(text) else f"//{text}").hostname or text
    except ValueError:
        host = text
    return host.lower().removeprefix("www.")


PLAIN_ADDRESS = r"^((?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?[A-Za-z0-9._-]+(?::[0-9]+)?)[/?#](?s:.*)$"
"""Matches an ordinary URL; the group is the part that decides about its host."""


def hosts_of(urls: Sequence[Any]) -> list[str]:
    """Returns the host of each URL, like `host_of`. Ordinary URLs of one host are parsed once.

    >>> hosts_of(["https://www.example.org/a", "https://www.example.org/b", "[", None])
    ['example.org', 'example.org', '[', '']
    """
    texts = pa.array([None if url is None else str(url) for url in urls], pa.large_string())
    addresses = replace_substring_regex(texts, PLAIN_ADDRESS, r"\1").dictionary_encode()
    hosts = [host_of(address) for address in addresses.dictionary.to_pylist()] + [""]
    return [hosts[place] for place in addresses.indices.fill_null(len(hosts) - 1).to_pylist()]


def parse_date(value: Any) -> datetime | None:
    """Parses a date as written on pages and in feeds (ISO 8601, RFC 2822). Returns None if it is invalid.

    A date with a time zone is converted to UTC.
    """
    try:
        when = value if isinstance(value, datetime) else _written(str(value).strip())
        return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
    except (ValueError, TypeError, OverflowError):  # overflow, if the date in UTC is before year 1 or after 9999
        return None


def _written(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return parsedate_to_datetime(text)
