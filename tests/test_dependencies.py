"""A plain install has every package that the code imports, apart from those of a few extras."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

EXTRAS = {"images", "plot", "postgres", "service", "spark"}
"""Extras that commands name in their help or do not need. Everything else that `--help` lists works without extras."""


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=! ]", requirement)[0] for requirement in requirements}


def imported() -> set[str]:
    """The top-level modules that any module of the library imports, at its head or inside a function."""
    found: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {one.name.partition(".")[0] for one in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"lookalike"}


def test_a_plain_install_has_every_package_except_those_of_extras() -> None:
    """`join --measure edit`, `resolve` and `stories --html` once needed extras that their help did not name."""
    homes = packages_distributions()
    needed = {name.lower().replace("_", "-") for module in imported() for name in homes.get(module, [module])}
    optional = {name for extra in EXTRAS for name in names(PROJECT["optional-dependencies"][extra])}
    shipped_with = {"markupsafe": "jinja2"}  # what our dependencies install for themselves
    needed = {shipped_with.get(name, name) for name in needed} - {"ipython"}  # imported in notebooks, which have it
    assert needed - optional == names(PROJECT["dependencies"])
