"""Makes text from files and file names safe to print, so that it can be encoded and cannot control a terminal."""

from __future__ import annotations

import re

_SURROGATES = re.compile("[\ud800-\udfff]")

CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}
r"""Maps characters that break a line or control a terminal to escapes such as \x1b, for `str.translate`."""

_TEXT_CONTROLS = {code: escape for code, escape in CONTROLS.items() if chr(code) not in "\n\t"}


def printable(name: str) -> str:
    """Returns a file name as valid Unicode. Bytes that are not UTF-8 become escapes such as \\xff.

    Python represents such bytes by surrogates, which cannot be encoded.
    """
    return str(name) if name.isascii() else _SURROGATES.sub(_escape, name)


def visible(text: str) -> str:
    """Returns a text with control characters as escapes, except for line breaks and tabs.

    If control characters were printed, they could clear the screen, change the title of the window or overwrite lines.
    """
    return printable(text.replace("\r\n", "\n").translate(_TEXT_CONTROLS))


def _escape(surrogate: re.Match[str]) -> str:
    code = ord(surrogate[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
