"""Finds the lines of a block of JSON Lines by their bytes, and detects values that Arrow's parser would misread."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from lookalike.io.formats import line_tools
from lookalike.io.formats.json_line import DEEPEST
from lookalike.io.formats.line_blocks import is_utf8
from lookalike.io.formats.line_tools import Lines

_NULL_AFTER_OBJECT = re.compile(rb"}[ \t\r]*n")
_AFTER_OBJECT = np.frombuffer(b" \t\rn", np.uint8)
_INF = re.compile(rb"Inf(?:inity)?[ \t\r]*[,\]}]")
_NAN = re.compile(rb"NaN[ \t\r]*[,\]}]")


def regular_lines(data: bytes) -> Lines | None:
    """Returns the lines that are not blank; None if Arrow might misread a line.

    Every line must begin with '{' and end with '}'. Then no value spans several lines, and if Arrow finds as many rows
    as there are lines, each line is one row.
    """
    return (line_tools.json_lines or lines_of)(data) if is_utf8(data) else None


def lines_of(data: bytes) -> Lines | None:
    """The slow twin of `line_tools.json_lines`."""
    bytes_ = np.frombuffer(data, np.uint8)
    if b"\0" in data or _has_lax_values(data, bytes_):
        return None
    breaks = np.flatnonzero(bytes_ == ord("\n")).astype(np.int64)
    starts = np.concatenate([[0], breaks + 1])
    ends = np.concatenate([breaks, [len(data)]])
    inner = ends - (bytes_[np.maximum(ends - 1, 0)] == ord("\r")) if len(data) else ends
    filled = inner > starts
    starts, inner = starts[filled], inner[filled]
    ends = np.minimum(ends[filled] + 1, len(data))
    if (bytes_[starts] != ord("{")).any() or (bytes_[inner - 1] != ord("}")).any():
        return None
    return starts, ends, _most(breaks, np.flatnonzero((bytes_ == ord("{")) | (bytes_ == ord("["))))


def _has_lax_values(data: bytes, bytes_: npt.NDArray[np.uint8]) -> bool:
    """True if the data may contain `Inf`, `NaN`, or a `null` after an object on the same line."""
    closed = np.flatnonzero(bytes_[:-1] == ord("}")) + 1
    if np.isin(bytes_[closed], _AFTER_OBJECT).any() and _NULL_AFTER_OBJECT.search(data):
        return True
    capitals = np.flatnonzero((bytes_[:-2] == ord("I")) | (bytes_[:-2] == ord("N")))
    second, third = bytes_[capitals + 1], bytes_[capitals + 2]
    spelt = ((second == ord("n")) & (third == ord("f"))) | ((second == ord("a")) & (third == ord("N")))
    return bool(spelt.any() and (_INF.search(data) or _NAN.search(data)))


def is_deep(data: bytes) -> bool:
    """True if a line may be nested too deeply, because it opens more than DEEPEST lists and objects outside strings."""
    bytes_ = np.frombuffer(data, np.uint8)
    opened = np.flatnonzero((bytes_ == ord("{")) | (bytes_ == ord("[")))
    quotes = np.flatnonzero(bytes_ == ord('"'))
    outside = np.searchsorted(quotes[~_are_escaped(bytes_, quotes)], opened) % 2 == 0  # after an even number of quotes
    return _most(np.flatnonzero(bytes_ == ord("\n")), opened[outside]) > DEEPEST


def _are_escaped(bytes_: npt.NDArray[np.uint8], quotes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Returns True for each quote that follows an odd number of backslashes."""
    slashes = np.flatnonzero(bytes_ == ord("\\"))
    run_starts = np.flatnonzero(np.diff(slashes, prepend=-2) > 1)
    run_lengths = np.diff(run_starts, append=len(slashes))
    run_ends = slashes[run_starts + run_lengths - 1]
    run = np.searchsorted(run_ends, quotes) - 1  # the last run before each quote; -1 if there is none
    return (run >= 0) & (run_ends[run] == quotes - 1) & (run_lengths[run] % 2 == 1) if len(run_ends) else run >= 0


def _most(breaks: npt.NDArray[np.int64], positions: npt.NDArray[np.int64]) -> int:
    """Returns the maximum number of positions that are on the same line."""
    return int(np.bincount(np.searchsorted(breaks, positions)).max(initial=0))
