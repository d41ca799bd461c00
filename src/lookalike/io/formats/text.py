"""Reads text files as documents. The id of a document is the path of its file, relative to the given folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lookalike.flow.documents import TEXT
from lookalike.io.file_source import no_such_column
from lookalike.io.files import File
from lookalike.io.formats.line_blocks import BOM
from lookalike.io.misread import not_in_utf8
from lookalike.io.scan import Chunk, Malformed, OnError, Parse, Position, parsed
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import reading

CHUNK_ROWS = 1024
CHUNK_BYTES = 4 << 20
PATH = "path"


class TextFormat:
    """Plain text files with one document each. The columns are `path` and `text`."""

    name = "text"
    cheap_to_reread = False
    reader_bytes = 0

    def __init__(self, files: Sequence[File], name: str, on_error: OnError) -> None:
        self.files = files
        self.scan = TextScan(files, on_error)
        self.scans = [self.scan]
        self._name = name

    def columns(self) -> list[str]:
        return [PATH, "text"]

    def prepare(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column not in self.columns():
                raise no_such_column(column, self.columns(), self._name)

    @property
    def warnings(self) -> list[Notice]:
        if len(self.files) == 1 and self.scan.has_lines:
            return [Notice("read-as-one-document", name=self.files[0].name)]
        return []


class TextScan:
    """A scan over all text files, with one row per file."""

    first: Position = (0,)

    def __init__(self, files: Sequence[File], on_error: OnError) -> None:
        self.files = files
        self.on_error = on_error
        self.has_lines = False
        # every file is a row, unless malformed files are skipped
        self.rows = len(files) if on_error == "fail" else None
        self.marks: list[tuple[int, Position]] = []
        self.starts: list[int] = []

    def expected_rows(self, row_bytes: float) -> int:
        return len(self.files)

    def unparsed(self, columns: Sequence[str]) -> Iterator[tuple[int, Parse]]:
        return parsed(self, columns)

    def chunks(self, columns: Sequence[str], at: Position) -> Iterator[Chunk]:
        paths: list[str] = []
        texts: list[str] = []
        malformed = Malformed()
        size = 0
        for number, file in enumerate(self.files[at[0] :], at[0] + 1):
            try:
                text = read_text(file)
            except UnicodeDecodeError as error:
                reason = not_in_utf8(error)
                several = reason.code == "binary" and len(self.files) > 1
                advice = Notice("choose-files-advice") if several else None
                malformed.add(file.name, Notice("not-a-text-file", reason=reason, advice=advice))
            else:
                paths.append(file.id)
                texts.append(text)
                size += len(text)
                self.has_lines = self.has_lines or "\n" in text.strip()
            if len(texts) >= CHUNK_ROWS or size >= CHUNK_BYTES or number == len(self.files):
                arrays = [pa.array(paths if column == PATH else texts, TEXT) for column in columns]
                yield Chunk(at, pa.RecordBatch.from_arrays(arrays, list(columns)), malformed, (number,))
                at, paths, texts, malformed, size = (number,), [], [], Malformed(), 0

    def documents(self) -> Iterator[File]:
        """Yields the files that are not malformed, in order."""
        for file in self.files:
            if self.on_error == "skip":
                try:
                    read_text(file)
                except UnicodeDecodeError:
                    continue
            yield file


def read_text(file: File) -> str:
    """Returns the content of a text file. Raises UnicodeDecodeError if it is not UTF-8."""
    with file.open() as stream, reading(file.name):
        data = stream.read()
    return data.removeprefix(BOM).decode()
