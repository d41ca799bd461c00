"""Text from files and file names, made safe to print: it can be encoded, and cannot control a terminal."""

from __future__ import annotations

import re

_SURROGATES = re.compile("[\ud800-\udfff]")

CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}
"""The escapes of characters that break a line or control a terminal, such as \\x1b, for `str.translate`."""

_TEXT_CONTROLS = {code: escape for code, escape in CONTROLS.items() if chr(code) not in "\n\t"}


def printable(name: str) -> str:
    """The name as valid Unicode. Bytes of a file name that are not UTF-8 become escapes such as \\xff.

    Python represents such bytes by surrogates, which cannot be encoded.
    """
    return str(name) if name.isascii() else _SURROGATES.sub(_escape, name)


def visible(text: str) -> str:
    """The text with control characters as escapes, except for line breaks and tabs.

    A text that is printed as it is could clear the screen, change the title of the window or overwrite lines.
    """
    return printable(text.replace("\r\n", "\n").translate(_TEXT_CONTROLS))


def _escape(surrogate: re.Match[str]) -> str:
    code = ord(surrogate[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
