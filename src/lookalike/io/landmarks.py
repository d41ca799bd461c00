"""Landmarks: known positions of rows in files, which are saved so that a resumed run need not find them again.

Most formats do not store the number of rows in a file or their positions. Without landmarks, a run that is resumed in
the hundredth file would have to read the first ninety-nine just to number the rows.
"""

from __future__ import annotations

from typing import Any

from lookalike.io.file_source import FileSource
from lookalike.io.scan import FileRows, Malformed
from lookalike.notices import Notice


class Landmarks:
    """The landmarks of one source. `learned` returns those found since the last call, and `recall` restores them."""

    def __init__(self, source: FileSource) -> None:
        self.source = source
        self._file = 0
        """The index of the first file whose landmarks have not all been returned."""
        self._returned: tuple[int, int] = (1, 0)
        """The number of marks and of blocks with malformed rows already returned for that file."""

    def learned(self) -> list[dict[str, Any]]:
        """Returns the landmarks found since the last call, as JSON values, one per file."""
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
        """Restores landmarks that `learned` returned. Must be called before the source is read."""
        for entry in learned:
            self.source.rows[entry["file"]].recall(
                [(row, tuple(at)) for row, at in entry.get("marks", ())],
                {
                    tuple(at): Malformed(count, [*map(Notice.from_dict, first)])
                    for at, count, first in entry.get("malformed", ())
                },
                entry.get("rows"),
            )
        self.learned()  # so that the restored landmarks are not returned as new


def _entry(rows: FileRows, marks: int, blocks: int) -> tuple[dict[str, Any], tuple[int, int]]:
    """Returns the new landmarks of a file, and the total numbers of its marks and of its blocks with malformed rows."""
    known, malformed = rows.known()
    entry: dict[str, Any] = {}
    if rows.scan.rows is None:  # otherwise positions are stored in the file itself
        if len(known) > marks:
            entry["marks"] = known[marks:]
        if len(malformed) > blocks:
            new = list(malformed.items())[blocks:]
            entry["malformed"] = [[at, some.count, [one.to_dict() for one in some.first]] for at, some in new]
        if rows.rows is not None:
            entry["rows"] = rows.rows
    return entry, (len(known), len(malformed))
