"""Reads and writes ISO/IEC 19794-2:2005 finger minutiae records, which contain one print per view of a finger.

A record has a header of 24 bytes. Each view has a header of 4 bytes, 6 bytes per minutia, and extended data, which is
skipped. All numbers are big-endian:

| bytes | header | bytes | view | bits | minutia |
|---|---|---|---|---|---|
| 8 | `FMR\\0 20\\0` | 1 | finger position | 2 + 14 | kind, x in pixels |
| 4 | length of the record | 1 | view number, impression | 2 + 14 | unused, y in pixels, downwards |
| 2 | capture device | 1 | quality | 8 | angle, in steps of 360/256 degrees |
| 2 + 2 | width and height of the image | 1 | minutiae | 8 | quality |
| 2 + 2 | pixels per centimetre, in x and y | … | minutiae | | |
| 1 + 1 | views, unused | 2 + … | length of extended data, extended data | | |
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from lookalike.apps.fingerprints.minutiae import Print
from lookalike.errors import InvalidOption, MalformedInput

MAGIC = b"FMR\0 20\0"
HEADER = struct.Struct(">8sIHHHHHBB")
VIEW = struct.Struct(">BBBB")
MINUTIA = np.dtype([("x", ">u2"), ("y", ">u2"), ("angle", "u1"), ("quality", "u1")])
STEP = 360 / 256
LOW_14_BITS = 0x3FFF
MOST = 255
"""The maximum number of views per record, and of minutiae per view, because each number is stored in one byte."""


def is_template(data: bytes) -> bool:
    return data.startswith(b"FMR\0")


def read_template(data: bytes, name: str) -> list[Print]:
    """Reads the prints of one template. A single print is called `name`; several are called name#1, name#2 …"""
    if not data.startswith(MAGIC):
        raise MalformedInput("not-a-template", name=name, start=data[: len(MAGIC)], expected=MAGIC)
    if len(data) < HEADER.size:
        raise _ends(name, len(data))
    _, length, _, _, _, across, down, views, _ = HEADER.unpack_from(data)
    if length != len(data):
        if int.from_bytes(data[8:10], "big") == len(data):
            raise MalformedInput("template-ansi-378", name=name)
        raise MalformedInput("template-length-differs", name=name, length=len(data), declared=length)
    if not across or not down:
        raise MalformedInput("template-without-resolution", name=name)
    prints, at = [], HEADER.size
    for view in range(views):
        if at + VIEW.size > len(data):
            raise _ends(name, len(data))
        count = VIEW.unpack_from(data, at)[3]
        at += VIEW.size
        end = at + count * MINUTIA.itemsize
        if end + 2 > len(data):
            raise _ends(name, len(data))
        found = np.frombuffer(data, MINUTIA, count, at)
        prints.append(
            Print(
                name if views == 1 else f"{name}#{view + 1}",
                (found["x"] & LOW_14_BITS) * (10 / across),
                (found["y"] & LOW_14_BITS) * (10 / down),
                found["angle"] * STEP,
            )
        )
        at = end + 2 + int.from_bytes(data[end : end + 2], "big")
    if at > len(data):
        raise _ends(name, len(data))
    if at < len(data):
        raise MalformedInput("template-has-more", name=name, views=views, extra=len(data) - at)
    return prints


def write_template(prints: Sequence[Print], *, width: int = 500, height: int = 500, resolution: int = 197) -> bytes:
    """Encodes these prints as one template. Positions are rounded to pixels, and angles to steps of 360/256 degrees."""
    if len(prints) > MOST:
        raise InvalidOption("too-many-prints", most=MOST, count=len(prints))
    views = []
    for number, one in enumerate(prints):
        if len(one) > MOST:
            raise InvalidOption("too-many-minutiae", name=one.name, count=len(one), most=MOST)
        minutiae = np.zeros(len(one), MINUTIA)
        minutiae["x"] = np.clip(np.rint(one.x * resolution / 10), 0, LOW_14_BITS)
        minutiae["y"] = np.clip(np.rint(one.y * resolution / 10), 0, LOW_14_BITS)
        if one.angle is not None:
            minutiae["angle"] = np.rint(one.angle / STEP).astype(np.int64) % 256
        views.append(VIEW.pack(0, number % 16 << 4, 100, len(one)) + minutiae.tobytes() + b"\0\0")
    body = b"".join(views)
    sizes = width, height, resolution, resolution, len(prints), 0
    return HEADER.pack(MAGIC, HEADER.size + len(body), 0, *sizes) + body


def _ends(name: str, length: int) -> MalformedInput:
    return MalformedInput("template-cut-short", name=name, length=length)
