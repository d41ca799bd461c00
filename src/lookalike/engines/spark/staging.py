"""Staging: a folder that every machine of a cluster can access. Finished parts of stages are stored there as Parquet.

Tasks write their own parts, atomically. Neither a lost worker nor a second attempt of a task leaves an incomplete part,
and finished parts can be reused. Spark is only used to schedule tasks, retry them and shuffle data.
"""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import InputError, InvalidOption
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import why, writing

PART = ".parquet"
UNFINISHED = "_unfinished-"
"""The prefix of unfinished files, which a killed worker may leave behind. Spark ignores names that start with `_`."""


@dataclass(frozen=True)
class Staging:
    """A folder, given by its path or URL, and the parts in it, such as `signed/000000000000000042.parquet`."""

    url: str

    def __post_init__(self) -> None:
        if not isinstance(self.url, str) or not self.url:
            raise InvalidOption("staging-not-a-folder", value=self.url)
        if "://" not in self.url and not self.url.startswith("/"):
            object.__setattr__(self, "url", os.path.abspath(os.path.expanduser(self.url)))  # noqa: PTH100, PTH111

    def below(self, name: str) -> Staging:
        return Staging(f"{self.url.rstrip('/')}/{name}")

    def for_spark(self, name: str) -> str:
        """Returns the URL of a stage's folder for Spark, whose default file system may not be this machine's disk."""
        path = f"{self.url.rstrip('/')}/{name}"
        return path if "://" in path else f"file://{path}"

    def put(self, name: str, table: pa.Table, *, compression: str = "none") -> None:
        """Writes a part atomically. A second attempt of a task replaces it with an identical part."""
        path = self._path(name + PART)
        folder = path.rpartition("/")[0]
        with writing(Notice("staging-folder", url=self.url)):
            self._files.create_dir(folder, recursive=True)
            unfinished = (
                f"{folder}/{UNFINISHED}{uuid.uuid4().hex}" if self._renames else path
            )  # object stores show a file only after it is closed
            with self._files.open_output_stream(unfinished) as sink:
                pq.write_table(table, sink, compression=compression, use_dictionary=False, write_statistics=False)
            if unfinished != path:
                self._files.move(unfinished, path)

    def get(self, name: str, columns: list[str] | None = None) -> pa.Table:
        try:
            with self._files.open_input_file(self._path(name + PART)) as file:
                return pq.read_table(file, columns=columns, use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise InputError("staged-part-unreadable", part=name, url=self.url, reason=why(error)) from None

    def metadata(self, name: str) -> dict[bytes, bytes]:
        """Returns the metadata of a part, without reading its columns."""
        with self._files.open_input_file(self._path(name + PART)) as file:
            return dict(pq.read_schema(file).metadata or {})

    def has(self, name: str) -> bool:
        from pyarrow.fs import FileType

        return bool(self._files.get_file_info(self._path(name + PART)).type == FileType.File)

    def names(self, stage: str) -> list[str]:
        """Returns the names of a stage's finished parts, in order."""
        return sorted(f"{stage}/{info.base_name.removesuffix(PART)}" for info in self._parts(stage))

    def size(self, stage: str) -> int:
        """Returns the total size of a stage's finished parts, in bytes."""
        return sum(int(info.size) for info in self._parts(stage))

    def _parts(self, stage: str) -> list[Any]:
        from pyarrow.fs import FileSelector

        found = self._files.get_file_info(FileSelector(self._path(stage), allow_not_found=True))
        return [info for info in found if info.base_name.endswith(PART)]

    def mark(self, stage: str, counts: dict[str, Any]) -> None:
        """Marks a stage as finished, with its counts."""
        self.put(f"finished/{stage}", pa.table({"counts": [json.dumps(counts)]}))

    def marked(self, stage: str) -> dict[str, Any] | None:
        """Returns the counts of a stage; None if it is not finished."""
        if not self.has(f"finished/{stage}"):
            return None
        counts: dict[str, Any] = json.loads(self.get(f"finished/{stage}")["counts"][0].as_py())
        return counts

    def remove(self) -> None:
        self._files.delete_dir(self._path(""))

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}".rstrip("/")

    @property
    def _files(self) -> Any:
        return self._where[0]

    @property
    def _root(self) -> str:
        return str(self._where[1])

    @cached_property
    def _renames(self) -> bool:
        return str(self._files.type_name) in ("local", "hdfs")

    @cached_property
    def _where(self) -> tuple[Any, str]:
        """The file system and path of the URL.

        The file system comes from Arrow or, if Arrow has none for it, from fsspec.
        """
        from pyarrow.fs import FileSystem, FSSpecHandler, LocalFileSystem, PyFileSystem

        if "://" not in self.url:
            return LocalFileSystem(), self.url
        try:
            files, root = FileSystem.from_uri(self.url)
            return files, root
        except (pa.ArrowException, ValueError):
            import fsspec

            try:
                found, root = fsspec.core.url_to_fs(self.url)
            except (ImportError, ValueError, OSError) as error:
                raise InvalidOption("staging-cannot-be-opened", url=self.url, reason=why(error)) from None
            return PyFileSystem(FSSpecHandler(found)), root

    def __getstate__(self) -> dict[str, str]:
        return {"url": self.url}  # a task opens its own file system
