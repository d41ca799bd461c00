"""Describes how a source was opened, and reopens it from the description, so that a result's data can be found."""

from __future__ import annotations

import json
from typing import Any

from lookalike.errors import InvalidOption, MalformedInput, NoInput
from lookalike.flow.json_text import json_text
from lookalike.io.files import size_of
from lookalike.io.open import Paths, open_source
from lookalike.io.source import Source
from lookalike.notices import Notice


def describe(source: Source) -> str:
    """Describes a source in JSON: the options for reading it and, for files that can be reopened, paths and total size.

    Modification times are not included, so that copying a file does not change a result.
    """
    opened = getattr(source, "opened", None)
    if opened is None:
        return ""
    about = {name: value for name, value in opened.items() if value not in (None, False)}
    # standard input cannot be read again, and a URL may contain a password
    if any(path == "-" or ("://" in path and "@" in path) for path in about.get("paths", ())):
        del about["paths"]
    if "paths" in about:
        about |= {"paths": list(about["paths"]), "bytes": size_of(getattr(source, "files", ()))}
    return json_text(about)


def reopen(described: str, data: Any = None, **options: Any) -> tuple[Source, tuple[Notice, ...]]:
    """Opens the source of a description, or `data` if given, with the described options; also returns warnings.

    `options` that are not None override the options of the description.
    """
    about = _parsed(described)
    paths, size = about.pop("paths", None), about.pop("bytes", None)
    tokenizer = about.pop("tokenizer", None)
    if tokenizer is not None and options.get("tokenizer") is None:
        raise InvalidOption("result-of-a-tokenizer", name=tokenizer)
    chosen = about | {name: value for name, value in options.items() if value is not None}
    if data is not None:
        return open_source(data, **chosen), ()
    if not paths:
        raise NoInput("result-without-files")
    source = open_source(Paths(paths), **chosen)
    changed = size not in (None, size_of(getattr(source, "files", ())))
    return source, (Notice("input-differs-from-result", name=source.name),) if changed else ()


def _parsed(described: str) -> dict[str, Any]:
    try:
        about = json.loads(described or "{}")
    except json.JSONDecodeError as error:
        raise MalformedInput("damaged-description", reason=str(error)) from None
    if not isinstance(about, dict):
        raise MalformedInput("damaged-description", reason=f"{described:.80}")
    return about
