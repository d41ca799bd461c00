"""The log: one JSON object per line, without texts, ids and keys. Routes are logged, not paths, which contain ids."""

from __future__ import annotations

import logging
import sys
import time
import traceback
from typing import Any

from lookalike.flow.json_text import json_text

LOGGER = logging.getLogger("lookalike.service")

OTHERS = ("uvicorn", "asyncio")
"""Loggers of the server below the service. Their warnings, such as of a request that is not HTTP, are logged too."""


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object: time, level, event and the facts of the event."""

    def format(self, record: logging.LogRecord) -> str:
        seconds, fraction = divmod(record.created, 1)
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(fraction * 1000):03d}Z"
        facts = getattr(record, "facts", {})
        event = record.getMessage().strip()
        return json_text({"time": moment, "level": record.levelname.lower(), "event": event, **facts})


def set_up(*, quiet: bool) -> None:
    """Writes the log to standard error. With `quiet`, only failures are logged."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for logger in (LOGGER, *map(logging.getLogger, OTHERS)):
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.WARNING if quiet or logger is not LOGGER else logging.INFO)


def log(event: str, level: int = logging.INFO, **facts: Any) -> None:
    LOGGER.log(level, event, extra={"facts": facts})


def log_failure(error: BaseException, request: str) -> None:
    """Logs where an unexpected error occurred. Its message is left out, because it may contain a text."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    facts: dict[str, Any] = {"request": request, "error": type(error).__name__, "where": where}
    if hasattr(error, "code"):
        facts["code"] = error.code
    log("failure", logging.ERROR, **facts)
