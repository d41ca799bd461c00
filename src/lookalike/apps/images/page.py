"""Renders copies of pictures, and neighbours of queries, as an HTML page with small pictures side by side.

The pictures are read again for the page and embedded in it. The templates are in `templates/pictures/` of the package
`report`.
"""

from __future__ import annotations

import base64
import os
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from lookalike.apps.images.decode import ORIENTATION, is_deep, open_picture, oriented, quiet, rgb_of
from lookalike.apps.images.result import NearestPictures, PicturePairs
from lookalike.report import check_report, save_page
from lookalike.report.templating import count, markup, render_page

GROUPS, MEMBERS = 60, 8
"""The maximum number of groups that are shown, and of pictures per group."""

LONGEST = 200
"""The maximum width and height of an embedded picture, in pixels."""

PROBLEMS = 200
"""The maximum number of files listed that could not be compared."""

TOO_MANY = 200_000_000
"""Pictures with more pixels than this are not embedded."""


def write_page(path: str | Path, found: PicturePairs, *, force: bool = False) -> Path:
    """Writes the page about copies to a file."""
    check_report(path, force=force)
    return save_page(path, render(found, made=datetime.now()), force=force)


def write_neighbours(path: str | Path, found: NearestPictures, *, force: bool = False) -> Path:
    """Writes the page about queries and their neighbours to a file."""
    check_report(path, force=force)
    return save_page(path, render_neighbours(found, made=datetime.now()), force=force)


def render(found: PicturePairs, *, made: datetime | None = None) -> str:
    """Renders the page about copies as an HTML string."""
    groups = _groups(found)
    kinds = found.kind_counts()
    tiles = [
        ("pictures", found.pictures.num_rows), ("could go, because a copy is kept", found.removable),
        ("pairs with equal bytes", kinds["bytes"]), ("pairs with equal pixels", kinds["pixels"]),
        ("pairs of near-copies", kinds["near"]), ("files that could not be compared", found.counts["problems"]),
    ]  # fmt: skip
    notes = [str(note) for note in found.pictures["note"].to_pylist() if note]
    notes = [str(notice) for notice in found.warnings if str(notice) not in notes] + notes
    return render_page(
        "pictures",
        title=f"Copies of pictures in {found.name}",
        lead=f"{count(len(found), 'pair')} of copies among {count(found.pictures.num_rows, 'picture')}. "
        "The first picture of each group is the one to keep. No file was changed.",
        tiles=[(label, f"{figure:,}") for label, figure in tiles],
        sections=[("groups", "Copies side by side"), *([("notes", "Notes about files")] if notes else [])],
        made=made,
        images=True,
        groups=groups[:GROUPS],
        total=len(groups),
        listed=notes[:PROBLEMS],
        more=max(0, len(notes) - PROBLEMS),
    )


def render_neighbours(found: NearestPictures, *, made: datetime | None = None) -> str:
    """Renders the page about queries and their neighbours as an HTML string."""
    queries: dict[bytes, list[dict[str, Any]]] = defaultdict(list)
    for row in found.table.to_pylist():
        queries[row["query_file"]].append(row)
    groups = []
    for file, rows in list(queries.items())[:GROUPS]:
        members = [_member(row["picture"], row["file"], [_closeness(row)], "") for row in rows[:MEMBERS]]
        first = _member(rows[0]["query"], file, [], "query")
        about = {"label": rows[0]["query"], "size": count(len(rows), "neighbour")}
        groups.append({**about, "members": [first, *members], "more": len(rows) - len(members)})
    return render_page(
        "pictures",
        title=f"Nearest pictures in {found.name}",
        lead="Copies come first, and then pictures with similar features: low frequencies of light and colour.",
        tiles=[("queries", f"{len(queries):,}"), ("neighbours", f"{len(found):,}")],
        sections=[("groups", "Queries and their neighbours")],
        made=made,
        images=True,
        groups=groups,
        total=len(queries),
    )


