"""The page that maps MMDS to functions: every function, test and page that it names exists; no example is missing."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/concepts/mmds.md"


def rows() -> list[list[str]]:
    """The cells of all rows of all tables, without headings."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    return [row for row in cells if row[0] != "topic"]


@cache
def names_of_tests(path: Path) -> set[str]:
    return set(re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))


def found(name: str) -> Any:
    """The object with this dotted name; modules are imported on the way."""
    first, *parts = name.split(".")
    assert first in ("la", "lookalike")
    here, path = import_module("lookalike"), "lookalike"
    for part in parts:
        path += f".{part}"
        if not hasattr(here, part):
            import_module(path)
        here = getattr(here, part)
    return here


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_function_test_and_page_of_a_topic_exist(row: list[str]) -> None:
    topic, functions, test, page = row
    assert topic
    names = re.findall(r"`([\w.]+)`", functions)
    assert names and all(callable(found(name)) for name in names)
    file, _, name = test.strip("`").partition("::")
    assert name in names_of_tests(ROOT / "tests" / file)
    linked = re.fullmatch(r"\[[\w-]+\]\(([\w./-]+\.md)\)", page)
    assert linked is not None and (PAGE.parent / linked[1]).exists()


def test_no_topic_occurs_twice() -> None:
    topics = [row[0] for row in rows()]
    assert len(topics) == len(set(topics)) >= 100


def test_every_example_and_exercise_of_the_lectures_is_listed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = {kind: set(re.findall(rf"{kind} (3\.[\d.]*\d)", text, re.IGNORECASE)) for kind in ("example", "exercise")}
    assert listed["example"] == {f"3.{number}" for number in (2, 3, 4, 6, 7, 8, 9, 10)}
    assert listed["exercise"] == {f"3.1.{i}" for i in (1, 2, 3)} | {f"3.3.{i}" for i in (3, 4, 5, 6, 7)} | {"3.4.1"}
    assert {"3.6", "3.7"} == set(re.findall(r"figure (3\.\d)", text))


@pytest.mark.parametrize("file", sorted((ROOT / "tests/book").glob("test_*.py")), ids=lambda path: path.stem)
def test_every_file_of_worked_examples_is_listed(file: Path) -> None:
    assert f"`book/{file.name}::" in PAGE.read_text(encoding="utf-8")
