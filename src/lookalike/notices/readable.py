"""Makes names, texts and sizes readable.

Text from files and file names becomes safe to print: it can be encoded, and cannot control a terminal. Byte counts are
formatted in readable units.
"""

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


def in_words(size: int) -> str:
    """Formats a byte count in the largest unit that fits. A whole number of megabytes is what a user has written.

    >>> in_words(268435456), in_words(1500), in_words(12), in_words(1), in_words(10_000_000)
    ('256 MiB', '1.5 KiB', '12 bytes', '1 byte', '10 MB')
    """
    if size and size % 10**6 == 0 and size % 2**20:
        return f"{size / 10**9:g} GB" if size >= 10**9 and size % 10**8 == 0 else f"{size // 10**6} MB"
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            amount = size / unit
            return f"{amount:.0f} {name}" if amount >= 100 or amount == int(amount) else f"{amount:.1f} {name}"
    return f"{size} byte{'s' * (size != 1)}"


def _escape(surrogate: re.Match[str]) -> str:
    code = ord(surrogate[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