def _closeness(row: dict[str, Any]) -> str:
    if row["kind"] == "other":
        return f"features {row['features']:.3f}"
    return "same file" if row["kind"] == "bytes" else f"copy, similarity {row['similarity']:.3f}"


def _groups(found: PicturePairs) -> list[dict[str, Any]]:
    """Returns the groups of a kept picture and its copies, the largest first."""
    pictures = found.pictures
    kept, paths = pictures["kept"].to_pylist(), pictures["path"].to_pylist()
    row_of = {path: row for row, path in reversed(list(enumerate(paths)))}
    members: dict[int, list[int]] = defaultdict(list)
    for row, one in enumerate(kept):
        if one != paths[row]:
            members[row_of[one]].append(row)
    facts = _facts(found)
    groups = []
    for number, (first, others) in enumerate(sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))):
        shown = others[: MEMBERS - 1] if number < GROUPS else []
        cards = [_card_of(pictures, first, [], "kept")] if shown else []
        cards += [_card_of(pictures, row, facts.get((first, row), []), "") for row in shown]
        size = count(len(others) + 1, "picture")
        groups.append({"label": paths[first], "size": size, "members": cards, "more": len(others) - len(shown)})
    return groups


def _facts(found: PicturePairs) -> dict[tuple[int, int], list[str]]:
    """Returns what is known of each pair, by its rows in both orders."""
    facts: dict[tuple[int, int], list[str]] = {}
    columns = (
        found.left_rows.tolist(), found.right_rows.tolist(), found.similarity.tolist(), found.kind.to_pylist(),
        found.turned.tolist(), found.brightness.tolist(),
    )  # fmt: skip
    for left, right, similarity, kind, turned, brightness in zip(*columns, strict=True):
        words = {"bytes": "equal bytes", "pixels": "equal pixels"}.get(kind, f"similarity {similarity:.3f}")
        for one, two, angle, light in (
            (left, right, turned, brightness),
            (right, left, -turned % 360, 1 / max(brightness, 0.01)),
        ):
            here = [words]
            if angle:
                here.append(f"turned by {angle}°")
            if abs(light - 1) >= 0.05:
                here.append(f"light × {light:.2f}")
            facts[one, two] = here
    return facts


def _card_of(pictures: Any, row: int, facts: Sequence[str], tag: str) -> dict[str, Any]:
    one = pictures.slice(row, 1).to_pylist()[0]
    size = f"{one['width']:,} × {one['height']:,} · {one['format']} · {_kilobytes(one['bytes'])}"
    return _member(one["path"], one["file"], [size, *facts], tag)


def _kilobytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 0.1):,.1f} kB"


def _member(name: str, file: bytes, facts: Sequence[str], tag: str) -> dict[str, Any]:
    return {"name": name, "facts": list(facts), "tag": tag, "picture": _embedded(Path(os.fsdecode(file)))}


def _embedded(file: Path) -> Any:
    """Returns a small version of a picture as a data URL; None if it cannot be read any more."""
    try:
        with quiet(), open_picture(file) as image:
            turn = image.getexif().get(ORIENTATION, 1)
            image.draft("RGB", (2 * LONGEST, 2 * LONGEST))
            if image.size[0] * image.size[1] > TOO_MANY:
                return None
            same = image.mode in ("RGB", "RGBA", "L")
            small = image if same else rgb_of(image) if is_deep(image) else image.convert("RGBA")
            small = oriented(small, turn)
            small.thumbnail((LONGEST, LONGEST))
            out = BytesIO()
            if small.mode == "RGBA" or max(image.size) <= LONGEST:
                small.save(out, "PNG")
                kind = "png"
            else:
                small.convert("RGB").save(out, "JPEG", quality=80)
                kind = "jpeg"
    except Exception:  # the file has changed or is gone; the page says so
        return None
    return markup(f"data:image/{kind};base64,{base64.b64encode(out.getvalue()).decode()}")
