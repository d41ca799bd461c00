"""Positions of rows in files, saved so that a resumed run need not find them again.

Most formats do not store how many rows a file has or where they are. A run that is resumed in the hundredth file would
have to read the first ninety-nine, just to number its rows.
"""

from __future__ import annotations

from typing import Any

from lookalike.io.file_source import FileSource
from lookalike.io.scan import Malformed, Rows
from lookalike.notices import Notice


class Landmarks:
    """The landmarks of one source. `learned` returns those found since the last call; `recall` restores them."""

    def __init__(self, source: FileSource) -> None:
        self.source = source
        self._file = 0
        """The first file that was not returned completely."""
        self._returned: tuple[int, int] = (1, 0)
        """Marks and malformed blocks of that file that were returned."""

    def learned(self) -> list[dict[str, Any]]:
        """JSON values, one per file."""
        found: list[dict[str, Any]] = []
        while self._file < len(self.source.rows):
            rows = self.source.rows[self._file]
            entry, self._returned = _entry(rows, *self._returned)
            if entry:
                found.append({"file": self._file, **entry})
            if rows.rows is None:
                break
            self._file, self._returned = self._file + 1, (1, 0)
        return found

    def recall(self, learned: list[dict[str, Any]]) -> None:
        """Restores landmarks; to be called before anything is read."""
        for entry in learned:
            self.source.rows[entry["file"]].recall(
                [(row, tuple(at)) for row, at in entry.get("marks", ())],
                {
                    tuple(at): Malformed(count, [*map(Notice.from_dict, first)])
                    for at, count, first in entry.get("malformed", ())
                },
                entry.get("rows"),
            )
        self.learned()  # so that these are not returned as new


def _entry(rows: Rows, marks: int, blocks: int) -> tuple[dict[str, Any], tuple[int, int]]:
    """The new landmarks of a file, and the number of all that are known."""
    known, malformed = rows.known()
    entry: dict[str, Any] = {}
    if rows.scan.rows is None:  # otherwise the file itself stores them
        if len(known) > marks:
            entry["marks"] = known[marks:]
        if len(malformed) > blocks:
            new = list(malformed.items())[blocks:]
            entry["malformed"] = [[at, some.count, [one.to_dict() for one in some.first]] for at, some in new]
        if rows.rows is not None:
            entry["rows"] = rows.rows
    return entry, (len(known), len(malformed))
