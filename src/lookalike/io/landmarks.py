"""What reading has taught of the files so far, to be written down and recalled by a later run.

Most formats do not say how many rows a file has or where they are. A run that goes on in the hundredth file would have
to read the ninety-nine before it, just to number its rows; landmarks spare it that.
"""

from __future__ import annotations

from typing import Any

from lookalike.io.filesource import FileSource
from lookalike.io.scan import Malformed, Rows
from lookalike.notices import Notice


class Landmarks:
    """Of one source. `learned` gives what is new since it was last asked; `recall` tells a source what it gave."""

    def __init__(self, source: FileSource) -> None:
        self.source = source
        self._file = 0
        """The first file whose end was not yet told of."""
        self._told: tuple[int, int] = (1, 0)
        """Marks and malformed blocks of that file that were."""

    def learned(self) -> list[dict[str, Any]]:
        """Values for JSON, one a file."""
        found: list[dict[str, Any]] = []
        while self._file < len(self.source.rows):
            rows = self.source.rows[self._file]
            entry, self._told = _entry(rows, *self._told)
            if entry:
                found.append({"file": self._file, **entry})
            if rows.rows is None:
                break
            self._file, self._told = self._file + 1, (1, 0)
        return found

    def recall(self, learned: list[dict[str, Any]]) -> None:
        """Before anything is read."""
        for entry in learned:
            self.source.rows[entry["file"]].recall(
                [(row, tuple(at)) for row, at in entry.get("marks", ())],
                {
                    tuple(at): Malformed(count, [*map(Notice.from_dict, first)])
                    for at, count, first in entry.get("malformed", ())
                },
                entry.get("rows"),
            )
        self.learned()  # nothing of that is new


def _entry(rows: Rows, marks: int, blocks: int) -> tuple[dict[str, Any], tuple[int, int]]:
    """What is new of a file, and how much of it is known with that."""
    known, malformed = rows.known()
    entry: dict[str, Any] = {}
    if rows.scan.rows is None:  # otherwise the file says all of it itself
        if len(known) > marks:
            entry["marks"] = known[marks:]
        if len(malformed) > blocks:
            new = list(malformed.items())[blocks:]
            entry["malformed"] = [[at, some.count, [one.to_dict() for one in some.first]] for at, some in new]
        if rows.rows is not None:
            entry["rows"] = rows.rows
    return entry, (len(known), len(malformed))
