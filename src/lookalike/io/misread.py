"""Describes bytes of a text file that are not UTF-8, and guesses the encoding of the file."""

from __future__ import annotations

from lookalike.notices import Notice

NEAR = 40
"""The number of bytes, before and after the invalid byte, from which the encoding is guessed."""

START = 8_000
"""A file with a zero among its first bytes is binary data, such as a program, an archive or a picture."""


def not_in_utf8(error: UnicodeDecodeError) -> Notice:
    """Returns a notice about the first invalid byte and, if the bytes look like another encoding, that encoding."""
    data, at = error.object, error.start
    near = data[max(0, at - NEAR) : at + NEAR]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or _is_double_byte_text(near):
        return Notice("utf16")
    byte = f"0x{data[at]:02x}"
    if b"\0" in near or b"\0" in data[:START] or data.startswith(b"%PDF-"):
        return Notice("binary", byte=byte, offset=at)
    if _is_single_byte_text(near):
        likely = "windows-1252" if data[at] < 0xA0 else "latin-1"
        return Notice("in-another-encoding", byte=byte, offset=at, likely=likely)
    return Notice("not-utf8", byte=byte, offset=at)


def _is_double_byte_text(data: bytes) -> bool:
    """True if the bytes look like text with two bytes per character, one of which is often zero, always the same one.

    Programs, archives and other binary files have zeros at odd and at even positions.
    """
    odd, even = data[1::2].count(0), data[::2].count(0)
    return min(odd, even) == 0 and 8 * (odd + even) >= len(data)


def _is_single_byte_text(data: bytes) -> bool:
    """True if the bytes look like European text with one byte per character: some bytes above 127 among letters."""
    if 0xFF in data:  # a rare letter in texts, but a frequent byte in damaged files
        return False
    high = sum(byte >= 0x80 for byte in data)
    letters = sum(chr(byte).isalpha() or byte == 0x20 for byte in data if byte < 0x80)
    control = sum(byte < 0x20 and byte not in b"\t\r\n" for byte in data)
    return not control and letters >= 2 * high
