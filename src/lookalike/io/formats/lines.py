"""The format `lines`: one document per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow.documents import TEXT
from lookalike.io.file_source import no_such_column
from lookalike.io.files import File
from lookalike.io.formats.line_blocks import Block, BlockScan, ended, is_utf8, read_blocks
from lookalike.io.misread import not_in_utf8
from lookalike.io.scan import Chunk, Malformed
from lookalike.notices import Notice


class LinesFormat:
    """Text files with one document per line. A blank line is an empty document, so that each line is one row."""

    name = "lines"
    cheap_to_reread = False
    reader_bytes = 0
    warnings: Sequence[Notice] = ()

    def __init__(self, files: Sequence[File], name: str) -> None:
        self.files = files
        self.scans = [LinesScan(file) for file in files]
        self._name = name

    def columns(self) -> list[str]:
        return ["text"]

    def prepare(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column != "text":
                raise no_such_column(column, self.columns(), self._name)


class LinesScan(BlockScan):
    """A scan of one text file with one document per line."""

    def parse(self, block: Block, columns: Sequence[str]) -> Chunk:
        malformed = Malformed()
        if is_utf8(block.data):
            data = _as_texts(block.data)
        else:
            data = pa.array([text for _, text in _texts(block, self.file, malformed)], TEXT)
        data = pa.RecordBatch.from_arrays([data] * len(columns), list(columns))
        return Chunk(block.at, data, malformed, block.next)

    def copy(
        self,
        keep: npt.NDArray[np.bool_],
        sink: BinaryIO,
        *,
        head: bool = True,
        end_lines: bool = False,
        threads: int = 1,
    ) -> int:
        row = 0
        for block in read_blocks(self.file):
            for raw, _ in _texts(block, self.file, Malformed()):
                if row < len(keep) and keep[row]:
                    sink.write(ended(raw) if end_lines else raw)
                row += 1
        return row


def _as_texts(data: bytes) -> pa.Array:
    """Converts lines, without their ends, to an Arrow array of texts.

    The lines are not decoded, because a single rare character makes a huge Python string take four bytes per character.
    """
    data = data.replace(b"\r\n", b"\n").removesuffix(b"\r")
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    last = len(data) > 0 and not data.endswith(b"\n")
    data = data.replace(b"\n", b"")
    offsets = np.concatenate([[0], ends - np.arange(len(ends)), [len(data)] * last]).astype(np.int64)
    return pa.Array.from_buffers(TEXT, len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _texts(block: Block, file: File, malformed: Malformed) -> Iterator[tuple[bytes, str]]:
    for number, raw in block.lines():
        try:
            yield raw, _without_end(raw.decode().removesuffix("\n"))
        except UnicodeDecodeError as error:
            malformed.add(Notice("line", name=file.name, line=number), not_in_utf8(error))


def _without_end(text: str) -> str:
    return text.removesuffix("\r")
