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


class Journal:
    """The lines of a file of decisions, and which of them are withdrawn. One thread at a time may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[Line] = []
        self.gone: set[int] = set()
        """The numbers of the lines that are withdrawn."""
        self._size = 0
        self._lines_read = 0
        self.refresh()

    def refresh(self) -> bool:
        """Reads the file again if its size has changed. Returns whether it has."""
        with reading(str(self.path)):
            size = self.path.stat().st_size if self.path.exists() else 0
        if size == self._size:
            return False
        with reading(str(self.path)):
            content = self.path.read_bytes().removeprefix(b"\xef\xbb\xbf") if size else b""
        content = self._without_torn_line(content)
        self.lines = parse_lines(BytesIO(content), self.path)
        self.gone = withdrawn(self.lines)
        self._lines_read = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
        self._size = self.path.stat().st_size if self.path.exists() else 0
        return True

    def _without_torn_line(self, content: bytes) -> bytes:
        """Removes a last line that was not written completely, because the machine or the process stopped. It was not
        acknowledged."""
        whole, _, last = content.rpartition(b"\n")
        if not last.strip():
            return content
        try:
            json.loads(last)
        except ValueError:
            kept = whole + b"\n" if whole else b""
            if not whole:
                return content  # not a file of decisions: `parse_lines` raises an error
            with writing(self.path):
                os.truncate(self.path, self.path.stat().st_size - len(last))
            return kept
        return content

    def write(self, entries: Sequence[dict[str, Any]], *, step: str | None = None, **more: Any) -> list[Line]:
        """Appends lines as one step, all or none, and waits until they are on the disk. Returns them."""
        name = step or secrets.token_hex(8)
        about = {key: value for key, value in more.items() if value is not None}
        about |= {"step": name, "at": datetime.now(UTC).isoformat(timespec="milliseconds")}
        made = "".join(f"{json_text(entry | about)}\n" for entry in entries).encode()
        with writing(self.path):
            before = self._append(made)
        lines = parse_lines(BytesIO(made), self.path)
        first = self._lines_read
        numbered = [line._replace(number=first + line.number) for line in lines]
        self._lines_read += len(lines)
        self._size = before + len(made)
        self.lines += numbered
        if any(line.undoes for line in numbered):
            self.gone = withdrawn(self.lines)
        return numbered

    def _append(self, made: bytes) -> int:
        """Appends bytes to the file, all or none. Returns its size before, with the end of the last line."""
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
