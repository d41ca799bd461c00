"""The manifest of a run (its plan, input and version), which is saved in the work folder, and its comparison.

Only the run that created a work folder can be resumed from it. Otherwise an error lists the differences.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lookalike.errors import MalformedInput, WorkTaken
from lookalike.flow.json_kinds import fits
from lookalike.io.chained_source import ChainedSource
from lookalike.io.file_source import FileSource
from lookalike.io.source import Source
from lookalike.io.tokenized_source import untokenized
from lookalike.notices import Notice
from lookalike.storage.whole_files import write_whole

LAYOUT = 2
"""The version of the layout of work folders. A run in a folder with another layout cannot be resumed."""

KINDS = {
    "lookalike": str,
    "plan": dict[str, Any],
    "input": dict[str, Any],
    "files": list[dict[str, Any]],
    "layout": int,
    "began": str,
    "made_folder": bool,
    "outputs": list[str],
}
"""The types of the entries of a saved manifest."""


@dataclass(frozen=True)
class Manifest:
    """Everything that the result of a run depends on (not threads or memory), and facts needed to resume it."""

    lookalike: str
    """The version of the package."""
    plan: dict[str, Any]
    input: dict[str, Any]
    """The name of the input, the options for reading it, and its `Source.identity`."""
    files: list[dict[str, Any]] = field(default_factory=list)
    layout: int = LAYOUT
    began: str = field(default_factory=lambda: datetime.now().astimezone().isoformat(" ", "seconds"))
    made_folder: bool = False
    """True if the folder was created for this run, and is therefore removed with it."""
    outputs: list[str] = field(default_factory=list)
    """The absolute paths of outputs that did not exist when the run started."""

    @classmethod
    def of(cls, version: str, plan: dict[str, Any], source: Source) -> Manifest:
        about: dict[str, Any] = {"name": source.name, "column": source.column, "id": source.id}
        sides = [source.reference, source.new] if isinstance(source, ChainedSource) else [source]
        files: list[dict[str, Any]] = []
        for side in map(untokenized, sides):
            if isinstance(side, FileSource):
                about |= {"format": side.format.name, "on_error": side.on_error}
                files += [file.facts() for file in side.files]
        return cls(version, plan, about | {"identity": source.identity()}, files)

    @classmethod
    def load(cls, path: Path) -> Manifest:
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["layout"] != LAYOUT:
                version = values["lookalike"]
                raise WorkTaken("work-folder-of-another-version", folder=path.parent, version=version)
            known = fits(values, dict[str, Any]) and all(fits(values.get(name), kind) for name, kind in KINDS.items())
            if not (known and isinstance(values["input"]["identity"], str) and all(map(_is_file, values["files"]))):
                raise ValueError
            if not all(Path(output).is_absolute() and Path(output).name for output in values["outputs"]):
                raise ValueError
            return cls(**values)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise MalformedInput("damaged-manifest", path=path, folder=path.parent) from None

    def save(self, path: Path) -> None:
        write_whole(path, (json.dumps(asdict(self), indent=1) + "\n").encode())

    def same_input(self, other: Manifest) -> bool:
        return bool(self.input["identity"] == other.input["identity"])


def _is_file(entry: dict[str, Any]) -> bool:
    """True if an entry describes a file: its path, its name, and its size and time if they are known."""
    texts = all(isinstance(entry.get(name), str) for name in ("path", "name"))
    return texts and fits(entry.get("bytes"), int | None) and fits(entry.get("changed"), str | int | float | None)


def differences(then: Manifest, now: Manifest) -> list[Notice]:
    """Returns the differences between the earlier run in the folder (`then`) and the current run (`now`)."""
    found = [*_changed({"lookalike": then.lookalike}, {"lookalike": now.lookalike}), *_changed(then.plan, now.plan)]
    if not then.same_input(now):
        read = ("format", "column", "id", "on_error")
        how = list(_changed(*({name: run.input.get(name) for name in read} for run in (then, now))))
        what = list(_changed_files(then.files, now.files))
        found += how + what or [Notice("data-changed", name=now.input["name"])]
    return found


def _changed(then: dict[str, Any], now: dict[str, Any]) -> Iterator[Notice]:
    for name in dict.fromkeys([*then, *now]):
        if then.get(name) != now.get(name):
            before, after = (Notice("not-given") if run.get(name) is None else str(run[name]) for run in (then, now))
            yield Notice("setting-changed", name=name, then=before, now=after)


def _changed_files(then: list[dict[str, Any]], now: list[dict[str, Any]]) -> Iterator[Notice]:
    before, after = ({file["path"]: file for file in files} for files in (then, now))
    for path, file in before.items():
        if path not in after:
            yield Notice("file-removed", name=file["name"])
        elif after[path] != file:
            yield _changed_file(file, after[path])
    for path, file in after.items():
        if path not in before:
            yield Notice("file-added", name=file["name"])
    if before == after and list(before) != list(after):
        yield Notice("files-reordered")


def _changed_file(then: dict[str, Any], now: dict[str, Any]) -> Notice:
    name, old, new = now["name"], then.get("bytes"), now.get("bytes")
    if old is None or new is None:
        return Notice("data-changed", name=name)
    if old == new:
        return Notice("file-rewritten", name=name, size=new, then=then.get("changed"), now=now.get("changed"))
    return Notice("file-resized", name=name, then=old, now=new)
