"""What schemathesis does not know by itself: how bodies of JSON lines are made."""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def json_lines(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.serializer("application/vnd.apache.arrow.stream")
def arrow(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
