"""Limits of requests: the values, and the rate of each caller."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.byte_sizes import bytes_of
from lookalike.flow.checks import check_whole
from lookalike.requests.option import declared
from lookalike.requests.service import RequestLimits


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a service."""

    max_body: int
    """Bytes."""
    max_documents: int
    max_rows: int
    concurrency: int
    rate: float | None
    """Requests per second of each caller; None if there is no limit."""
    timeout: float
    """Seconds."""

    @classmethod
    def of(cls, given: Mapping[str, Any] | None = None) -> Limits:
        """Checks the given limits, and adds the defaults."""
        values = {name: field.option.default for name, field in declared(RequestLimits).items()} | dict(given or {})
        for name in ("max_documents", "max_rows", "concurrency"):
            check_whole(name, values[name], 1)
        for name in ("rate", "timeout"):
            value = values[name]
            if value is None and name == "rate":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise InvalidOption("not-positive", option=name, value=value)
        return cls(**values | {"max_body": bytes_of(values["max_body"], option="max_body")})


class Rates:
    """Token buckets: each caller may send `rate` requests per second, and as many at once after a second of silence."""

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self._clock = rate, clock
        self._buckets: dict[str, tuple[float, float]] = {}
        """The tokens of each caller, and when they were counted."""

    def take(self, name: str) -> None:
        """Takes a token. Raises ServiceError if there is none."""
        if self.rate is None:
            return
        now, most = self._clock(), max(1.0, self.rate)
        tokens, counted = self._buckets.get(name, (most, now))
        tokens = min(most, tokens + (now - counted) * self.rate)
        if tokens < 1:
            raise ServiceError("rate-exceeded", rate=self.rate, seconds=math.ceil((1 - tokens) / self.rate))
        self._buckets[name] = tokens - 1, now
