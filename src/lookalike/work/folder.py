"""The work folder of a run, which holds its lock, manifest and finished parts, and is emptied after success.

    LOCK             the process that uses the folder
    run.json         the manifest: plan, input, version
    READING          positions of rows in the input files
    KEY, *.part      finished parts

Other files in the folder are never read and never removed.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
import stat
import threading
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from lookalike.errors import InputError, InvalidOption, OutputError, PlanMismatch, WorkTaken
from lookalike.io.chained_source import ChainedSource
from lookalike.io.file_source import FileSource
from lookalike.io.find_files import find_files
from lookalike.io.landmarks import Landmarks
from lookalike.io.outputs import check_output
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.storage import lock
from lookalike.storage.foreign_errors import writing
from lookalike.storage.lock import Lock
from lookalike.storage.own_files import open_own
from lookalike.storage.parts import KEY, RESULT, SUFFIX, DirectoryParts
from lookalike.storage.whole_files import sync_file, unfinished_files
from lookalike.storage.whole_folders import new_folder, remove_unfinished
from lookalike.work.manifest import Manifest, differences

RUN, READING = "run.json", "READING"
"""The names of the manifest and of the file with row positions. Both are skipped when a folder is read as documents."""

SHOWN = 3
"""The maximum number of differences between two runs that an error lists."""

_TOLERATED = {"lost+found"}
"""Names that a file system creates, and that a work folder may contain."""


class Work:
    """A folder in which a run saves its finished parts, so that the run can be resumed after an interruption.

    If you pass a path as `work`, the function creates its own `Work`, and removes the parts when the run succeeds. A
    `Work` that you create yourself keeps the parts until its `with` block ends without an error, so that nothing is
    lost before the result is saved.

        with la.Work("parts", resume=True) as work:
            pairs = la.find_pairs("crawl/*.parquet", work=work)
            write(pairs)

    With `keep=True`, parts are kept even after success.
    """

    def __init__(self, folder: str | os.PathLike[str], *, resume: bool = False, keep: bool = False) -> None:
        if not isinstance(folder, str | os.PathLike):
            raise InvalidOption("not-a-path", option="work", type=type(folder).__name__)
        if not os.fspath(folder):
            raise InvalidOption("empty-option", option="work")
        try:
            self.folder = Path(folder).expanduser()
        except RuntimeError:
            raise OutputError("unwritable", path=folder, reason=Notice("unknown-user")) from None
        self.keep = keep
        self.parts = DirectoryParts(self.folder)
        self.then: Manifest | None = None
        """The manifest of the run in the folder: the interrupted run, or this run once it has started."""
        self._claims: list[str] = []
        self._lock: Lock | None = None
        """The lock; None as long as the folder does not exist."""
        with writing(folder):
            if not self.folder.exists():
                check_output(self.folder, folder=True)
                return
            if not self.folder.is_dir():
                raise OutputError("work-folder-is-a-file", folder=folder)
            self._check_empty()
            self._lock = Lock(self.folder)
            try:
                self._look(resume)
            except BaseException:
                self.close()
                raise

    def _check_empty(self) -> None:
        """Raises an error if a folder without a run contains files, which could be mistaken for finished parts."""
        if (self.folder / RUN).exists():
            return
        for path in sorted(self.folder.iterdir()):
            if path.name not in {lock.NAME, *_TOLERATED} and not path.name.startswith("."):
                is_part = path.suffix == SUFFIX
                code = "work-folder-has-unknown-parts" if is_part else "work-folder-has-other-files"
                raise WorkTaken(code, folder=self.folder, name=path.name)

    def _look(self, resume: bool) -> None:
        for path in (*self.parts.files(), *(self.folder / name for name in (KEY, RUN, READING))):
            if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):  # opening a pipe could take forever
                raise OutputError("not-our-file", path=path)
        self.parts.clean()
        self.parts.count()
        if not (self.folder / RUN).exists():
            return
        self.then = Manifest.load(self.folder / RUN)
        if not resume:
            about = {"input": self.then.input["name"], "began": self.then.began}
            raise WorkTaken("work-folder-has-unfinished-run", folder=self.folder, **about)

    def start(self, now: Manifest, source: Source) -> None:
        """Saves the manifest of this run, or raises an error if the folder contains a different run."""
        if any(Path(file["path"]).is_relative_to(self.folder.absolute()) for file in now.files):
            raise InvalidOption("work-folder-in-input", folder=self.folder)
        if self.then is not None and (found := differences(self.then, now)):
            shown = {"differences": found[:SHOWN], "more": len(found) - SHOWN if len(found) > SHOWN else None}
            if self.then.same_input(now):
                raise PlanMismatch("work-folder-of-another-plan", folder=self.folder, **shown)
            raise InputError("work-folder-of-another-input", folder=self.folder, **shown)
        made = self._lock is None if self.then is None else self.then.made_folder
        claims = sorted({*self._claims, *(self.then.outputs if self.then else ())})
        with writing(self.folder):
            for output in self.then.outputs if self.then is not None else ():
                remove_unfinished(Path(output))
            began = now.began if self.then is None else self.then.began
            self.then = dataclasses.replace(now, made_folder=made, outputs=claims, began=began)
            if self._lock is None:
                self._create(self.then)
                if _would_read(source, self.folder.absolute()):
                    shutil.rmtree(self.folder)
                    raise InvalidOption("work-folder-in-input", folder=self.folder)
            else:
                self.then.save(self.folder / RUN)
        if isinstance(source, FileSource):
            self.parts.before_put = _LandmarkFile(self.folder / READING, source).note

    def _create(self, manifest: Manifest) -> None:
        """Creates the folder with its lock and manifest in one step, so that a killed run leaves no empty folder."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(self.folder)
        try:
            with new_folder(self.folder) as unfinished:
                self._lock = Lock(unfinished)
                manifest.save(unfinished / RUN)
        except OSError as error:
            self._release()
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                raise WorkTaken("work-folder-in-use", folder=self.folder, by=Notice("another-process")) from None
            raise
        self._lock.path = self.folder / lock.NAME

    def claim(self, outputs: Iterable[str | Path]) -> None:
        """Registers the outputs of this run.

        Must be called before `start`. Outputs that exist already are not registered.
        """
        self._claims += [path for out in outputs if (path := _place(out)) and not os.path.lexists(path)]

    def claimed(self, output: str | Path) -> bool:
        """True if the interrupted run registered this output, and may therefore have written it."""
        return self.then is not None and _place(output) in self.then.outputs

    def finish(self) -> None:
        """Removes the files of this run from the folder, unless `keep` is set. Call this method once the result has
        been saved."""
        if self.keep or self.then is None:
            return
        with writing(self.folder):
            files = self.parts.files()
            first = [path for path in files if not path.name.startswith(RESULT)]
            last = [path for path in files if path.name.startswith(RESULT)]
            for path in (*first, self.folder / READING, *last, self.folder / KEY, self.folder / RUN):
                path.unlink(missing_ok=True)
            self._release(remove=True)
            if self.then.made_folder and not any(self.folder.iterdir()):
                self.folder.rmdir()

    def close(self) -> None:
        """Releases the lock and keeps the files."""
        self._release(remove=self.then is None)

    def _release(self, *, remove: bool = False) -> None:
        if self._lock is not None:
            self._lock.release(remove=remove)

    def __enter__(self) -> Work:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()


