"""What a run is: its plan, its input and its version, as a file to read; and how two runs differ, in words.

Parts are of use to the very same run only. Whoever is refused wants to know what is not the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lookalike.errors import MalformedInput, WorkTaken
from lookalike.flow.byte_sizes import in_words
from lookalike.io.chained import ChainedSource
from lookalike.io.filesource import FileSource
from lookalike.io.source import Source
from lookalike.storage.whole_files import write_whole

LAYOUT = 1
"""The version of what stands in a work folder; a folder of another one cannot be gone on with."""

NAMED = 3
"""As many differences are named; the others are counted."""


@dataclass(frozen=True)
class Manifest:
    """One run, as far as its result depends on it: threads, memory and where results go are nobody's business."""

    lookalike: str
    """The version of the package."""
    plan: dict[str, Any]
    input: dict[str, Any]
    """Its name, how it is read, and what `Source.identity` says of it."""
    files: list[dict[str, Any]] = field(default_factory=list)
    layout: int = LAYOUT
    began: str = field(default_factory=lambda: datetime.now().astimezone().isoformat(" ", "seconds"))
    made_folder: bool = False
    """Whether the folder was made for this run, and goes with it."""
    outputs: list[str] = field(default_factory=list)
    """Files that were not there when the run began, which it was to write."""

    @classmethod
    def of(cls, version: str, plan: dict[str, Any], source: Source) -> Manifest:
        about: dict[str, Any] = {"name": source.name, "column": source.column, "id": source.id}
        sides = [source.reference, source.new] if isinstance(source, ChainedSource) else [source]
        files: list[dict[str, Any]] = []
        for side in sides:
            if isinstance(side, FileSource):
                about |= {"format": side.format.name, "on_error": side.on_error}
                files += [file.facts() for file in side.files]
        return cls(version, plan, about | {"identity": source.identity()}, files)

    @classmethod
    def load(cls, path: Path) -> Manifest:
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["layout"] != LAYOUT:
                raise WorkTaken(
                    f"{path.parent} was made by lookalike {values['lookalike']}, and this version cannot go on "
                    "with it; end it with that version, or remove the folder"
                )
            return cls(**values)
        except (ValueError, TypeError, KeyError):
            raise MalformedInput(
                f"{path} is damaged, so that nobody knows whose parts are beside it; remove {path.parent}"
            ) from None

    def save(self, path: Path) -> None:
        write_whole(path, (json.dumps(asdict(self), indent=1) + "\n").encode())

    def same_input(self, other: Manifest) -> bool:
        return bool(self.input["identity"] == other.input["identity"])


def differences(then: Manifest, now: Manifest) -> list[str]:
    """How the run that is to go on differs from the one that began, a clause for each difference."""
    found = [*_changed({"lookalike": then.lookalike}, {"lookalike": now.lookalike}), *_changed(then.plan, now.plan)]
    if not then.same_input(now):
        read = ("format", "column", "id", "on_error")
        how = list(_changed(*({name: run.input.get(name) for name in read} for run in (then, now))))
        what = list(_changed_files(then.files, now.files))
        found += how + what or [f"{now.input['name']} has changed"]
    return found


def said(differences: list[str]) -> str:
    """Some differences in one sentence, without its end."""
    more = len(differences) - NAMED
    return "; ".join(differences[:NAMED]) + (f"; and {more} more" if more > 0 else "")


def _changed(then: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys([*then, *now]):
        if then.get(name) != now.get(name):
            yield f"{name} was {_shown(then.get(name))}, is {_shown(now.get(name))}"


def _shown(value: Any) -> str:
    return "not given" if value is None else str(value)


def _changed_files(then: list[dict[str, Any]], now: list[dict[str, Any]]) -> Iterator[str]:
    before, after = ({file["path"]: file for file in files} for files in (then, now))
    for path, file in before.items():
        if path not in after:
            yield f"{file['name']} is not among the input any more"
        elif after[path] != file:
            yield f"{file['name']} has changed: {_compared(file, after[path])}"
    for path, file in after.items():
        if path not in before:
            yield f"{file['name']} is new"
    if before == after and list(before) != list(after):
        yield "the files come in another order"


def _compared(then: dict[str, Any], now: dict[str, Any]) -> str:
    old, new = then.get("bytes"), now.get("bytes")
    if old is None or new is None:
        return "it has another content"
    if old == new:
        return f"still {in_words(new)}, but written at {now['changed']}, not at {then['changed']}"
    a, b = in_words(old), in_words(new)
    return f"{a} then, {b} now" if a != b else f"{old:,} bytes then, {new:,} now"
