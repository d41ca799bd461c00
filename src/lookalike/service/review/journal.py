"""The journal: a file of decisions that only grows. A step is on the disk before it counts.

Other programs may append to the file as well, such as `la.Decisions`; the journal notices what they have added.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from lookalike.choosing.decision_lines import Line, parse_lines, withdrawn
from lookalike.flow.json_text import json_text
from lookalike.storage.foreign_errors import reading, writing

CHANGED = -1


class Journal:
    """The lines of a file of decisions, and which of them are withdrawn. One thread at a time may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[Line] = []
        self.gone: set[int] = set()
        """The numbers of the lines that are withdrawn."""
        self._size = 0
        """The size of the file when it was read; `CHANGED` if somebody else has written since."""
        self._torn = 0
        """The size of a last line that is incomplete: its writer has stopped, or is still writing."""
        self._lines_read = 0
        self.refresh()

    def refresh(self) -> bool:
        """Reads the file again if its size has changed. Returns whether it has."""
        with reading(str(self.path)):
            size = self.path.stat().st_size if self.path.exists() else 0
        if size == self._size:
            return False
        with reading(str(self.path)):
            content = self.path.read_bytes() if size else b""
        size, torn = len(content), _torn(content)
        whole = content[: size - torn].removeprefix(b"\xef\xbb\xbf")
        self.lines = parse_lines(BytesIO(whole), self.path)
        self.gone = withdrawn(self.lines)
        self._lines_read = whole.count(b"\n") + (not whole.endswith(b"\n") and bool(whole))
        self._size, self._torn = size, torn
        return True

    def write(self, entries: Sequence[dict[str, Any]], *, step: str | None = None, **more: Any) -> list[Line]:
        """Appends lines as one step, all or none, and waits until they are on the disk. Returns them."""
        name = step or secrets.token_hex(8)
        about = {key: value for key, value in more.items() if value is not None}
        about |= {"step": name, "at": datetime.now(UTC).isoformat(timespec="milliseconds")}
        made = "".join(f"{json_text(entry | about)}\n" for entry in entries).encode()
        if self.path.exists() and self.path.stat().st_size == self._size:
            self.remove_torn_line()
        with writing(self.path):
            before = self._append(made)
        lines = parse_lines(BytesIO(made), self.path)
        first = self._lines_read
        numbered = [line._replace(number=first + line.number) for line in lines]
        self._lines_read += len(lines)
        self._size = before + len(made) if before == self._size else CHANGED
        self.lines += numbered
        if any(line.undoes for line in numbered):
            self.gone = withdrawn(self.lines)
        return numbered

    def remove_torn_line(self) -> None:
        """Removes a last line that is incomplete. It was not acknowledged, and other programs could not read the file.

        This is done when the service starts and when it writes. In between, somebody may be writing the line.
        """
        if self._torn:
            with writing(self.path):
                os.truncate(self.path, self._size - self._torn)
            self._size, self._torn = self._size - self._torn, 0

    def _append(self, made: bytes) -> int:
        """Appends bytes to the file, all or none. Returns where they begin."""
        is_new = not self.path.exists()
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            size = os.fstat(file).st_size
            ended = not size or os.pread(file, 1, size - 1) == b"\n"
            try:
                rest = memoryview(made if ended else b"\n" + made)
                while rest:
                    rest = rest[os.write(file, rest) :]
                os.fsync(file)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(file, size)
                raise
        finally:
            os.close(file)
        if is_new:
            _sync_folder(self.path.parent)
        return size if ended else size + 1

    def steps(self) -> dict[str, list[Line]]:
        """Returns the lines of each step, in the order of the file."""
        found: dict[str, list[Line]] = {}
        for line in self.lines:
            found.setdefault(line.step, []).append(line)
        return found


def _torn(content: bytes) -> int:
    """Returns the size of a last line that is incomplete."""
    whole, _, last = content.rpartition(b"\n")
    try:
        if last.strip() and whole:  # a single line that is malformed is not a decision: `parse_lines` raises an error
            json.loads(last)
    except ValueError:
        return len(last)
    return 0


def _sync_folder(folder: Path) -> None:
    """Makes the name of a new file durable, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def journal_beside(path: str) -> Path:
    """Returns the path of the decisions about an index or a saved result: beside its folder."""
    folder = Path(path).expanduser().absolute()
    return folder.with_name(folder.name + ".decisions.jsonl")
