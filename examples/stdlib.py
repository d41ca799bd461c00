"""Python's standard library → one document per function, as JSONL: a corpus that every machine has.

    python examples/stdlib.py functions.jsonl

Each line has an id (`module.class.function:line`), the module, and the source text. Copies of code within the
library are real near-duplicates: encodings that differ in a name, compatibility shims, asyncio's twins.
"""

from __future__ import annotations

import ast
import json
import sys
import sysconfig
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

LEAST = 200
"""Shorter functions, in characters, are left out: two-line getters are alike without being copies."""

OTHERS = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test"})
"""Folders that are no part of the library itself, or that not every machine has."""


def functions(library: Path) -> Iterator[dict[str, str]]:
    """Every function of the library that is long enough, in a fixed order."""
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).with_suffix("").parts
        if not OTHERS.isdisjoint(parts):
            continue
        try:
            with tokenize.open(path) as file:  # heeds the coding line of the file
                source = file.read()
            tree = ast.parse(source)
        except (SyntaxError, UnicodeDecodeError):  # files that are broken on purpose, for tests of tools
            continue
        lines = source.splitlines(keepends=True)
        for name, node in _functions(tree, ".".join(parts)):
            text = "".join(lines[node.lineno - 1 : node.end_lineno])
            if len(text) >= LEAST:
                yield {"id": f"{name}:{node.lineno}", "module": ".".join(parts), "text": text}


def _functions(
    node: ast.Module | ast.ClassDef, name: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions and methods by their dotted names. Those inside functions count as part of these."""
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{name}.{child.name}")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{name}.{child.name}", child


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} OUT.jsonl")
    out = Path(sys.argv[1])
    warnings.simplefilter("ignore")  # old string literals in the library are not our concern
    out.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for function in functions(Path(sysconfig.get_path("stdlib"))):
            file.write(json.dumps(function, ensure_ascii=False) + "\n")
            count += 1
    print(f"{out}: {count:,} functions of Python {sys.version.split()[0]}'s standard library")


if __name__ == "__main__":
    main()
