"""Writes the functions of Python's standard library as JSONL, one document per function.

    python examples/stdlib.py functions.jsonl

This is a corpus that every machine has. Each line has an id (`module.class.function:line`), the module and the source
text. The library contains real near-duplicates: codecs that differ only in a name, compatibility code, and synchronous
and asynchronous versions of the same function.
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
"""Characters. Shorter functions are skipped: two-line getters are similar without being copies."""

SKIPPED_FOLDERS = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test"})
"""Folders that are not part of the library itself, or that some machines do not have."""


def functions(library: Path) -> Iterator[dict[str, str]]:
    """Every function of the library with at least LEAST characters, in a fixed order."""
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).with_suffix("").parts
        if not SKIPPED_FOLDERS.isdisjoint(parts):
            continue
        try:
            with tokenize.open(path) as file:  # respects the encoding declared in the file
                source = file.read()
            tree = ast.parse(source)
        except (SyntaxError, UnicodeDecodeError):  # files that are invalid on purpose, for tests of tools
            continue
        lines = source.splitlines(keepends=True)
        for name, node in _functions(tree, ".".join(parts)):
            text = "".join(lines[node.lineno - 1 : node.end_lineno])
            if len(text) >= LEAST:
                yield {"id": f"{name}:{node.lineno}", "module": ".".join(parts), "text": text}


def _functions(
    node: ast.Module | ast.ClassDef, name: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions and methods with their dotted names. Nested functions are part of the enclosing function."""
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{name}.{child.name}")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{name}.{child.name}", child


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} OUT.jsonl")
    out = Path(sys.argv[1])
    warnings.simplefilter("ignore")  # about outdated string literals in the library
    out.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for function in functions(Path(sysconfig.get_path("stdlib"))):
            file.write(json.dumps(function, ensure_ascii=False) + "\n")
            count += 1
    print(f"{out}: {count:,} functions of Python {sys.version.split()[0]}'s standard library")


if __name__ == "__main__":
    main()
