"""Writes JSON in which text is readable, and which can always be encoded and printed."""

from __future__ import annotations

import json
import re
from typing import Any

_UNPRINTABLE = re.compile("[\x7f-\x9f\ud800-\udfff]")


def json_text(value: Any, *, ascii: bool = False, **layout: Any) -> str:
    """Formats a value as JSON. Non-ASCII characters are kept (default) or escaped (`ascii`).

    Control characters are always escaped, because terminals obey them. So are surrogates, which occur in file names
    that are not UTF-8 and cannot be encoded. `json.loads` restores both.
    """
    text = json.dumps(value, ensure_ascii=ascii, **layout)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
