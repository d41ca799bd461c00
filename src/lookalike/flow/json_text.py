"""JSON in which text is readable, and which can be encoded and printed whatever the strings contain."""

from __future__ import annotations

import json
import re
from typing import Any

_UNPRINTABLE = re.compile("[\x7f-\x9f\ud800-\udfff]")


def json_text(value: Any, *, ascii: bool = False, **layout: Any) -> str:
    """The value as JSON, with characters other than ASCII as they are (default) or escaped.

    Control characters are always escaped, because terminals obey them, and so are surrogates, which cannot be encoded:
    a file name that is not UTF-8 contains them. `json.loads` restores both.
    """
    text = json.dumps(value, ensure_ascii=ascii, **layout)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
