"""Finds the rows of a source that were read from certain files."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Mask
from lookalike.io.chained_source import ChainedSource
from lookalike.io.file_source import FileSource
from lookalike.io.files import File
from lookalike.io.scan import Copyable
from lookalike.io.set_source import SetSource
from lookalike.io.source import Source
from lookalike.io.tokenized_source import untokenized

if TYPE_CHECKING:
    from lookalike.io.formats.text import TextScan


def check_glob(source: Source, glob: str, option: str) -> None:
    """Raises an error unless the source consists of files, and the glob matches one of them."""
    files, matches = _files(source, glob, option).files, matcher(glob)
    if not any(map(matches, files)):
        names = tuple(file.name for file in files)
        raise InvalidOption("glob-without-files", option=option, glob=glob, files=names)


def rows_from(source: Source, glob: str, option: str) -> Mask:
    """Returns a mask of the rows that were read from the files that the glob matches. A reference is not matched."""
    if isinstance(source, ChainedSource):
        new = rows_from(source.new, glob, option)
        return np.concatenate([np.zeros(source.reference_rows, dtype=np.bool_), new])
    origin, matches = _files(source, glob, option), matcher(glob)
    if origin.total_rows() is None:
        for _ in origin.read([origin.column]):
            pass  # counts the rows of each file
    if origin.format.name == "text":  # one document per file
        return np.fromiter(map(matches, cast("TextScan", origin.format.scans[0]).documents()), dtype=np.bool_)
    found = [matches(cast(Copyable, rows.scan).file) for rows in origin.rows]
    return np.repeat(np.array(found, dtype=np.bool_), [rows.rows or 0 for rows in origin.rows])


def matcher(glob: str) -> Callable[[File], bool]:
    """Returns a function that checks whether a glob matches a file.

    The glob is compared with the path of the file as given, with its path in the given folder, and with its name. It
    may also match a folder that contains the file.
    """
    own = glob.removeprefix("./").rstrip("/") or glob
    pattern = re.compile(f"{fnmatch.translate(own)}|{fnmatch.translate(own + '/*')}")

    def matches(file: File) -> bool:
        names = (file.name, file.path, file.relative, file.name.rpartition("/")[2])
        return any(pattern.match(name.removeprefix("./")) for name in names)

    return matches


def _files(source: Source, glob: str, option: str) -> FileSource:
    """Returns the source of the files. Raises an error if its rows are not rows of files."""
    origin = untokenized(source.new if isinstance(source, ChainedSource) else source)
    if not isinstance(origin, FileSource) or isinstance(origin, SetSource):
        raise InvalidOption("rows-without-files", option=option, glob=glob, name=origin.name)
    return origin