class _LandmarkFile:
    """Saves the known positions of rows in the input files (landmarks), and restores those that the file contains.

    A damaged line and all lines after it are dropped.
    """

    def __init__(self, path: Path, source: FileSource) -> None:
        self.path = path
        self.landmarks = Landmarks(source)
        self._lock = threading.Lock()
        if os.path.lexists(path):
            with self._open() as file:
                file.truncate(self._recall(file))

    def _recall(self, file: BinaryIO) -> int:
        """Restores the landmarks in the undamaged lines at the start of the file; returns their size in bytes."""
        file.seek(0)
        whole = 0
        for line in file:
            crc, _, entry = line.partition(b" ")
            if not line.endswith(b"\n") or crc != b"%08x" % zlib.crc32(entry):
                break
            self.landmarks.recall(json.loads(entry))
            whole += len(line)
        return whole

    def note(self) -> None:
        with self._lock:
            learned = self.landmarks.learned()
            if learned:
                entry = json.dumps(learned).encode() + b"\n"
                with self._open() as file:
                    file.write(b"%08x " % zlib.crc32(entry) + entry)
                    sync_file(file)

    def _open(self) -> BinaryIO:
        return os.fdopen(open_own(self.path, os.O_RDWR | os.O_APPEND), "a+b")


def _remove_unfinished(folder: Path) -> None:
    """Removes temporary folders of processes that were killed while they created this work folder.

    The folders of running processes are locked, and therefore stay.
    """
    for unfinished in unfinished_files(folder.parent, folder):
        with suppress(WorkTaken, OSError):
            taken = Lock(unfinished)
            shutil.rmtree(unfinished)
            taken.release()


def _would_read(source: Source, folder: Path) -> bool:
    """True if the input includes files in this folder, so that a resumed run would read its own files as documents."""
    for side in (source.reference, source.new) if isinstance(source, ChainedSource) else (source,):
        opened = getattr(side, "opened", None) or {}
        paths = opened.get("paths")
        files = [file for file in getattr(side, "files", ()) if file.temporary is None and file.system is None]
        if not paths or not files:
            continue
        root = os.path.commonpath([Path(file.path).absolute().parent for file in files])
        if folder.is_relative_to(root):
            try:
                found = find_files(paths, opened.get("format")).files
            except InputError:  # the files found include ours, which are of another format
                return True
            if any(Path(file.path).absolute().is_relative_to(folder) for file in found):
                return True
    return False


def _place(output: str | Path) -> str:
    """Returns the absolute path of an output, or "" for standard output."""
    return "" if str(output) == "-" else os.path.realpath(os.path.expanduser(output))  # noqa: PTH111 - never raises
