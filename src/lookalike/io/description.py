"""A source ↔ a line that says how it was opened, so that a result can find its data again."""

from __future__ import annotations

import json
from typing import Any

from lookalike.errors import MalformedInput, NoInput
from lookalike.io.open import Paths, open_source
from lookalike.io.source import Source, identity_of


def describe(source: Source, identity: str | None) -> str:
    """As JSON: the options of reading and, of files that can be opened again, their paths as given and `identity`."""
    opened = getattr(source, "opened", None)
    if opened is None:
        return ""
    about = {name: value for name, value in opened.items() if value not in (None, False)}
    # standard input is gone after a run, and an address with a password in it is no one else's business
    if any(path == "-" or ("://" in path and "@" in path) for path in about.get("paths", ())):
        del about["paths"]
    if "paths" in about:
        about |= {"paths": list(about["paths"]), "identity": identity}
    return json.dumps(about, ensure_ascii=False)


def reopen(described: str, data: Any = None, **options: Any) -> tuple[Source, tuple[str, ...]]:
    """The source of a description, and warnings: of `data` if that is given, under the options of the description.

    `options` that are not None come before those.
    """
    about = _parsed(described)
    paths, identity = about.pop("paths", None), about.pop("identity", None)
    chosen = about | {name: value for name, value in options.items() if value is not None}
    if data is not None:
        return open_source(data, **chosen), ()
    if not paths:
        raise NoInput("the result does not say which files it is about; name the data too")
    source = open_source(Paths(paths), **chosen)
    changed = identity not in (None, identity_of(source))
    return source, (f"{source.name} is not as it was when the result was made",) if changed else ()


def _parsed(described: str) -> dict[str, Any]:
    try:
        about = json.loads(described or "{}")
    except json.JSONDecodeError as error:
        raise MalformedInput(f"what the result says about its input is damaged: {error}") from None
    if not isinstance(about, dict):
        raise MalformedInput(f"what the result says about its input is damaged: {described!r:.80}")
    return about
