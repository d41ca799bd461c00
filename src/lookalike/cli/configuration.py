"""The user's configuration file: defaults for resources and display, but never for settings that affect the result.

    # ~/.config/lookalike/config.toml
    threads = 4
    memory = "8GiB"
    progress = false

An option on the command line overrides the file. Settings that affect the result belong on the command line or in a
plan, so that a command gives the same result for every user.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.engines.registry import ENGINES, OPTIONS
from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.byte_sizes import bytes_of
from lookalike.flow.checks import check_threads

if TYPE_CHECKING:
    from lookalike.cli.options import Options

ENTRIES = ("threads", "memory", "progress")
LARGEST = 100_000
"""The maximum number of characters of the file, which has at most three entries."""


def configured(path: Path, options: Options) -> dict[str, Any]:
    """Returns the entries of the configuration file that apply to a command.

    Threads and memory are options of commands without engines, and of engines that declare them.
    """
    taken = {"progress", *options.fields}
    if "engine" in options.fields:
        engine = ENGINES.get(options["engine"] or "local")  # None for an engine that does not exist
        taken -= OPTIONS.keys() - {option.name for option in (engine.options if engine else ())}
    return {name: value for name, value in read(path).items() if name in taken}


def read(path: Path) -> dict[str, Any]:
    """Reads and checks the entries of the configuration file."""
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
        entries = tomllib.loads(text) if len(text) <= LARGEST else None
    except RecursionError:
        raise MalformedInput("configuration-not-readable", path=path, reason="it is nested too deeply") from None
    except (OSError, ValueError) as error:  # tomllib's errors are ValueErrors
        from lookalike.storage.foreign_errors import why  # loads pyarrow

        raise MalformedInput("configuration-not-readable", path=path, reason=why(error)) from None
    if entries is None:
        raise MalformedInput("configuration-too-large", path=path, largest=LARGEST)
    for name, value in entries.items():
        if name not in ENTRIES:
            raise InvalidOption("unknown-configuration-entry", path=path, entry=name, allowed=ENTRIES)
        if not _is_valid(name, value):
            raise InvalidOption("invalid-configuration-entry", path=path, entry=name, value=value)
    return entries


def _is_valid(name: str, value: Any) -> bool:
    if name == "progress":
        return isinstance(value, bool)
    try:
        check_threads(value) if name == "threads" else bytes_of(value)
    except InvalidOption:
        return False
    return True
