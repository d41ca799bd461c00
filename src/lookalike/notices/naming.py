"""Writes the names of options for each kind of reader: `--id` on the command line, `id=` in Python, `"id"` over
HTTP."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

Naming = Callable[[str, Any], str]
"""A function that writes an option for one kind of reader. It takes the option's name, and its value or `UNSET`."""

UNSET: Any = object()


def python(option: str, value: Any = UNSET) -> str:
    """Writes an option as a keyword argument: `id=`, `method="lsh"`."""
    return f"{option}=" if value is UNSET else f"{option}={_quoted(value)}"


def command_line(option: str, value: Any = UNSET) -> str:
    """Writes an option as on the command line: `--id`, `--method lsh`, `--resume`, `--no-bag`."""
    name = option.replace("_", "-")
    if value is UNSET or value is True:
        return f"--{name}"
    if value is False:
        return f"--no-{name}"
    return f"--{name} {shlex.quote(str(value))}"


def http(option: str, value: Any = UNSET) -> str:
    """Writes an option as a member of a JSON object: `"id"`, `"method": "lsh"`."""
    return f'"{option}"' if value is UNSET else f'"{option}": {json.dumps(value)}'


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
