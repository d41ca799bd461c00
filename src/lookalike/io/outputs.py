"""Checks outputs before the work starts, so that problems with writing the result are reported early."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import InvalidOption, OutputError, OutputExists
from lookalike.io.files import CODECS, format_of
from lookalike.notices import Notice
from lookalike.notices.readable import printable
from lookalike.storage.foreign_errors import brief, writing

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.io.files import File

WRITABLE = ("parquet", "jsonl", "csv", "tsv")
"""The formats in which tables can be written."""

LONGEST = 255
"""The maximum number of bytes of a file name, as on all common file systems."""


class Outputs:
    """The outputs of one run, by option. Each is checked once, before the work, and listed in `written` when it exists.

    `tables` are the options that name tables; `folder` is the option that may name a folder. `force` allows existing
    outputs to be overwritten (None if the command has no such option). `claimed(path)` is True for outputs that an
    interrupted run may have written; these can be overwritten without `force`.
    """

    def __init__(
        self,
        paths: Mapping[str, str | Path | None],
        *,
        force: bool | None = False,
        tables: Collection[str] = (),
        folder: str | None = None,
        claimed: Callable[[str | Path], bool] = lambda path: False,
    ) -> None:
        self.paths = {option: path for option, path in paths.items() if path is not None}
        self.overwritable = {option for option, path in self.paths.items() if force or claimed(path)}
        self.written: list[str] = []
        self.targets: dict[str, Path] = {}
        """The absolute path of each output, with links resolved. Standard output is not included."""
        taken: dict[Path | None, str] = {}
        for option, path in self.paths.items():
            if not isinstance(path, str | os.PathLike):
                raise InvalidOption("not-a-path", option=option, type=type(path).__name__)
            if not str(path):
                raise InvalidOption("empty-option", option=option)
            with writing(path):  # the current folder may be gone, and links may be circular
                target = None if str(path) == "-" else located(path)
                exists = force is None and target is not None and target.is_file()
            if target in taken:
                where = "standard output" if target is None else path
                raise InvalidOption("outputs-collide", first=taken[target], second=option, path=where)
            taken[target] = option
            if exists:
                raise OutputExists("file-exists", path=path, option=option)
            own = option in self.overwritable
            check_output(path, force=own, folder=option == folder, table=option in tables, option=option)
            if target is not None:
                self.targets[option] = target

    def check_inputs(self, *inputs: Any, files: Iterable[File] = (), also: str | Path | None = None) -> None:
        """Raises an error if an output is an input file, or a folder that contains one.

        Input files are the `files` of sources and tables (those in memory have none), the given `files`, and `also`,
        such as the path of a plan.
        """
        files = [*files, *(file for one in inputs for file in getattr(one, "files", ()))]
        read = [(file.name, Path(file.path)) for file in files if file.system is None and file.temporary is None]
        if also is not None:
            read.append((str(also), Path(also)))
        for name, path in read:
            place = Path(os.path.realpath(path))  # links may be circular, which `resolve` reports as an error
            for option, target in self.targets.items():
                if target in (place, *place.parents) or (
                    target.is_file() and place.exists() and target.samefile(place)
                ):
                    raise OutputError("output-is-input", option=option, path=self.paths[option], name=name)

    def write_table(self, option: str, table: pa.Table | pa.RecordBatchReader) -> None:
        """Writes a table to the output that `option` names, if the option was given."""
        from lookalike.io.sinks import write_table

        if option in self.paths:
            write_table(table, self.paths[option], force=option in self.overwritable)
            self.note(option)

    def write_text(self, option: str, text: str) -> None:
        """Writes a text to the output that `option` names, if the option was given."""
        from lookalike.io.sinks import open_sink

        if option in self.paths:
            with open_sink(self.paths[option], force=option in self.overwritable) as sink:
                sink.write(text.encode())
            self.note(option)

    def note(self, *options: str) -> None:
        """Adds outputs to `written`, except standard output and options that were not given."""
        self.written += [printable(str(self.paths[option])) for option in options if option in self.targets]


def check_output(
    out: str | Path, *, force: bool = False, folder: bool = False, table: bool = False, option: str | None = None
) -> None:
    """Raises the error that writing to `out` would raise. Call it before the work starts.

    With `force`, an existing output may be overwritten; with `folder`, it may be a folder; with `table`, its suffix
    must name a table format. `option` is the option that names the output, for messages.
    """
    if str(out) == "-":
        return
    if "://" in str(out):
        raise OutputError("output-is-url", path=out)
    target = located(out)
    with writing(out):
        if any(len(os.fsencode(part)) > LONGEST for part in target.parts):
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        if target.is_dir():
            if not folder:
                raise OutputError("output-is-a-folder", path=out, option=option)
            if not force and any(target.iterdir()):
                raise OutputExists.at(out, option)
        if table:
            table_format(out)
        if target.exists() and not target.is_dir():
            if not target.is_file():
                raise OutputError("output-not-a-file", path=out)
            if not force:
                raise OutputExists.at(out, option)
        parent = target.parent
        while not parent.exists() and parent != parent.parent:
            parent = parent.parent
        if not parent.is_dir():
            raise OutputError("unwritable", path=out, reason=Notice("parent-is-a-file", folder=parent))
        if not os.access(parent, os.W_OK | os.X_OK):
            raise OutputError("unwritable", path=out, reason=Notice("folder-not-writable", folder=parent))


def located(out: str | Path) -> Path:
    """Returns the absolute path of an output, with ~ expanded and links resolved."""
    try:
        return Path(out).expanduser().resolve()
    except RuntimeError as error:  # an unknown user, or a circular link
        reason = Notice("unknown-user") if str(out).startswith("~") else brief(error)
        raise OutputError("unwritable", path=out, reason=reason) from None
    except ValueError as error:  # a zero byte, or a character that no file name can have
        raise OutputError("unwritable", path=out, reason=brief(error)) from None


def table_format(out: str | Path) -> str:
    """Returns the format of a table, according to the suffix of its path (standard output: JSON Lines)."""
    format = "jsonl" if str(out) == "-" else format_of(str(out))
    if format not in WRITABLE:
        raise unknown_format(out)
    assert format is not None
    return format


def unknown_format(out: str | Path) -> InvalidOption:
    suffixes = [f".{name}" for name in WRITABLE]
    return InvalidOption("unknown-output-format", path=out, suffixes=suffixes, codecs=list(CODECS))


def check_replaceable(target: Path, written: set[str], out: str | Path) -> None:
    """Raises an error if replacing a folder would delete files that are not listed in `written`."""
    if target.exists() and not target.is_dir():
        raise OutputError("output-is-a-file", path=out)
    for path in sorted(target.rglob("*")) if target.is_dir() else ():
        name = path.relative_to(target).as_posix()
        if name not in written and not (path.is_dir() and not path.is_symlink()):
            raise OutputError("folder-has-other-files", path=out, name=name)
